// A counting semaphore made of a buffered channel.
// expect: holds
// states: 242
// transitions: 610
// ltl at_most_two: holds
// ltl somebody_works: holds
//
// The channel holds one message for each free permit. Receiving takes a
// permit and blocks when there is none; sending gives it back.

#define WORKERS 4
#define PERMITS 2

mtype = { permit };
chan permits = [PERMITS] of { mtype };
byte inside;

proctype worker()
{
    do
    :: permits?permit;
       inside++;
       assert(inside <= PERMITS);
       if
       :: skip                          // the work succeeds
       :: skip; skip                    // the work fails: some more steps
       fi;
       inside--;
       permits!permit
    od
}

init {
    byte i;

    atomic {
        for (i : 1 .. PERMITS) { permits!permit }
        for (i : 1 .. WORKERS) { run worker() }
    }
}

ltl at_most_two { [] (inside <= PERMITS) }
ltl somebody_works { [] <> (inside > 0) }
