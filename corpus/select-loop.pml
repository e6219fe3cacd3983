// A select whose bounds are not numbers: a loop that counts.
// expect: holds
// states: 18
// transitions: 18
// errors: 0
// spin: states=18 transitions=18 errors=0
//
// All values are possible, the bounds included.

byte i, low = 3, n;

active proctype p()
{
    select (i : low .. low + 2);
    assert(i >= 3 && i <= 5);
    n = i
}
