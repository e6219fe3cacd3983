// Two processes offer a rendezvous and nobody takes it.
// expect: violated
// finding: invalid-end-state
// states: 1
// transitions: 1
// errors: 1
// spin: states=1 transitions=1 errors=1
//
// Symptom in SPIN: breadth first it does not find the deadlock (n).

chan q = [0] of { bit };

active proctype p()
{
    q!1
}

active proctype r()
{
    q!0
}
