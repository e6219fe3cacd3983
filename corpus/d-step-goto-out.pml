// A jump out of a d_step.
// expect: refused
// refused: jump-across-d_step
// spin: refused
//
// A d_step is one step with one end.

byte x;

active proctype p()
{
    d_step {
        x = 1;
        goto out
    };
out:
    skip
}
