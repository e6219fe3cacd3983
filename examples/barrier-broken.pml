// A barrier that only counts, used more than once.
// expect: violated
// finding: invalid-end-state
// states: 385
// transitions: 811
//
// The last one to arrive resets the counter, and the others wait to see it at
// zero. A slow process may look too late, when a fast one has already arrived
// for the next round: it waits for a value that has come and gone.

#define N 3

byte arrived;

active [N] proctype worker()
{
    byte n;

    do
    :: d_step { arrived++; n = arrived };
       if
       :: n == N -> arrived = 0
       :: else -> (arrived == 0)        // may miss the moment
       fi
    od
}
