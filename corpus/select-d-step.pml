// A select inside a d_step.
// expect: holds
// states: 6
// transitions: 6
// errors: 0
// spin: states=6 transitions=6 errors=0
//
// The first executable option is taken, so it is always the lower bound, whether
// the select is written out or is a loop.

byte i, low = 2, n;

active proctype p()
{
    d_step { select (i : 1 .. 3); n = i };
    assert(n == 1);
    d_step { select (i : low .. low + 2); n = i };
    assert(n == 2)
}
