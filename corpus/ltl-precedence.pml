// A temporal operator in front of a comparison.
// expect: holds
// states: 3
// transitions: 3
// errors: 0
// warning: ltl-precedence
// ltl p: violated
// ltl q: violated
// spin: states=3 transitions=3 errors=0
//
// Symptom in SPIN: `[] x != 1` is read as `([] x) != 1`, a comparison of two
// constants, and a formula that fails is reported to hold (k). It means
// `[] (x != 1)`, and a warning says that SPIN reads it in another way.

byte x;

init
{
    x = 1
}

ltl p { [] x != 1 }
ltl q { <> x > 7 }
