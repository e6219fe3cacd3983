// Traffic lights that look at each other instead of passing a right.
// expect: violated
// finding: assertion
// states: 25
// transitions: 45
// ltl safe: violated
//
// Each light waits until the other one is red and then turns green. Both can
// see red at the same moment.

mtype:colour = { red, yellow, green };

mtype:colour north = red;
mtype:colour east = red;

inline cycle(lamp, other)
{
    (other == red);                     // not enough
    lamp = green;
    assert(other == red);
    lamp = yellow;
    lamp = red
}

active proctype north_light()
{
    do
    :: cycle(north, east)
    od
}

active proctype east_light()
{
    do
    :: cycle(east, north)
    od
}

ltl safe { [] (north == red || east == red) }
