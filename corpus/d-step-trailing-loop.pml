// A d_step that ends with a loop and its `break`.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// spin: states=4 transitions=4 errors=0
//
// SPIN's manual calls it an error, SPIN takes it, and so do we.

byte x;

active proctype p()
{
    d_step {
        x = 1;
        do
        :: x < 5 -> x++
        :: else -> break
        od
    };
    assert(x == 5)
}
