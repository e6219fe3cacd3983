// The alternating bit protocol with a receiver that ignores the bit.
// expect: violated
// finding: assertion
// states: 2010
// transitions: 5353
//
// When an acknowledgement is lost or late the sender repeats its message, and
// the receiver takes the repetition for a new one.

#define CONTENTS 3

chan forth = [1] of { byte, bit };
chan back = [1] of { bit };

active proctype sender()
{
    byte content;
    bit b, ack;

    do
    :: forth!content, b
    :: back?ack ->
       if
       :: ack == b ->
          b = 1 - b;
          content = (content + 1) % CONTENTS
       :: else
       fi
    od
}

active proctype receiver()
{
    byte content, expected;
    bit b;

    do
    :: forth?content, b ->
       assert(content == expected);     // should be done only for the wanted bit
       expected = (expected + 1) % CONTENTS;
       back!b
    od
}

active proctype noise()
{
end:
    do
    :: forth?_, _
    :: back?_
    od
}
