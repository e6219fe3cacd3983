// Peterson's mutual exclusion for two processes.
// expect: holds
// states: 38
// transitions: 65
// ltl mutex: holds
// ltl no_starvation: holds
//
// Each process says that it wants to enter, then offers the turn to the
// other one, and waits until the other is not interested or has given the
// turn back. Setting the flag first and the turn second is what makes it work
// (see peterson-broken.pml).
//
// Checked: never two in the critical section (as an assertion and as `mutex`),
// and whoever tries gets in (`no_starvation`). The second one needs no fairness:
// while one process is on its way in, the other one cannot get far without it.

bool want[2];
byte turn;
byte inside;            // how many are in the critical section

active [2] proctype worker()
{
    byte other = 1 - _pid;

    do
    :: want[_pid] = true;
trying:
       turn = other;
       (!want[other] || turn == _pid);
       inside++;
critical:
       assert(inside == 1);
       inside--;
       want[_pid] = false
    od
}

ltl mutex { [] !(worker[0]@critical && worker[1]@critical) }
ltl no_starvation { [] (worker[0]@trying -> <> worker[0]@critical) }
