// Two `run` in one expression.
// expect: refused
// refused: second-run
// spin: states=9 transitions=11 errors=0
// differs: (s) pan starts both
//
// If the second one fails, the first process is there already: a statement that
// cannot be executed has changed the state.

proctype child()
{
    skip
}

init
{
    byte x;

    x = run child() + run child()
}
