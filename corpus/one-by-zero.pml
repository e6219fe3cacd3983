// One divided by zero.
// expect: violated
// finding: runtime-error
// states: 1
// transitions: 1
// errors: 1
// spin: states=3 transitions=3 errors=0
// differs: (g) the C compiler replaces the division, so the result is 0 and nothing is reported
//
// Symptom in SPIN: errors: 0.

byte x;
int y = 10;

active proctype p()
{
    y = 1 / x
}
