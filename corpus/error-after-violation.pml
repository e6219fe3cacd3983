// A formula that is broken before a run-time error.
// expect: violated
// finding: runtime-error
// states: 2
// transitions: 2
// errors: 1
// ltl p: violated
// spin: states=4 transitions=4 errors=3
// differs: (d) pan goes on after the error, with what lies behind the array
//
// Symptom in an early version of ours: a run that meets an error was no run at
// all for the formula, which was reported to hold since there is no other run.

byte x = 1, a[2];

active proctype P() { x = 2; a[x] = 1 }

ltl p { [] (x == 1) }
