// The alternating bit protocol over lossy channels.
// expect: holds
// states: 1992
// transitions: 5384
// ltl live_when_losses_stop: holds
// ltl live: violated
// ltl live fair: violated
//
// The sender repeats a message until its acknowledgement arrives. One bit on
// each message tells a new message from a repetition. A separate process, the
// noise, steals messages from both channels; it may give up at any time.
//
// The contents count 0, 1, 2, 0, ... so that the receiver notices a lost or
// repeated message. Delivery goes on for ever if the losses stop
// (`live_when_losses_stop`): with room for one message in each channel nobody
// can run ahead of the others for long. If the losses go on, it may stop.

#define CONTENTS 3

chan forth = [1] of { byte, bit };      // content, bit
chan back = [1] of { bit };             // the bit acknowledged
bool quiet;                             // no more losses

active proctype sender()
{
    byte content;
    bit b, ack;

    do
    :: forth!content, b                 // for the first time or again
    :: back?ack ->
       if
       :: ack == b ->
          b = 1 - b;
          content = (content + 1) % CONTENTS
       :: else                          // acknowledges an older one
       fi
    od
}

active proctype receiver()
{
    byte content, expected;
    bit b, wanted;

    do
    :: forth?content, b ->
       if
       :: b == wanted ->
deliver:  assert(content == expected);
          expected = (expected + 1) % CONTENTS;
          wanted = 1 - wanted
       :: else                          // a repetition
       fi;
       back!b
    od
}

active proctype noise()
{
end:
    do
    :: forth?_, _
    :: back?_
    :: quiet = true; break
    od
}

ltl live_when_losses_stop { <> quiet -> [] <> receiver@deliver }
ltl live { [] <> receiver@deliver }
