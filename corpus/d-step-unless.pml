// An escape from a d_step: only its first statement can be interrupted.
// expect: holds
// states: 3
// transitions: 3
// errors: 0
// spin: states=3 transitions=3 errors=0
//
// In the middle of the d_step x is 1, and nobody looks at it there.

byte x;

active proctype p()
{
    d_step { x = 1; x = 2; x = 0 } unless { x == 1 -> assert(false) }
}
