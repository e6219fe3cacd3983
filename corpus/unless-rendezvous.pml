// An escape by rendezvous competes with an assertion.
// expect: violated
// finding: assertion
// finding: invalid-end-state
// states: 9
// transitions: 10
// errors: 2
// spin: states=9 transitions=10 errors=2
//
// Symptom in SPIN: with its default reduction neither the assertion nor the
// deadlock behind it is found (m).

chan c = [0] of { bit };

active proctype a()
{
    skip;
    c?1
}

active proctype b()
{
    assert(false) unless c!1
}
