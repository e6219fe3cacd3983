// A process becomes ready for a handshake that lies in the middle of another one's atomic sequence.
// expect: violated
// finding: assertion
// states: 17
// transitions: 28
// errors: 2
// spin: states=17 transitions=28 errors=2
//
// Once a wrong answer of ours: every reduction took the first step of `taker` to be
// independent of the sequence of `giver`. But if the taker is ready, the sequence
// goes through to the end and x is never seen as 1; if it is not, the sequence stops
// at `r!1`, and x is.

chan r = [0] of { byte };
byte x;
byte steps;

active proctype taker()
{
    steps++;
    atomic { r?_; x = 0 }
}

active proctype giver()
{
    atomic { x = 1; r!1 }
}

active proctype watcher()
{
    assert(x == 0)
}
