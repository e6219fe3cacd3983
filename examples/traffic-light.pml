// Traffic lights at a crossing of two roads.
// expect: holds
// states: 10
// transitions: 11
// ltl safe: holds
// ltl north_gets_green: holds
//
// Each road has a light with its own process. The right to leave red is passed
// from one light to the other by rendezvous, and only while both are red. A
// light goes through green and yellow, and passes the right on.

mtype:colour = { red, yellow, green };

mtype:colour north = red;
mtype:colour east = red;
chan pass[2] = [0] of { bit };

inline cycle(lamp, other)
{
    lamp = green;
    assert(other == red);
    lamp = yellow;
    lamp = red
}

active proctype north_light()
{
    do
    :: cycle(north, east);
       pass[1]!1;
       pass[0]?1
    od
}

active proctype east_light()
{
    do
    :: pass[1]?1;
       cycle(east, north);
       pass[0]!1
    od
}

ltl safe { [] (north == red || east == red) }
ltl north_gets_green { [] <> (north == green) }
