// A for loop: the bounds are included, and it waits for nothing where a range is empty.
// expect: holds
// states: 30
// transitions: 30
// errors: 0
// spin: states=30 transitions=30 errors=0
//
// Afterwards the variable is one above the upper bound. The loop begins with an
// assignment, so it does not wait even where it stands as a guard.

byte i, n;
byte a[3] = { 4, 5, 6 };

active proctype p()
{
    for (i : 2 .. 4) {
        n = n + i
    }
    assert(n == 9 && i == 5);
    n = 0;
    for (i : 4 .. n) {
        assert(false)
    }
    assert(i == 4);
    if
    :: for (i in a) {
           n = n + a[i]
       }
    fi;
    assert(n == 15 && i == 3)
}
