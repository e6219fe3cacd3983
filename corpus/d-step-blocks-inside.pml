// A d_step that cannot go on is an error.
// expect: violated
// finding: runtime-error
// states: 1
// transitions: 1
// errors: 1
// spin: states=1 transitions=1 errors=1
//
// Its first statement may wait, the others may not.

byte x;

active proctype p()
{
    d_step {
        x = 1;
        x == 2;
        x = 3
    }
}
