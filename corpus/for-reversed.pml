// A for loop over a range of constants that is empty.
// expect: refused
// refused: reversed-range
// spin: refused
//
// A slip: such a loop does nothing.

byte i;

active proctype p()
{
    for (i : 4 .. 2) {
        assert(false)
    }
}
