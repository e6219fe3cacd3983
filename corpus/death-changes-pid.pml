// The death of a process changes the pid of the next one.
// expect: violated
// finding: assertion
// states: 11
// transitions: 15
// errors: 2
// spin: states=11 transitions=15 errors=2
//
// Symptom in SPIN: partial-order reduction takes death for an action without
// effect on others, and the assertion is never seen to fail (l).

init
{
    run f()
}

active proctype f()
{
    assert(_pid == 1)
}
