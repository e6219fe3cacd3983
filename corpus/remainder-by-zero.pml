// The remainder of a division by zero, in a condition.
// expect: violated
// finding: runtime-error
// states: 1
// transitions: 1
// errors: 1
// spin: crash
// differs: (g) the verifier is ended by a signal and leaves no trail
//
// Symptom in SPIN: no report at all.

byte x;
int y = 10;

active proctype p()
{
    y % x == 0
}
