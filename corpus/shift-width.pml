// Shifts by more than the width of a number, and by negative amounts.
// expect: holds
// states: 10
// transitions: 10
// errors: 0
// spin: states=10 transitions=10 errors=0
//
// C leaves them open; the processor that SPIN's verifier runs on takes the lowest
// five bits of the amount, and so do we.

int i, m = -1;
byte k = 33;

active proctype p()
{
    i = 1 << k;
    assert(i == 2);
    i = 8 >> k;
    assert(i == 4);
    i = 1 << m;
    assert(i < 0);
    i = -1 >> m;
    assert(i == -1)
}
