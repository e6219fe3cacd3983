// `run` gives the pid of the new process; pids of dead processes are given again.
// expect: holds
// states: 15
// transitions: 19
// errors: 0
// spin: states=15 transitions=19 errors=0
//
// The child is gone when the number of processes is one again.

proctype child(byte n)
{
    assert(_pid == n)
}

init
{
    pid p;

    p = run child(1);
    assert(p == 1);
    _nr_pr == 1;
    p = run child(1);
    assert(p == 1)
}
