/* Base station 1, symmetric form of base1.pml: the addressee is chosen in one step.  -DN=2..4 -DM=1,2.  to = N: undefined. */
#ifndef N
#define N 2
#endif
#ifndef M
#define M 2
#endif
#define NONE 255
byte holder[M] = NONE;  /* sender using radio channel c */
byte target[M] = NONE;  /* addressee */
bool data[M], taken[M], freeS[M], freeR[M];
proctype station(byte me)
{
	byte to = N;
end:	do
	:: if :: to = 0 :: to = 1
#if N > 2
	      :: to = 2
#endif
#if N > 3
	      :: to = 3
#endif
	   fi;
		if
		:: to == me
		:: atomic { to != me && holder[0] == NONE -> holder[0] = me; target[0] = to }; data[0] = true; freeS[0] = true
#if M > 1
		:: atomic { to != me && holder[1] == NONE -> holder[1] = me; target[1] = to }; data[1] = true; freeS[1] = true
#endif
		:: to != me && holder[0] != NONE && holder[M-1] != NONE
		fi
	:: atomic { target[0] == me && data[0] && !taken[0] -> taken[0] = true }; freeR[0] = true
#if M > 1
	:: atomic { target[1] == me && data[1] && !taken[1] -> taken[1] = true }; freeR[1] = true
#endif
	od
}
proctype BS()
{
end:	do
	:: atomic { freeS[0] && freeR[0] -> holder[0] = NONE; target[0] = NONE; data[0] = false; taken[0] = false; freeS[0] = false; freeR[0] = false }
#if M > 1
	:: atomic { freeS[1] && freeR[1] -> holder[1] = NONE; target[1] = NONE; data[1] = false; taken[1] = false; freeS[1] = false; freeR[1] = false }
#endif
	od
}
init { byte k; atomic { run BS(); do :: k < N -> run station(k); k++ :: else -> break od } }
