// A send without slots begins a d_step, which is an error, whatever others do meanwhile.
// expect: violated
// finding: runtime-error
// states: 2
// transitions: 3
// errors: 2
// warning: rendezvous-in-d_step
// spin: states=2 transitions=3 errors=1
// differs: (ms) pan stops at the first error of this kind, whatever was asked for
//
// Symptom in an early version: `--por stubborn` took the deadlock for all that can go wrong here, chose the loop for ever,
// and said that the model holds.

chan c = [0] of { bit };

active proctype sender() { d_step { if :: c!1 :: c!0 fi } }
active proctype receiver() { c?_ }
active proctype loop() { bit a; do :: a = 1 - a od }
