// A formula that fails in the state where a run ends.
// expect: holds
// states: 9
// transitions: 12
// errors: 0
// ltl f: violated
// ltl f fair: violated
// spin: states=9 transitions=12 errors=0
//
// Symptom in SPIN with fairness (-f): the run that stays at its end is missed
// (z).

byte a, b;

active proctype P0() { byte x; a = x }

active proctype P1() { b = 0; b = 0 }

ltl f { <> ! <> (b == 0) }
