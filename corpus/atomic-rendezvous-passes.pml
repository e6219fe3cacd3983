// A rendezvous out of an atomic sequence hands the right to move to the receiver.
// expect: holds
// states: 12
// transitions: 17
// errors: 0
// spin: states=12 transitions=17 errors=0
//
// The receiver is inside an atomic sequence, so it runs on; the sender goes on
// when the receiver has come to its end. A third process cannot come in between.

chan c = [0] of { byte };
byte x;

active proctype sender()
{
    atomic { x = 1; c!1; assert(x == 2); x = 3 }
}

active proctype receiver()
{
    atomic { c?1; x = 2 }
}

active proctype other()
{
    assert(x == 0 || x == 2 || x == 3)
}
