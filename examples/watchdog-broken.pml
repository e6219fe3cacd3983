// A watchdog that goes to sleep after the first restart.
// expect: violated
// finding: invalid-end-state
// states: 44
// transitions: 60
// ltl never_stuck: violated
// ltl never_stuck fair: violated
//
// One restart is not enough: when the machine hangs a second time nobody is
// there to notice.

#define JOBS 3

byte finished;
bool hung;

active proctype machine()
{
    do
    :: finished < JOBS ->
       if
       :: finished++
       :: hung = true; (!hung)
       fi
    :: else -> break
    od
}

active proctype watchdog()
{
    timeout;                            // should be repeated
    hung = false
}

ltl never_stuck { [] (hung -> <> !hung) }
