// Dekker's algorithm without the turn.
// expect: violated
// finding: invalid-end-state
// states: 20
// transitions: 31
// ltl mutex: holds
//
// With flags alone nobody gives way: both raise their flag, both wait for the
// other flag to go down, and nothing moves any more. Mutual exclusion still
// holds, which shows that it is not enough to check for it.

bool want[2];
byte inside;

active [2] proctype worker()
{
    byte other = 1 - _pid;

    do
    :: want[_pid] = true;
       (!want[other]);                  // may wait for ever
       inside++;
critical:
       assert(inside == 1);
       inside--;
       want[_pid] = false
    od
}

ltl mutex { [] !(worker[0]@critical && worker[1]@critical) }
