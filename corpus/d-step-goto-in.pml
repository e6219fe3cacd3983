// A jump into a d_step.
// expect: refused
// refused: jump-across-d_step
// spin: refused
//
// A d_step is one step with one beginning.

byte x;

active proctype p()
{
    goto inside;
    d_step {
        x = 1;
inside:
        x = 2
    }
}
