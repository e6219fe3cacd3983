// A trace assertion on a rendezvous channel whose partner may stay away.
// expect: violated
// finding: invalid-end-state
// states: 3
// transitions: 3
// errors: 1
// spin: states=7 transitions=9 errors=0
// differs: (v) in pan the sender goes on without its partner
//
// Without a partner there is no send, and the sender is stuck.

chan r = [0] of { byte };

trace {
    r!3
}

active proctype p()
{
    r!3
}

active proctype q()
{
    skip
}
