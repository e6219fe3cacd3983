// An `else` beside a rendezvous whose partner waits from the beginning.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// warning: else-with-channel
// spin: states=4 transitions=4 errors=0
//
// The handshake is always possible, so `else` never is.

chan c = [0] of { byte };

active proctype taker()
{
    c?7
}

active proctype giver()
{
    if
    :: c!7
    :: else -> assert(false)
    fi
}
