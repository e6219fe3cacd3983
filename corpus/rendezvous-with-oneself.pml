// No process can meet itself.
// expect: violated
// finding: invalid-end-state
// states: 1
// transitions: 1
// errors: 1
// spin: states=1 transitions=1 errors=1

chan c = [0] of { bit };

active proctype p()
{
    if
    :: c!1 -> assert(false)
    :: c?1 -> assert(false)
    fi
}
