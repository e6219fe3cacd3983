// A watchdog built with `timeout`.
// expect: holds
// states: 27
// transitions: 30
// ltl never_stuck: holds
// ltl finishes: violated
// ltl finishes fair: violated
//
// `timeout` is true exactly when nothing else in the whole model can move. A
// machine does a number of jobs and may hang in each of them; the watchdog
// notices that nothing moves and restarts it.
//
// The machine never hangs for good (`never_stuck`). That it finishes its jobs
// cannot be promised: it may hang again after every restart.

#define JOBS 3

byte finished;
bool hung;

active proctype machine()
{
    do
    :: finished < JOBS ->
       if
       :: finished++
       :: hung = true; (!hung)          // waits for the restart
       fi
    :: else -> break
    od
}

active proctype watchdog()
{
    do
    :: timeout ->
       if
       :: finished == JOBS -> break
       :: else ->
          assert(hung);
          hung = false
       fi
    od
}

ltl never_stuck { [] (hung -> <> !hung) }
ltl finishes { <> (finished == JOBS) }
