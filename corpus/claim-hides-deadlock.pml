// A model with a formula, and a deadlock that the formula does not speak of.
// expect: violated
// finding: invalid-end-state
// states: 2
// transitions: 2
// errors: 1
// ltl fine: holds
// spin: states=2 transitions=2 errors=1
//
// Symptom in SPIN: once a model has a claim, invalid end states are not checked
// and the answer is "errors: 0" (q).

chan c = [1] of { bit };
byte x;

active proctype p()
{
    x = 1;
    c?0
}

ltl fine { [] (x < 2) }
