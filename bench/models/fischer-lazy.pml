/* Fischer's mutual exclusion with lazy steps instead of idle loops: whoever is not interested waits without a timer. Starwheel only.
 * -DN=processes -DD1=most slices before the write -DD2=slices before the check. Safe iff D2 > D1. */
#include "dtime.h"
#ifndef N
#define N 3
#endif
#ifndef D1
#define D1 1
#endif
#ifndef D2
#define D2 2
#endif
timer y[N] = OFF;
byte x, inside;
proctype P(byte id)
{
end:	do
	:: lazy x == 0 ->
		set(y[id],D1);
		do :: lazy on(y[id]) && !expire(y[id]) -> break :: expire(y[id]) -> break od;
		reset(y[id]); x = id+1;
		delay(y[id],D2);
		if
		:: x == id+1 ->
			inside++; assert(inside == 1);
			lazy inside == 1;               /* in the critical section, as long as it likes */
			inside--; x = 0
		:: x != id+1
		fi;
		reset(y[id])
	od
}
init { atomic { byte i; for (i : 0 .. N-1) { run P(i) } } }
