// An elevator that sweeps up and down.
// expect: holds
// states: 1914
// transitions: 5453
// ltl served: violated
// ltl served fair: holds
// ltl safe: holds
//
// Passengers press buttons at will. The cabin serves the floor it is at if
// somebody wants it, then moves on one floor if another floor is wanted, and
// turns round only at the top and at the bottom.
//
// Checked: it never moves with the door open, and a call is always answered
// (provided that the cabin gets its turns).

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
    :: (wanted[0] || wanted[1] || wanted[2]);
       if
       :: wanted[level] ->
          door_open = true;
          wanted[level] = false;
          door_open = false
       :: else
       fi;
       if
       :: wanted[0] || wanted[1] || wanted[2] ->
          if
          :: level == 0 -> up = true
          :: level == TOP -> up = false
          :: else
          fi;
          moving = true;
          assert(!door_open);
          level = (up -> level + 1 : level - 1);
          moving = false
       :: else
       fi
    od
}

ltl served { [] (wanted[2] -> <> (level == 2 && door_open)) }
ltl safe { [] !(moving && door_open) }
