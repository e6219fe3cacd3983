// A lone `else` is always executable.
// expect: holds
// states: 6
// transitions: 6
// errors: 0
// spin: states=6 transitions=6 errors=0
//
// It also stands behind the others wherever it is written.

byte x;

active proctype p()
{
    if
    :: else -> x = 1
    fi;
    if
    :: else -> assert(false)
    :: x == 1
    fi;
    do
    :: else -> break
    od
}
