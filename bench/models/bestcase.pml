/* N pairs of processes, pair k writes 0 and 1 to its own shared variable.  -DN=<pairs>
 * The published figures are those of unmerged statements (spin -o1 -o2 -o3): merging alone brings N=2 from 60 to 33. */
#ifndef N
#define N 2
#endif
int shared[N];
proctype writer(byte k; bit val) { shared[k] = val }
init {
	byte k;
	atomic {
		do
		:: k < N -> run writer(k, 0); run writer(k, 1); k++
		:: else -> break
		od
	}
}
