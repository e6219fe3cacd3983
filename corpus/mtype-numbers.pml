// The names of an mtype are numbered from the last to the first.
// expect: holds
// states: 11
// transitions: 11
// errors: 0
// spin: states=11 transitions=11 errors=0
//
// A second declaration goes on above the first, each subtype begins anew, and
// a variable that nobody has set is 0. Sorted sends and comparisons depend on it.

mtype = { one, two, three };
mtype = { four, five };
mtype:fruit = { apple, pear };
mtype:size = { small, large };

mtype none;
mtype:fruit f = apple;
chan q = [2] of { mtype };

active proctype p()
{
    assert(one == 3 && two == 2 && three == 1);
    assert(four == 5 && five == 4);
    assert(f == 2 && pear == 1);
    assert(small == 2 && large == 1);
    assert(none == 0);
    q!!one;
    q!!three;
    q?three;
    q?one
}
