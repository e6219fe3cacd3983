// An elevator that is too obliging to the floor it is at.
// expect: holds
// states: 1440
// transitions: 4151
// ltl served: violated
// ltl served fair: violated
// ltl safe: holds
//
// As long as somebody presses the button on the present floor, the door opens
// again. A child with its thumb on the button keeps the cabin there for ever:
// safe, no deadlock, and yet the call from the top floor is never answered,
// not even under fairness. Compare elevator.pml, which must move in between.

#define TOP 2

bool wanted[TOP + 1];
byte level;
bool door_open;
bool moving;

active proctype passengers()
{
    byte f;

    do
    :: select (f : 0 .. 2);
       wanted[f] = true
    od
}

active proctype cabin()
{
    bool up = true;

    do
    :: wanted[level] ->                 // this option has priority over moving
       door_open = true;
       wanted[level] = false;
       door_open = false
    :: !wanted[level] && (wanted[0] || wanted[1] || wanted[2]) ->
       if
       :: level == 0 -> up = true
       :: level == TOP -> up = false
       :: else
       fi;
       moving = true;
       assert(!door_open);
       level = (up -> level + 1 : level - 1);
       moving = false
    od
}

ltl served { [] (wanted[2] -> <> (level == 2 && door_open)) }
ltl safe { [] !(moving && door_open) }
