// A railway crossing with two tracks and one gate.
// expect: holds
// states: 219
// transitions: 478
// ltl gate_opens: violated
// ltl gate_opens fair: violated
// ltl safe: holds
//
// A train announces itself, waits for the signal, crosses, and reports that it
// has left. The controller counts the trains that are near; it opens the gate
// only when none is left. A car crosses only through an open gate, and the
// gate waits for a car that is on the track.
//
// `gate_opens` fails: if there is always a train near, cars wait for ever.

#define TRAINS 2

mtype = { near, gone };
chan report = [2] of { mtype };

bool gate_down;
byte crossing;          // trains on the crossing
bool car;               // a car on the crossing
byte cleared;           // trains allowed to cross

active [TRAINS] proctype train()
{
    do
    :: report!near;
       atomic { cleared > 0 -> cleared-- };
       crossing++;
       assert(gate_down && !car);
       crossing--;
       report!gone
    od
}

active proctype controller()
{
    byte trains;

    do
    :: report?near ->
       trains++;
       gate_down = true;
       (!car);
       cleared++
    :: report?gone ->
       trains--;
       if
       :: trains == 0 -> gate_down = false
       :: else
       fi
    od
}

active proctype driver()
{
    do
    :: atomic { !gate_down -> car = true };
       assert(crossing == 0);
       car = false
    od
}

ltl gate_opens { [] (gate_down -> <> !gate_down) }
ltl safe { [] (crossing == 0 || (gate_down && !car)) }
