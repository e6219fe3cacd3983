// Peterson's algorithm with its first two statements swapped.
// expect: violated
// finding: assertion
// states: 98
// transitions: 187
// ltl mutex: violated
//
// The turn is given away before the flag goes up. One process can then look
// at a flag that is not up yet, enter, and be followed by the other one, to
// which the turn already belongs. Swapping two "independent" assignments is
// exactly what an optimising compiler or a processor may do.

bool want[2];
byte turn;
byte inside;

active [2] proctype worker()
{
    byte other = 1 - _pid;

    do
    :: turn = other;            // wrong order: should follow the next line
       want[_pid] = true;
       (!want[other] || turn == _pid);
       inside++;
critical:
       assert(inside == 1);
       inside--;
       want[_pid] = false
    od
}

ltl mutex { [] !(worker[0]@critical && worker[1]@critical) }
