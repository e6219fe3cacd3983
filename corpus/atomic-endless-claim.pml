// An atomic sequence that never ends, and a formula.
// expect: holds
// warning: search
// states: 1
// transitions: 1
// errors: 0
// ltl q: unrefuted
// spin: endless
// differs: (j) pan follows the sequence for ever
//
// Symptom in an early version of ours: the run that never leaves the sequence
// passes no stored state twice, and the formula was reported to hold.

byte x;

active proctype P() { atomic { do :: x == 0 od } }

ltl q { <> (x == 1) }
