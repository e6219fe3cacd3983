// A poll of a rendezvous channel.
// expect: violated
// finding: runtime-error
// states: 1
// transitions: 1
// errors: 1
// spin: states=4 transitions=4 errors=2
// differs: (e) pan reports the error and goes on as if the answer were no
//
// There is nothing to poll; the path ends there with an error.

chan c = [0] of { byte };

active proctype p()
{
    if
    :: c?[1] -> skip
    :: else -> assert(false)
    fi
}
