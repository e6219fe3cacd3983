// Managers of copies of a data base that forget whom they answer.
// expect: violated
// finding: invalid-end-state
// states: 110
// transitions: 222
// ltl one_owner: holds
//
// The acknowledgement is counted for the one who sends it instead of the
// owner, so the owner waits for ever. Every manager makes the same mistake:
// the model is as symmetric as the right one.

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
       acks[me]++
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
