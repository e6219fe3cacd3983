// A d_step that starts with a selection whose first option is an assignment.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// spin: states=1 transitions=1 errors=1
// differs: (b) pan takes assignments for blocked when it looks whether the d_step can start
//
// An assignment can always be executed, so the d_step can start.

byte x, y;

active proctype p()
{
    d_step {
        if
        :: y == 1 -> x = 2
        :: x = 1
        fi
    };
    assert(x == 1)
}
