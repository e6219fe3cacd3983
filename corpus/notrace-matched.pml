// A notrace assertion: the order of events that must not be happens.
// expect: violated
// finding: trace
// states: 7
// transitions: 7
// errors: 1
// spin: states=7 transitions=7 errors=1

chan a = [2] of { byte };

notrace {
    a!1;
    a!2
}

active proctype p()
{
    if
    :: a!1; a!2
    :: a!2; a!1
    fi
}
