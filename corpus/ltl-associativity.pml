// Chains of binary temporal operators.
// expect: holds
// states: 3
// transitions: 3
// errors: 0
// warning: ltl-associativity
// spin: states=3 transitions=3 errors=0
//
// Symptom: `a -> b -> c` is read from the left. SPIN does so, and everybody else
// reads it from the right: a warning is due, whichever way it is read.

bool a, b, c;

init
{
    skip
}

ltl p { a -> b -> c }
ltl q { a U b U c }
