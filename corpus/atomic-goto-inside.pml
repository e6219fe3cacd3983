// A jump from one atomic sequence into the inside of another keeps atomicity.
// expect: holds
// states: 7
// transitions: 9
// errors: 0
// spin: states=7 transitions=9 errors=0
//
// The value 2 is never seen outside.

byte x;

active proctype p()
{
    atomic {
        x = 2;
        goto inside
    };
    atomic {
        x = 9;
inside:
        x = 3;
        x = 0
    }
}

active proctype q()
{
    assert(x == 0)
}
