// In a d_step the first executable option is taken, silently.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// spin: states=4 transitions=4 errors=0
//
// Elsewhere both would be tried.

byte x;

active proctype p()
{
    d_step {
        if
        :: x == 0 -> x = 1
        :: x == 0 -> x = 2
        fi
    };
    assert(x == 1)
}
