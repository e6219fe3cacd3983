// A ticket lock whose tickets are not drawn atomically.
// expect: violated
// finding: assertion
// finding: invalid-end-state
// states: 32107
// transitions: 85441
// ltl mutex: violated
//
// Two processes may read the same ticket before either of them moves the
// counter on. Both are then served at the same time.

#define N 3

byte next_ticket;
byte serving;
byte inside;

active [N] proctype worker()
{
    byte mine;

    do
    :: mine = next_ticket;
       next_ticket = (mine + 1) % N;    // too late: somebody may have the same ticket
       (serving == mine);
       inside++;
       assert(inside == 1);
       inside--;
       serving = (serving + 1) % N
    od
}

ltl mutex { [] (inside <= 1) }
