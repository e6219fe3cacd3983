// An elevator in a hurry: it may leave with the door open.
// expect: violated
// finding: assertion
// states: 3406
// transitions: 9531
// ltl safe: violated
//
// When another call comes in while the door is open, this controller skips
// the step that closes the door.

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
          if
          :: wanted[0] || wanted[1] || wanted[2]        // hurry: door not closed
          :: else -> door_open = false
          fi
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

ltl safe { [] !(moving && door_open) }
