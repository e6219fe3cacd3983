// A counting semaphore with a leak.
// expect: violated
// finding: invalid-end-state
// states: 268
// transitions: 642
// ltl at_most_two: holds
//
// When the work fails, the worker starts over without giving its permit back.
// After as many failures as there are permits, everybody waits for ever.

#define WORKERS 4
#define PERMITS 2

mtype = { permit };
chan permits = [PERMITS] of { mtype };
byte inside;

proctype worker()
{
again:
    permits?permit;
    inside++;
    assert(inside <= PERMITS);
    if
    :: skip
    :: skip;
       inside--;
       goto again                       // the permit is lost
    fi;
    inside--;
    permits!permit;
    goto again
}

init {
    byte i;

    atomic {
        for (i : 1 .. PERMITS) { permits!permit }
        for (i : 1 .. WORKERS) { run worker() }
    }
}

ltl at_most_two { [] (inside <= PERMITS) }
