// The death of a process changes what the next `run` returns.
// expect: violated
// finding: assertion
// states: 25
// transitions: 39
// errors: 7
// spin: states=25 transitions=39 errors=7
//
// Symptom in SPIN: with its default reduction the assertion is never seen to
// fail (l).

proctype f()
{
    skip
}

init
{
    pid p;

    run f();
    p = run f();
    assert(p == 1)
}
