// A d_step whose first statement waits.
// expect: holds
// states: 11
// transitions: 15
// errors: 0
// spin: states=11 transitions=15 errors=0
//
// It starts when the other process has done its part, and is one step.

byte x;

active proctype p()
{
    d_step { x == 1 -> x = 2; x = 3 };
    assert(x == 3)
}

active proctype q()
{
    x = 1;
    assert(x != 2)
}
