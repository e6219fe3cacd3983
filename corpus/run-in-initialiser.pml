// A `run` as the initial value of a variable.
// expect: refused
// refused: run-in-init
// spin: refused

proctype child()
{
    skip
}

init
{
    byte x = run child();

    assert(x == 1)
}
