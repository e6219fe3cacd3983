// An atomic sequence that blocks in the middle lets the others move.
// expect: holds
// states: 14
// transitions: 18
// errors: 0
// spin: states=14 transitions=18 errors=0
//
// When it can go on, it competes with them for its next step and is atomic again.

byte x, steps;

active proctype p()
{
    atomic {
        x = 1;
        x == 2;
        x = 3;
        assert(x == 3)
    }
}

active proctype q()
{
    x == 1;
    x = 2;
    steps++;
    steps++;
    assert(x == 2 || x == 3)
}
