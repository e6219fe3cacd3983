// Managers of copies of a data base, all alike.
// expect: holds
// states: 114
// transitions: 242
// ltl one_owner: holds
//
// One manager reserves the data base and notifies all in one step; the others
// take the notification and acknowledge it, and the first one releases the
// data base when all have. It does not matter which manager is which: with
// --symmetry auto, 13 states are stored instead of 114. Nobody owns the data
// base as long as owner is N, which is no manager (0 would be one).

#define N 4

byte owner = N;         /*@ of manager */
bool note[N];           /*@ by manager */
byte acks[N];           /*@ by manager */

/*@ symmetric */
proctype manager(byte me)
{
    byte k;
    do
    :: d_step {
           owner == N -> owner = me; k = 0;
           do
           :: k < N -> note[k] = true; k++
           :: else -> k = 0; break
           od
       };
       d_step { acks[me] == N - 1 -> owner = N; acks[me] = 0 }
    :: d_step { owner < N && note[me] -> note[me] = false };
       acks[owner]++
    od
}

init
{
    byte k;
    atomic {
        do
        :: k < N -> run manager(k); k++
        :: else -> break
        od
    }
}

ltl one_owner { [] (owner <= N) }
