// Dekker's algorithm, the first known solution for two processes.
// expect: holds
// states: 146
// transitions: 275
// ltl mutex: holds
// ltl no_starvation: violated
// ltl no_starvation fair: holds
//
// Both raise a flag. If both flags are up, the one whose turn it is not takes
// its flag down and waits for its turn. Leaving hands the turn to the other.

bool want[2];
byte turn;
byte inside;

active [2] proctype worker()
{
    byte other = 1 - _pid;

    do
    :: want[_pid] = true;
trying:
       do
       :: want[other] ->
          if
          :: turn == other ->
             want[_pid] = false;        // step back
             (turn == _pid);
             want[_pid] = true
          :: else
          fi
       :: else -> break
       od;
       inside++;
critical:
       assert(inside == 1);
       inside--;
       turn = other;
       want[_pid] = false
    od
}

ltl mutex { [] !(worker[0]@critical && worker[1]@critical) }
ltl no_starvation { [] (worker[0]@trying -> <> worker[0]@critical) }
