// A d_step that never ends.
// expect: violated
// finding: runtime-error
// states: 1
// transitions: 1
// errors: 1
// spin: endless
// differs: (j) pan runs for ever
//
// It must be told, not waited for.

byte x;

active proctype p()
{
    d_step {
        do
        :: x < 5 -> x = 1 - x
        :: else -> break
        od
    }
}
