// Producers and a consumer with a buffered channel between them.
// expect: holds
// states: 4747
// transitions: 12064
// ltl finished: holds
//
// The channel does all the waiting: a send blocks when it is full, a receive
// when it is empty. Every producer sends its items in order, and the consumer
// checks that it gets each producer's items in that order, none lost, none
// twice. `xr` promises that only the consumer receives from the channel.

#define PRODUCERS 2
#define ITEMS 3

chan buffer = [2] of { byte, byte };    // producer, item
byte consumed;

active [PRODUCERS] proctype producer()
{
    byte i;

    for (i : 1 .. ITEMS) { buffer!_pid, i }
}

active proctype consumer()
{
    byte who, item;
    byte seen[PRODUCERS];

    xr buffer;
    do
    :: consumed < PRODUCERS * ITEMS ->
       buffer?who, item;
       assert(item == seen[who] + 1);
       seen[who] = item;
       consumed++
    :: else -> break
    od;
    assert(empty(buffer))
}

ltl finished { <> (consumed == PRODUCERS * ITEMS) }
