/* Parallel Acknowledgement with Retransmission, timed (Tanenbaum's PAR, as D. Bosnacki and D. Dams timed it).
 * Safe iff To > dK+dR+dL. */
#include "dtime.h"
#ifndef dK
#define dK 3            /* slices through channel K */
#endif
#ifndef dL
#define dL 3            /* through channel L */
#endif
#ifndef dR
#define dR 1            /* the receiver works on a message */
#endif
#ifndef To
#define To 9            /* the sender's patience */
#endif
#ifndef MAX
#define MAX 8           /* different messages */
#endif
timer sc = OFF, rc = OFF, xk = OFF, xl = OFF;
TIMERS4(sc,rc,xk,xl)
chan A = [0] of { byte, bit };
chan B = [0] of { byte, bit };
chan C = [0] of { bit };
chan D = [0] of { bit };
active proctype Sender()
{	byte mt; bit sn;
fetch:	udelay(sc);
	mt = (mt+1) % MAX;
again:	A!mt,sn;
	set(sc,To);
	if
	:: D?_ ->
		if
		:: atomic { skip; delay(sc,1); sn = 1-sn; goto fetch }
		:: atomic { printf("ack damaged\n"); goto again }
		fi
	:: expire(sc) -> goto again
	fi
}
active proctype K() { byte d; bit s; do :: A?d,s; delay(xk,dK); if :: skip; B!d,s :: skip fi od }
active proctype L() { do :: C?_; delay(xl,dL); if :: skip; D!1 :: skip fi od }
active proctype Receiver()
{	byte mr, me = 1; bit rsn, esn;
wait:	B?mr,rsn;
	if
	:: rsn == esn
	:: rsn == 1-esn -> goto ack
	:: atomic { printf("message damaged\n"); goto wait }
	fi;
	assert(mr == me);
	atomic { delay(rc,dR); esn = 1-esn; me = (me+1) % MAX };
ack:	C!1;
	atomic { delay(rc,1); goto wait }
}
