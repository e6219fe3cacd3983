// A hidden variable whose value outlives a step and is read.
// expect: violated
// finding: assertion
// states: 7
// transitions: 7
// errors: 1
// warning: hidden-read
// spin: states=4 transitions=5 errors=0
// differs: (hh) pan takes the two states behind the choice for one and never sees the second value
//
// What is read decides what happens, so it is a part of the state.

hidden byte h;

active proctype p()
{
    if
    :: h = 0
    :: h = 1
    fi;
    assert(h == 0)
}
