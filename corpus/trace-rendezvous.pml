// A trace assertion on a rendezvous channel.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// spin: states=2 transitions=2 errors=2
// differs: (v) in pan the sender goes on without its partner
//
// A handshake is a send and a receive, in this order, and one step.

chan r = [0] of { byte };

trace {
    r!3;
    r?3
}

active proctype p()
{
    r!3
}

active proctype q()
{
    r?3
}
