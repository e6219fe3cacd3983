// A `run` inside a conjunction.
// expect: refused
// refused: run-in-expression
// spin: refused
//
// Whether the process is started would depend on the order of evaluation.

byte x;

proctype child()
{
    skip
}

init
{
    (x == 0 && run child())
}
