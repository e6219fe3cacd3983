// A trace assertion and a receive from the middle of a channel.
// expect: violated
// finding: trace
// states: 5
// transitions: 5
// errors: 1
// spin: states=5 transitions=5 errors=0
// differs: (f) pan looks at the message at the head of the queue, not at the one that was received
//
// The trace allows the receive of 1 only.

chan q = [2] of { byte };

trace {
    q!1;
    q!2;
    q?1
}

active proctype p()
{
    q!1;
    q!2;
    q??2
}
