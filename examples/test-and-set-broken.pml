// A spin lock that tests first and sets later.
// expect: violated
// finding: assertion
// states: 360
// transitions: 985
// ltl mutex: violated
//
// Between the test and the set another process may do the same test. What
// was a d_step in test-and-set.pml is two steps here.

#define N 3

bool lock;
byte inside;

active [N] proctype worker()
{
    do
    :: (!lock);                         // test ...
       lock = true;                     // ... and set
       inside++;
       assert(inside == 1);
       inside--;
       lock = false
    od
}

ltl mutex { [] (inside <= 1) }
