/* Start-up synchronisation, symmetric form of initproto.pml: the others are visited in any order, not by a counter.
 * Two families (comp, cocomp) with one index.  -DN=2..4.  j = N means undefined. */
#ifndef N
#define N 2
#endif
#if N == 2
#define ALLDONE (done[0] && done[1])
#define ALLSEEN ((i == 0 || seen[0]) && (i == 1 || seen[1]))
#elif N == 3
#define ALLDONE (done[0] && done[1] && done[2])
#define ALLSEEN ((i == 0 || seen[0]) && (i == 1 || seen[1]) && (i == 2 || seen[2]))
#else
#define ALLDONE (done[0] && done[1] && done[2] && done[3])
#define ALLSEEN ((i == 0 || seen[0]) && (i == 1 || seen[1]) && (i == 2 || seen[2]) && (i == 3 || seen[3]))
#endif
#define PICK(k) atomic { i != k && !seen[k] -> seen[k] = true; j = k }
bool x[N];              /* arbitrary at start */
bool done[N];           /* initial part finished */
proctype comp(byte i)
{
	byte j = N; bool seen[N];
	done[i] = true;
	do
	:: ALLSEEN -> break
	:: if :: PICK(0) :: PICK(1)
#if N > 2
	      :: PICK(2)
#endif
#if N > 3
	      :: PICK(3)
#endif
	   fi; x[j] = false; x[j]
	od;
	assert(ALLDONE)
}
proctype cocomp(byte i)
{
	done[i];
end:	do
	:: x[i] = true
	od
}
init {
	byte k;
	atomic {
		do :: k < N -> if :: x[k] = false :: x[k] = true fi; k++ :: else -> break od;
		k = 0;
		do :: k < N -> run comp(k); run cocomp(k); k++ :: else -> break od
	}
}
