// An atomic sequence that never ends.
// expect: holds
// states: 3
// transitions: 3
// errors: 0
// warning: search
// spin: endless
// differs: (j) pan goes round and round until its stack is full, and counts that as matched states
//
// Nobody else can move any more. That is a warning, no error.

byte x;

active proctype p()
{
    atomic {
        do
        :: x = 1 - x
        od
    }
}

active proctype q()
{
    assert(x == 0)
}
