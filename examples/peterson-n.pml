// The filter lock: Peterson's algorithm for N processes.
// expect: holds
// states: 51596
// transitions: 146377
// ltl mutex: holds
//
// To enter, a process climbs N-1 levels. At each level it notes that it is
// the latest arrival, and waits until every other process is on a lower level
// or somebody else has arrived after it. So each level holds back at least
// one process, and at most one passes the last level.
//
// The others are looked at one after the other, as in the original paper: no
// step reads the state of more than one other process.

#define N 3

byte level[N];          // level[i]: where process i stands, 0 = not trying
byte latest[N];         // latest[l]: who came last to level l (latest[0] is unused)
byte inside;

active [N] proctype worker()
{
    byte l, k;

    do
    :: for (l : 1 .. N - 1) {
           level[_pid] = l;
           latest[l] = _pid;
           for (k : 0 .. N - 1) {
               (k == _pid || level[k] < l || latest[l] != _pid)
           }
       }
       inside++;
       assert(inside == 1);
       inside--;
       level[_pid] = 0
    od
}

ltl mutex { [] (inside <= 1) }
