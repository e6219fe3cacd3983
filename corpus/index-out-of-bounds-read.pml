// An index out of bounds in a condition.
// expect: violated
// finding: runtime-error
// states: 1
// transitions: 1
// errors: 1
// spin: states=4 transitions=4 errors=2
// differs: (d) pan looks at the neighbouring bytes and goes on
//
// The path ends there with an error.

byte a[2];
byte i = 3;

active proctype p()
{
    if
    :: a[i] == 0 -> assert(false)
    :: i == 2 -> skip
    fi
}
