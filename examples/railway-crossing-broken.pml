// A railway crossing whose controller does not count the trains.
// expect: violated
// finding: assertion
// states: 310
// transitions: 760
// ltl safe: violated
//
// The gate opens when a train has left, although another one may be on the
// second track: a well-known kind of accident.

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
    do
    :: report?near ->
       gate_down = true;
       (!car);
       cleared++
    :: report?gone ->
       gate_down = false                // and the other track?
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

ltl safe { [] (crossing == 0 || (gate_down && !car)) }
