// A select over a small range of numbers.
// expect: holds
// states: 13
// transitions: 13
// errors: 0
// spin: states=13 transitions=13 errors=0
//
// All values are possible, the bounds included.

byte i, n;

active proctype p()
{
    select (i : 3 .. 5);
    assert(i >= 3 && i <= 5);
    n = i
}
