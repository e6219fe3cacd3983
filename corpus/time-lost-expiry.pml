// An expiry that nobody takes in its slice is lost with the next tick.
// expect: violated
// finding: invalid-end-state
// states: 12
// transitions: 12
// errors: 1
// spin: states=12 transitions=12 errors=1
//
// The timer is off afterwards, time passes no more, and who waits for the expiry waits for ever. A clock that
// ticks without a running timer would hide this.

#include "dtime.h"
timer t = OFF, u = OFF;
TIMERS2(t,u)

active proctype P()
{
    assert(!on(t));
    set(t,1);
    delay(u,1);
    assert(expire(t) && on(t));
    delay(u,1);
    assert(!on(t));
    expire(t)
}
