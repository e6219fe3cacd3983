/* Fischer with a local timer in each process, which SPIN cannot read. The same states as fischer.pml; fewer where dead timers are switched off. */
#include "dtime.h"
#ifndef N
#define N 2
#endif
#ifndef D1
#define D1 1
#endif
#ifndef D2
#define D2 2
#endif
byte x, inside;
proctype P(byte id)
{	timer y; byte w;
	do
	:: x == 0 ->
		do :: w < D1 -> delay(y,1); w++ :: break od; w = 0;
		x = id+1;
		delay(y,D2);
		if
		:: x == id+1 -> inside++; assert(inside == 1); udelay(y); inside--; x = 0
		:: x != id+1
		fi
	:: delay(y,1)
	od
}
active proctype Start() { byte i; atomic { do :: i < N -> run P(i); i++ :: else -> i = 0; break od } }
