// A trace assertion that is kept.
// expect: holds
// states: 6
// transitions: 7
// errors: 0
// spin: states=6 transitions=7 errors=0
//
// Channels that it does not name are free, and it stops nobody.

chan a = [1] of { byte };
chan b = [1] of { byte };

trace {
    do
    :: a!1; a?1
    od
}

active proctype p()
{
    do
    :: a!1; b!2; b?2; a?1
    :: break
    od
}
