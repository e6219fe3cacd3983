// A local variable hides a global one, and one of the block around it.
// expect: holds
// states: 10
// transitions: 10
// errors: 0
// spin: refused
// differs: (t) SPIN calls it a redeclaration
//
// After the block the name means the outer variable again.

byte x = 7;

active proctype p()
{
    assert(x == 7);
    {
        byte x;

        assert(x == 0);
        {
            byte x = 2;

            assert(x == 2)
        }
        x++;
        assert(x == 1)
    }
    assert(x == 7)
}
