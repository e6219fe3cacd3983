// A rendezvous out of an atomic sequence to a receiver that is in none: the sequence is broken.
// expect: violated
// finding: assertion
// states: 8
// transitions: 10
// errors: 2
// spin: states=8 transitions=10 errors=2
//
// Another process may move between the handshake and the sender's next step.

chan c = [0] of { byte };
byte x;

active proctype sender()
{
    atomic { x = 1; c!1; assert(x == 1) }
}

active proctype receiver()
{
    c?1;
    x = 2
}
