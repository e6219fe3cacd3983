/* A watchdog with a real timer: a worker reports within BEAT slices as long as it lives; the dog barks LIMIT slices after the
 * last report. It must never bark at a worker that lives, and always at one that has died. Right iff LIMIT > BEAT:
 * -DLIMIT=3 barks too early. */
#include "dtime.h"
#ifndef BEAT
#define BEAT 3
#endif
#ifndef LIMIT
#define LIMIT (BEAT+1)
#endif
timer work = OFF, dog = OFF;
TIMERS2(work,dog)
chan report = [0] of { bit };
bool dead, barked;
active proctype Worker()
{	byte w;
	do
	:: bdelay(work,w,1,BEAT); report!1
	:: dead = true; break
	od
}
active proctype Watchdog()
{	set(dog,LIMIT);
end:	do
	:: report?_ -> set(dog,LIMIT)
	:: expire(dog) -> reset(dog); barked = true; assert(dead); break
	od
}
#ifdef LTL
ltl noticed { [] (dead -> <> barked) }
#endif
