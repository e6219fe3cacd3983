// A hand-made ring buffer that two producers use without a lock.
// expect: violated
// finding: assertion
// states: 31869
// transitions: 81848
//
// Two producers may both see a free slot and write to the same one. An item is
// overwritten; the consumer then misses an item, or reads one twice.

#define PRODUCERS 2
#define ITEMS 2
#define SIZE 2

byte slot[SIZE];
byte filled;            // number of slots in use
byte in;                // where the next item goes
byte consumed;

active [PRODUCERS] proctype producer()
{
    byte i;

    for (i : 1 .. ITEMS) {
        (filled < SIZE);
        slot[in] = 10 * _pid + i;       // these three steps
        in = (in + 1) % SIZE;           // belong together
        filled++
    }
}

active proctype consumer()
{
    byte out;
    byte item;
    byte seen[PRODUCERS];

    do
    :: consumed < PRODUCERS * ITEMS ->
       (filled > 0);
       item = slot[out];
       out = (out + 1) % SIZE;
       filled--;
       assert(item % 10 == seen[item / 10] + 1);
       seen[item / 10] = item % 10;
       consumed++
    :: else -> break
    od
}
