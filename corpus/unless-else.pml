// An escape that starts with a selection with `else`.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// spin: states=5 transitions=6 errors=1
// differs: (c) pan tries the options of an escape from the last to the first, so `else` comes before the others
//
// The first option is executable, so `else` is not.

byte x;

active proctype p()
{
    { x == 9 } unless {
        if
        :: x == 0 -> skip
        :: else -> assert(false)
        fi
    }
}
