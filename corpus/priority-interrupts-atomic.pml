// A process of a higher priority interrupts an atomic sequence that makes it executable.
// expect: violated
// finding: assertion
// states: 7
// transitions: 7
// errors: 1
// spin: states=7 transitions=7 errors=1
//
// Symptom in an early version of ours, and in SPIN unless it is told `-o3`: the two
// assignments are merged, so that `Look` never sees the first of them, and the
// assertion is said to hold.

byte v;

active proctype Set()
{
    atomic { v = 1; v = 0 }
}

active proctype Look() priority 4
{
    v;
    assert(false)
}
