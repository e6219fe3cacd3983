// Dekker's algorithm without the turn, but polite.
// expect: holds
// states: 48
// transitions: 97
// ltl mutex: holds
// progress: violated
// progress fair: violated
//
// Both step back when they meet, and both come forward again, for ever. No
// state is a deadlock and no assertion fails, so a safety check is content;
// the check for non-progress cycles finds the livelock: an endless run that
// never passes the label `progress`.

bool want[2];
byte inside;

active [2] proctype worker()
{
    byte other = 1 - _pid;

    do
    :: want[_pid] = true;
       do
       :: want[other] ->
          want[_pid] = false;           // after you ...
          want[_pid] = true             // ... no, after you
       :: else -> break
       od;
       inside++;
progress_critical:
       assert(inside == 1);
       inside--;
       want[_pid] = false
    od
}

ltl mutex { [] !(worker[0]@progress_critical && worker[1]@progress_critical) }
