// A list of values that is shorter than its array, and one that is longer.
// expect: holds
// warning: list-init
// states: 7
// transitions: 7
// errors: 0
// spin: states=7 transitions=7 errors=0
//
// The last value is that of all further elements; it was zero in an early version of ours. What is too much has no effect.

byte a[4] = {1, 2};
mtype = { x, y };
mtype m[3] = { y };
typedef T { byte f[3] = {7, 8} }
T t;
byte z[2] = {1, 2, 3};

active proctype P()
{   byte l[3] = {4, 5};
    assert(a[0] == 1 && a[1] == 2 && a[2] == 2 && a[3] == 2);
    assert(m[0] == y && m[1] == y && m[2] == y);
    assert(t.f[0] == 7 && t.f[1] == 8 && t.f[2] == 8);
    assert(l[0] == 4 && l[1] == 5 && l[2] == 5);
    assert(z[0] == 1 && z[1] == 2)
}
