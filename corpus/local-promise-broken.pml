// A variable that is declared `local` and used by two processes is seen by both.
// expect: violated
// finding: assertion
// finding: invalid-end-state
// states: 11
// transitions: 13
// errors: 3
// spin: states=11 transitions=13 errors=3
//
// Symptom in an early version of ours, and in SPIN unless it is told `-o3` and not to
// reduce: the promise is believed, the three assignments of `Set` are one step, nobody
// sees that `v` is 1, and the assertion is said to hold.

local byte v;

active proctype Set()
{
    byte x;

    x = 1;
    v = 1;
    v = 0
}

active proctype Look()
{
    v == 1;
    assert(false)
}
