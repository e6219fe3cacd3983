// A timer cannot be set to a number of slices that it does not hold, whatever others do meanwhile.
// expect: violated
// finding: runtime-error
// states: 4
// transitions: 7
// errors: 2
// spin: states=6 transitions=11 errors=0
// differs: (mr) pan cuts the value to 16 bits, which gives -25536, and goes on
//
// Symptom in an early version: `--por stubborn` took the deadlock for all that can go wrong here, chose the loop for ever,
// and said that the model holds.

#include "dtime.h"
timer t = OFF;
TIMERS1(t)
active proctype Setter() { int v; v = 40000; set(t, v) }
active proctype Loop() { byte a; do :: a = 1 - a od }
