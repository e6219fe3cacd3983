// An array without an index means its first element.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// warning: missing-index
// spin: states=4 transitions=4 errors=0
//
// That is an error in the eyes of SPIN, too, but it goes on.

byte a[2] = 3;
byte b[2];

active proctype p()
{
    b = a;
    assert(b[0] == 3 && b[1] == 0)
}
