// Nested escapes: the outer one goes first.
// expect: holds
// states: 6
// transitions: 6
// errors: 0
// spin: states=6 transitions=6 errors=0
//
// Both are possible after the assignment.

byte x, y;

active proctype p()
{
    {
        {
            x = 1;
            assert(false)
        } unless {
            x == 1 -> y = 1
        }
    } unless {
        x == 1 -> y = 2
    };
    assert(y == 2)
}
