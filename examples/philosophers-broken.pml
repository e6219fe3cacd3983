// Dining philosophers who all take their left fork first.
// expect: violated
// finding: invalid-end-state
// states: 257
// transitions: 666
// ltl somebody_eats: violated
// ltl somebody_eats fair: violated
//
// If everybody takes the left fork at once, everybody waits for the right one
// for ever. This is the classic deadlock; philosophers.pml breaks the circle.

#define N 4

mtype = { fork };
chan table[N] = [1] of { mtype };
byte eating;

proctype philosopher(byte left; byte right)
{
    do
    :: table[left]?fork;
       table[right]?fork;
       eating++;
       assert(eating <= N / 2);
       eating--;
       table[right]!fork;
       table[left]!fork
    od
}

init {
    byte i;

    atomic {
        for (i : 0 .. N - 1) { table[i]!fork }
        for (i : 0 .. N - 1) { run philosopher(i, (i + 1) % N) }
    }
}

ltl somebody_eats { [] <> (eating > 0) }
