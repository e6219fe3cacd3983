// The death of a process changes the number of processes.
// expect: violated
// finding: assertion
// states: 11
// transitions: 15
// errors: 3
// spin: states=11 transitions=15 errors=3
//
// Symptom in SPIN: with its default reduction the assertion is never seen to
// fail (l).

proctype f()
{
    skip
}

init
{
    run f();
    if
    :: _nr_pr == 2 -> assert(false)
    :: _nr_pr == 1
    fi
}
