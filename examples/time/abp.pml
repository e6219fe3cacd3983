/* The alternating bit protocol of examples/sdl/abp.pr by hand: the same verdicts, not the same states. -DBROKEN: the receiver does not
 * look at the bit. */
#include "dtime.h"
timer again = OFF;
TIMERS1(again)
chan msg = [3] of { byte, bit }; chan got = [3] of { byte, bit };
chan ack = [3] of { bit }; chan back = [3] of { bit };
#ifdef BROKEN
#define FITS(b) true
#else
#define FITS(b) (b == want)
#endif
active proctype Sender()
{	byte d; bit b, a;
	msg!d,b; set(again,1);
	do
	:: back?a ->
		if
		:: a == b -> d = (d+1)%3; b = 1-b; msg!d,b; set(again,1)
		:: else
		fi
	:: expire(again) -> msg!d,b; set(again,1)
	od
}
active proctype Receiver()
{	byte d, expected; bit b, want;
	do
	:: got?d,b ->
		if
		:: FITS(b) -> assert(d == expected); expected = (expected+1)%3; want = 1-want
		:: else
		fi;
		ack!b
	od
}
active proctype Forth()
{	byte d; bit b;
	end: do :: msg?d,b -> if :: got!d,b :: skip fi; d = 0; b = 0 od
}
active proctype Return()
{	bit b;
	end: do :: ack?b -> if :: back!b :: skip fi; b = 0 od
}
