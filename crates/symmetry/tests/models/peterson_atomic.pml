/* Peterson's algorithm with the entry condition over all other processes tested in one step, so that process
 * identities may be permuted.  -DN=2..8.  flag: 0 = not competing, 1..N-1 = round. turn[k] = N means undefined. */
#ifndef N
#define N 2
#endif
#define BEHIND(j) (me == j || flag[j] < k)
#define ALL2 (BEHIND(0) && BEHIND(1))
#if N == 2
#define ALL ALL2
#elif N == 3
#define ALL (ALL2 && BEHIND(2))
#elif N == 4
#define ALL (ALL2 && BEHIND(2) && BEHIND(3))
#elif N == 5
#define ALL (ALL2 && BEHIND(2) && BEHIND(3) && BEHIND(4))
#elif N == 6
#define ALL (ALL2 && BEHIND(2) && BEHIND(3) && BEHIND(4) && BEHIND(5))
#elif N == 7
#define ALL (ALL2 && BEHIND(2) && BEHIND(3) && BEHIND(4) && BEHIND(5) && BEHIND(6))
#else
#define ALL (ALL2 && BEHIND(2) && BEHIND(3) && BEHIND(4) && BEHIND(5) && BEHIND(6) && BEHIND(7))
#endif
byte flag[N];
byte turn[N] = N;
byte inside;
proctype P(byte me)
{
	byte k;
	do
	:: k = 1;
	   do
	   :: k < N -> flag[me] = k; turn[k] = me; (ALL || turn[k] != me); k++
	   :: k == N -> break
	   od;
	   inside++; assert(inside == 1); inside--;
	   flag[me] = 0
	od
}
init { byte i; atomic { do :: i < N -> run P(i); i++ :: else -> break od } }
