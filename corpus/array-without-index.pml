// An array without an index is not taken for its first element.
// expect: refused
// refused: missing-index
// spin: refused
//
// SPIN writes a verifier all the same, in which the first element is meant.

byte a[2] = 3;
byte b[2];

active proctype p()
{
    b = a;
    assert(b[0] == 3 && b[1] == 0)
}
