// A cancelled job that keeps its lock.
// expect: violated
// finding: assertion
// finding: invalid-end-state
// states: 372
// transitions: 671
// ltl lock_released: violated
//
// The clean-up only makes a note that the job was cancelled. If the job owned
// the lock, the other job waits for it for ever.

#define NOBODY 0
#define JOB 1
#define OTHER 2

byte owner = NOBODY;
bool cancelled, done, rolled_back;

active proctype job()
{
    byte step;

    {
        atomic { owner == NOBODY -> owner = JOB };
        for (step : 1 .. 3) { assert(owner == JOB) }
        atomic { owner = NOBODY; done = true }
    } unless {
        cancelled -> rolled_back = true         // and the lock?
    };
    assert(owner != JOB);
    assert(done || rolled_back)
}

active proctype other_job()
{
    atomic { owner == NOBODY -> owner = OTHER };
    assert(owner == OTHER);
    owner = NOBODY
}

active proctype user()
{
    if
    :: cancelled = true
    :: skip
    fi
}

ltl lock_released { [] (owner == JOB -> <> (owner != JOB)) }
