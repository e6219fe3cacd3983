// Dining philosophers who take their forks in a fixed order.
// expect: holds
// states: 206
// transitions: 498
// ltl somebody_eats: holds
//
// A fork is a channel with one message in it while it lies on the table.
// Everybody takes the fork with the lower number first, so the last one at
// the table reaches across: a circle of waiting cannot close.

#define N 4

mtype = { fork };
chan table[N] = [1] of { mtype };
byte eating;

proctype philosopher(byte first; byte second)
{
    do
    :: table[first]?fork;
       table[second]?fork;
       eating++;
       assert(eating <= N / 2);
       eating--;
       table[second]!fork;
       table[first]!fork
    od
}

init {
    byte i;

    atomic {
        for (i : 0 .. N - 1) { table[i]!fork }
        for (i : 0 .. N - 2) { run philosopher(i, i + 1) }
        run philosopher(0, N - 1)
    }
}

ltl somebody_eats { [] <> (eating > 0) }
