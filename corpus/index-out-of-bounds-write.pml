// An index out of bounds in an assignment.
// expect: violated
// finding: runtime-error
// states: 2
// transitions: 2
// errors: 1
// spin: states=5 transitions=5 errors=4
// differs: (d) pan writes to the neighbouring bytes and goes on
//
// No other variable may change: the path ends there with an error.

byte a[2], b = 7, i;

active proctype p()
{
    i = 2;
    a[i] = 1;
    assert(b == 7)
}
