// A jump to a label in front of an atomic sequence loses atomicity.
// expect: violated
// finding: assertion
// states: 10
// transitions: 14
// errors: 1
// spin: states=10 transitions=14 errors=1
//
// Between the jump and the next round the other process may move.

byte x, n;

active proctype p()
{
again:
    atomic {
        x = 1;
        n++;
        x = 0;
        if
        :: n < 2 -> x = 2; goto again
        :: else
        fi
    }
}

active proctype q()
{
    assert(x == 0)
}
