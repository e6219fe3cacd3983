// Readers and writers: many may read, or one may write.
// expect: holds
// states: 116
// transitions: 449
// ltl exclusive: holds
// ltl writer_gets_in: violated
// ltl writer_gets_in fair: violated
//
// A condition and the change that depends on it are one atomic step: that is
// what a monitor would give. Readers are preferred, so a writer can starve
// even under fairness, when readers overlap for ever.

#define READERS 3
#define WRITERS 2

byte reading;
byte writing;

active [READERS] proctype reader()
{
    do
    :: atomic { writing == 0 -> reading++ };
       assert(writing == 0);
       reading--
    od
}

active [WRITERS] proctype writer()
{
    do
    :: skip;
waiting:
       atomic { reading == 0 && writing == 0 -> writing++ };
critical:
       assert(writing == 1 && reading == 0);
       writing--
    od
}

ltl exclusive { [] (writing <= 1 && (writing == 0 || reading == 0)) }
ltl writer_gets_in { [] (writer[READERS]@waiting -> <> writer[READERS]@critical) }
