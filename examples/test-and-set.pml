// A spin lock on a test-and-set instruction.
// expect: holds
// states: 296
// transitions: 889
// ltl mutex: holds
// ltl no_starvation: violated
// ltl no_starvation fair: violated
//
// The instruction reads the lock and sets it, in one indivisible step: here a
// d_step inside an inline. The lock excludes, but it is not fair: even when
// every process runs again and again, one of them may always come when the
// lock is taken. Compare ticket-lock.pml.

#define N 3

bool lock;
byte inside;

inline test_and_set(result)
{
    d_step { result = lock; lock = true }
}

active [N] proctype worker()
{
    bool taken;

    do
    :: skip;
trying:
       do
       :: test_and_set(taken);
          if
          :: !taken -> break
          :: else                       // spin
          fi
       od;
       inside++;
critical:
       assert(inside == 1);
       inside--;
       lock = false
    od
}

ltl mutex { [] (inside <= 1) }
ltl no_starvation { [] (worker[0]@trying -> <> worker[0]@critical) }
