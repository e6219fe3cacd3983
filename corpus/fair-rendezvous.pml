// Two senders at a rendezvous channel, and a receiver that is not always ready.
// expect: holds
// states: 11
// transitions: 20
// errors: 0
// ltl p: violated
// ltl p fair: violated
// spin: states=11 transitions=20 errors=0
//
// Symptom in SPIN: fairness together with partial-order reduction is refused
// because of the rendezvous (z). The second sender may be passed over for ever:
// it cannot move while the receiver is between two messages, so no fair run has
// to let it.

chan c = [0] of { bit };
bool b;

active proctype A() { s: c!0; goto s }

active proctype B() { s: c!1; b = true; goto s }

active proctype C() { bit x; s: c?x; x = 0; goto s }

ltl p { <> b }
