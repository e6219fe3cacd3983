// Processes die in the reverse order of their birth.
// expect: holds
// states: 13
// transitions: 14
// errors: 0
// spin: states=13 transitions=14 errors=0
//
// The first child is finished long before the second, but it stays until the
// second one is gone; the count of processes tells.

byte done;

proctype quick()
{
    done++
}

proctype slow()
{
    _nr_pr == 3;
    done == 1;
    assert(_nr_pr == 3);
    done = 2
}

init
{
    atomic { run quick(); run slow() };
    _nr_pr == 1;
    assert(done == 2)
}
