// A process that waits until it is alone, and a formula.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// ltl q: holds
// spin: states=4 transitions=4 errors=0
//
// Symptom in SPIN: the claim of the formula is a process, which `_nr_pr` counts.
// With it the process waits for ever, and the formula is reported to fail (aa).

byte x;

active proctype P() { _nr_pr == 1; x = 1 }

ltl q { <> (x == 1) }
