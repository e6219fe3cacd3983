// An accept label of a process beside a formula.
// expect: holds
// states: 2
// transitions: 3
// errors: 0
// ltl p: holds
// spin: states=2 transitions=3 errors=0
//
// The label marks runs for `--accept`. The formula is true of every run: pan takes
// the label for one of the formula's automaton, and reports an acceptance cycle.

byte x;

active proctype P()
{
accept:
    do
    :: x = 1 - x
    od
}

ltl p { [] (x < 2) }
