// Division by zero in an assignment.
// expect: violated
// finding: runtime-error
// states: 1
// transitions: 1
// errors: 1
// spin: crash
// differs: (g) the verifier is ended by a signal and leaves no trail
//
// Symptom in SPIN: no report at all, and in other places no error.

byte x;
int y = 10;

active proctype p()
{
    y = y / x
}
