// A barrier that can be used again and again (sense reversal).
// expect: holds
// states: 5352
// transitions: 13837
// ltl together: holds
//
// Nobody begins round r + 1 before everybody has finished round r. The last
// one to arrive resets the counter and flips the sense; the others wait for
// the sense of this round. So a fast process that is already in the next round
// cannot be confused with a slow one in this round.

#define N 3

byte arrived;
bool sense;
byte round[N];          // modulo 4

active [N] proctype worker()
{
    bool mine;
    byte n, k;

    do
    :: round[_pid] = (round[_pid] + 1) % 4;             // the work of one round
       mine = !mine;
       d_step { arrived++; n = arrived };
       if
       :: n == N ->
          arrived = 0;
          sense = mine
       :: else ->
          (sense == mine)
       fi;
       d_step {
           for (k : 0 .. N - 1) {
               assert(round[k] == round[_pid] || round[k] == (round[_pid] + 1) % 4)
           }
           k = 0; n = 0
       }
    od
}

ltl together { [] (round[0] == round[1] || round[0] == (round[1] + 1) % 4 || round[1] == (round[0] + 1) % 4) }
