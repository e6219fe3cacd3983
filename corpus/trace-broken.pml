// A trace assertion that is broken by the second message.
// expect: violated
// finding: trace
// states: 4
// transitions: 4
// errors: 1
// spin: states=4 transitions=4 errors=1
//
// The simulator of SPIN does not look at it.

chan a = [2] of { byte };

trace {
    a!1;
    a?1;
    a!2
}

active proctype p()
{
    a!1;
    a!2
}
