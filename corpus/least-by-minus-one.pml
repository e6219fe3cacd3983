// The least integer divided by -1.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// spin: crash
// differs: (g) the verifier is ended by a signal and leaves no trail
//
// The result does not fit; it wraps around like every other result.

int i, m = -1;

active proctype p()
{
    i = 1 << 31;
    assert(i / m == i && i % m == 0 && i * m == i && -i == i)
}
