// A formula that is broken inside an atomic sequence, by the statement before a run-time error.
// expect: violated
// finding: runtime-error
// states: 1
// transitions: 1
// errors: 1
// ltl p: violated
// ltl q: holds
// spin: states=3 transitions=3 errors=3
// differs: (d) pan goes on after the error, with what lies behind the array
//
// Symptom in an early version of ours: the two statements are merged, and where the
// second goes wrong neither counted as executed, so that `p` was said to hold.

byte x = 1, i = 2, a[2];

active proctype P() { atomic { x = 2; a[i] = 1; x = 1 } }

ltl p { [] (x == 1) }
ltl q { [] (x != 3) }
