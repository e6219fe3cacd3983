// All timers are lowered in one step, so two may expire together and are served in any order.
// expect: violated
// finding: assertion
// states: 56
// transitions: 78
// errors: 5
// spin: states=56 transitions=78 errors=5
//
// Each of two processes sends to the other before it reads, which is possible only if both timers expire in one
// slice: a clock that serves one timer after the other misses it.

#include "dtime.h"
timer t1 = OFF, t2 = OFF;
TIMERS2(t1,t2)
chan a = [2] of { bit };
chan b = [2] of { bit };
byte done;

active proctype P1()
{
    set(t1,2);
    do
    :: expire(t1) -> reset(t1); b!1; break
    :: a?_
    od;
end1:
    a?_;
    done++;
    assert(done < 2)
}

active proctype P2()
{
    set(t2,2);
    do
    :: expire(t2) -> reset(t2); a!1; break
    :: b?_
    od;
end2:
    b?_;
    done++;
    assert(done < 2)
}
