// A step that only makes its process ready for a handshake is seen by others.
// expect: violated
// finding: assertion
// finding: invalid-end-state
// states: 19
// transitions: 25
// errors: 6
// spin: states=19 transitions=25 errors=6
//
// The send inside `atomic` blocks if `init` has not come to its receive yet, and then
// `Look` sees that `v` is set. Symptom in an early version of ours, and in SPIN unless
// it is told `-o3`: `x = 1` is merged with the start of `Send`, so that `init` is always
// ready, nobody ever looks, and the assertion is said to hold.

byte v, who;
chan c = [0] of { byte };

active proctype Look()
{
    v;
    assert(false)
}

proctype Send()
{
    atomic {
        v = 1;
        c!0
    }
}

init {
    byte x;

    atomic { who = run Send() };
    x = 1;
    atomic {
        c?_;
        v = 0
    }
}
