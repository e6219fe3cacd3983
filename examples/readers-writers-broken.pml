// Readers and writers with a gap between looking and acting.
// expect: violated
// finding: assertion
// states: 320
// transitions: 1041
// ltl exclusive: violated
//
// The reader looks whether somebody writes, and signs in one step later. A
// writer that comes in between sees no reader.

#define READERS 3
#define WRITERS 2

byte reading;
byte writing;

active [READERS] proctype reader()
{
    do
    :: (writing == 0);                  // look ...
       reading++;                       // ... and act: should be one atomic step
       assert(writing == 0);
       reading--
    od
}

active [WRITERS] proctype writer()
{
    do
    :: atomic { reading == 0 && writing == 0 -> writing++ };
       assert(writing == 1 && reading == 0);
       writing--
    od
}

ltl exclusive { [] (writing <= 1 && (writing == 0 || reading == 0)) }
