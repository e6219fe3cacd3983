/* Base station 2, symmetric form of base2.pml: one channel per kind of message, so that every field and every variable
 * has one meaning.  Two independent families, senders and receivers.  -DNS=2,3 -DNR=2,3 -DM=1,2 (radio channels).  255: undefined. */
#ifndef NS
#define NS 2
#endif
#ifndef NR
#define NR 2
#endif
#ifndef M
#define M 2
#endif
#define NONE 255
chan ask = [NS] of { byte, byte };       /* sender, receiver */
chan query = [NR] of { byte };           /* receiver */
chan backS = [NS] of { byte };           /* radio channel */
chan backR = [NR] of { byte };           /* radio channel */
chan toS[NS] = [1] of { byte };
chan toR[NR] = [1] of { byte };
chan radio[M] = [1] of { bit };
proctype sender(byte me)
{
	byte c, to = NONE;
	do
	:: if :: to = 0 :: to = 1
#if NR > 2
	      :: to = 2
#endif
	   fi;
	   ask!me,to; toS[me]?c; radio[c]!1; backS!c
	od
}
proctype receiver(byte me)
{
	byte c;
	do
	:: query!me; toR[me]?c; radio[c]?1; backR!c
	od
}
proctype base()
{
	byte a = NONE, b = NONE, w = NONE, c; byte dest[M] = NONE; bit s[M], r[M]; bool used[M]; bool want[NR];
	do
	:: atomic { !used[0] && nempty(ask) -> ask?a,b; used[0] = true; dest[0] = b }; toS[a]!0
#if M > 1
	:: atomic { used[0] && !used[1] && nempty(ask) -> ask?a,b; used[1] = true; dest[1] = b }; toS[a]!1
#endif
	:: query?w -> want[w] = true
	:: backS?c -> s[c] = 1; if :: s[c] && r[c] -> used[c] = false; dest[c] = NONE; s[c] = 0; r[c] = 0 :: else fi
	:: backR?c -> r[c] = 1; if :: s[c] && r[c] -> used[c] = false; dest[c] = NONE; s[c] = 0; r[c] = 0 :: else fi
	:: dest[0] < NR && want[dest[0]] -> want[dest[0]] = false; w = dest[0]; dest[0] = 254; toR[w]!0
#if M > 1
	:: dest[1] < NR && want[dest[1]] -> want[dest[1]] = false; w = dest[1]; dest[1] = 254; toR[w]!1
#endif
	od
}
init { byte k; atomic { run base(); do :: k < NS -> run sender(k); k++ :: else -> break od; k = 0; do :: k < NR -> run receiver(k); k++ :: else -> break od } }
