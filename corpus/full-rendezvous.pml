// The questions about the length of a rendezvous channel.
// expect: holds
// states: 7
// transitions: 7
// errors: 0
// spin: states=7 transitions=7 errors=0
//
// It holds nothing: it is empty.

chan c = [0] of { bit };

active proctype p()
{
    assert(len(c) == 0);
    if
    :: full(c) -> assert(false)
    :: nfull(c) -> skip
    fi;
    if
    :: empty(c) -> skip
    :: nempty(c) -> assert(false)
    fi
}
