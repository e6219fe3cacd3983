// A local variable cannot hide a global one, nor one of the block around it.
// expect: refused
// refused: duplicate-name
// spin: refused

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
