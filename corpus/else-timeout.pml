// An `else` and a `timeout` in one selection.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// spin: states=4 transitions=4 errors=0
//
// The `else` is executable, so the system is not stuck and `timeout` is false.

byte x;

active proctype p()
{
    if
    :: timeout -> assert(false)
    :: x == 1 -> assert(false)
    :: else -> skip
    fi
}
