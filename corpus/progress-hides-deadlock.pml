// A model with progress labels, and a deadlock.
// expect: violated
// finding: invalid-end-state
// states: 6
// transitions: 6
// errors: 1
// progress: holds
// spin: states=6 transitions=6 errors=1
//
// Symptom in SPIN: a verifier for non-progress cycles (-DNP) looks for nothing
// else, and the answer is "errors: 0" (q).

chan c = [1] of { bit };
byte x;

active proctype p()
{
    do
    :: x < 2 -> progress: x++
    :: x == 2 -> break
    od;
    c?0
}
