// The filter lock with one level too few.
// expect: violated
// finding: assertion
// states: 15196
// transitions: 43549
// ltl mutex: violated
//
// Each level of the filter holds back only one process. With three processes
// and a single level, two can pass together.

#define N 3
#define LEVELS 1        // should be N - 1

byte level[N];
byte latest[N];
byte inside;

active [N] proctype worker()
{
    byte l, k;

    do
    :: for (l : 1 .. LEVELS) {
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
