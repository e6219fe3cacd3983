// A job that can be cancelled at any moment: `unless`.
// expect: holds
// states: 474
// transitions: 919
// ltl lock_released: holds
//
// Before every step of the job, the condition after `unless` is looked at; if
// it is true, the rest of the job is dropped and the clean-up begins. The job
// may or may not have taken the lock by then, so the clean-up releases it only
// if this job owns it.

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
        cancelled ->
        if
        :: owner == JOB -> owner = NOBODY
        :: else
        fi;
        rolled_back = true
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
    :: skip                             // changes its mind
    fi
}

ltl lock_released { [] (owner == JOB -> <> (owner != JOB)) }
