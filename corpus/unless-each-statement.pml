// The escape is tested before each statement, inside an atomic sequence as well.
// expect: holds
// states: 6
// transitions: 6
// errors: 0
// spin: states=6 transitions=6 errors=0
//
// After x becomes 2 the rest of the atomic sequence is left out.

byte x;

active proctype p()
{
    {
        x = 1;
        atomic { x = 2; x = 3; assert(false) }
    } unless {
        x == 2 -> skip
    };
    assert(x == 2)
}
