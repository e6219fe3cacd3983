// An `else` beside a rendezvous: a race between the partner and the `else`.
// expect: holds
// states: 11
// transitions: 13
// errors: 0
// warning: else-with-channel
// spin: states=11 transitions=13 errors=0
//
// If the partner is not yet there, `else` is executable; once it is there, the
// handshake is possible and `else` is not. Both ends must be in the space.

chan c = [0] of { byte };
byte got, skipped;

active proctype taker()
{
    skip;
end:
    c?got
}

active proctype giver()
{
    if
    :: c!7
    :: else -> skipped = 1
    fi
}
