// The elements of an array of bits are bytes.
// expect: holds
// states: 8
// transitions: 8
// errors: 0
// spin: states=8 transitions=8 errors=0
//
// Symptom in SPIN: its simulator cuts them to one bit, its verifier does not
// (r). The verifier counts. Variables that stand alone are cut by both.

bit x[2];
bool y[2];
bit z;

active proctype p()
{
    x[0] = 2;
    y[1] = 3;
    z = 2;
    assert(x[0] == 2);
    assert(y[1] == 3);
    assert(z == 0)
}
