// References to the place and to a variable of another process.
// expect: holds
// states: 11
// transitions: 13
// errors: 0
// spin: states=11 transitions=13 errors=0

byte x;

active proctype p()
{
    byte l = 3;

    x = 1;
    l = 4;
there:
    x = 2
}

active proctype q()
{
end:
    p@there;
    assert(p:l == 4 && p[0]:l == 4)
}
