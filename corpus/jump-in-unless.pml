// An escape that can be taken only where a jump stands is taken.
// expect: violated
// finding: invalid-end-state
// states: 3
// transitions: 3
// errors: 1
// spin: states=3 transitions=3 errors=1
//
// `L1` is a state of its own, because a jump is the first statement of a block, and the
// escape can be executed there. Symptom in an early version of ours, and in SPIN unless
// it is told `-o3`: with merged steps the escape leads nowhere, `Work` goes round for
// ever, and the system is said never to get stuck.

byte g;

active proctype Work()
{
L0: g = 0;
L1: { goto L0 } unless { true }
}

active proctype Wait()
{
    false
}
