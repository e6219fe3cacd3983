// A ticket lock: fair by construction.
// expect: holds
// states: 823
// transitions: 2020
// ltl mutex: holds
// ltl no_starvation: holds
//
// Fetch-and-increment draws the next ticket; whoever leaves calls the next
// number. Since at most N tickets are out, counting modulo N is enough.

#define N 3

byte next_ticket;
byte serving;
byte inside;

active [N] proctype worker()
{
    byte mine;

    do
    :: d_step { mine = next_ticket; next_ticket = (next_ticket + 1) % N };
waiting:
       (serving == mine);
       inside++;
critical:
       assert(inside == 1);
       inside--;
       serving = (serving + 1) % N
    od
}

ltl mutex { [] (inside <= 1) }
ltl no_starvation { [] (worker[0]@waiting -> <> worker[0]@critical) }
