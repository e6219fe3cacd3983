// A formula about runs that end.
// expect: holds
// states: 10
// transitions: 11
// errors: 0
// ltl t: violated
// ltl t fair: violated
// spin: states=10 transitions=11 errors=0
//
// Symptom in SPIN with fairness (-f): runs that end are not counted among the
// fair ones, and the formula is reported to hold (z). A run that has ended
// treats nobody unfairly.

byte n;

active proctype P() { n = 1 }

active proctype Q() { n = 2 }

ltl t { <> [] (n == 1) }
