/* Peterson's mutual exclusion for N processes, with filter levels.
 * A process climbs N-1 levels. On each it declares itself the victim, then waits until another one is the victim there
 * or no other process has reached the level. Size: -DN=2, 3, 4.
 */
#ifndef N
#define N 3
#endif

byte reached[N];    /* the level that each process has reached; 0: not interested */
byte victim[N];     /* who arrived last at each level; entry 0 is unused */
byte critical;      /* how many processes are in the critical section */

active [N] proctype user()
{
    byte step, other;

    do
    ::  step = 1;
        do
        ::  step < N ->
            reached[_pid] = step;
            victim[step] = _pid;
            other = 0;
            do
            ::  other < N ->
                (other == _pid || reached[other] < step || victim[step] != _pid);
                other++
            ::  else -> break
            od;
            step++
        ::  else -> break
        od;

        critical++;
        assert(critical == 1);
        critical--;

        reached[_pid] = 0
    od
}
