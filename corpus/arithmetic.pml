// Arithmetic is that of 32-bit integers in C.
// expect: holds
// states: 25
// transitions: 25
// errors: 0
// spin: states=25 transitions=25 errors=0
//
// Division rounds towards zero, the remainder has the sign of the first number,
// results are cut when they are stored.

byte b;
short s;
int i;
unsigned u : 3;
bit t;

active proctype p()
{
    i = -7;
    assert(i / 2 == -3 && i % 2 == -1);
    i = 7;
    assert(i / -2 == -3 && i % -2 == 1);
    b = 255;
    b++;
    assert(b == 0);
    b--;
    assert(b == 255);
    assert(b + 1 == 256);
    s = 32767;
    s++;
    assert(s == -32768);
    i = 2147483647;
    i++;
    assert(i < 0);
    u = 13;
    assert(u == 5);
    t = 6;
    assert(t == 0);
    assert((1 << 4) == 16 && (-16 >> 2) == -4);
    assert((6 & 3) == 2 && (6 | 3) == 7 && (6 ^ 3) == 5 && ~0 == -1);
    assert((5 > 3 > 0) && !0 == 1 && (3 == 3) == 1)
}
