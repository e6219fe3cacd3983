// A model with a claim that stops looking before an assertion fails.
// expect: violated
// finding: assertion
// states: 4
// transitions: 4
// errors: 1
// never: holds
// spin: states=4 transitions=4 errors=1
//
// Symptom in SPIN: assertions count only within the scope of the claim, and the
// answer is "errors: 0" (q).

byte x;

active proctype p()
{
    x = 1;
    assert(x == 0)
}

never {
    x == 5
}
