// Go-back-N with a window as large as the number of sequence numbers.
// expect: violated
// finding: assertion
// states: 142802
// transitions: 434179
//
// Both frames arrive, both acknowledgements are lost, the sender repeats the
// first frame, and the receiver takes it for the third: they bear the same
// number. The window must be smaller than the modulus.

#define WINDOW 2        // too large
#define MODULUS 2
#define CONTENTS 4      // a multiple of MODULUS

chan frames = [2] of { byte, byte };    // sequence number, content
chan acks = [1] of { byte };            // sequence number expected next

active proctype sender()
{
    byte base;          // first unacknowledged content
    byte window;        // how many were sent from base on
    byte next;          // offset from base of the frame to send next
    byte ack, k;

    do
    :: next < WINDOW ->
       frames!(base + next) % MODULUS, (base + next) % CONTENTS;
       next++;
       if
       :: next > window -> window = next
       :: else
       fi
    :: acks?ack ->
       k = (ack + MODULUS - base % MODULUS) % MODULUS;
       if
       :: k <= window ->
          base = (base + k) % CONTENTS;
          window = window - k;
          next = (next > k -> next - k : 0)
       :: else
       fi
    :: next > 0 -> next = 0             // impatience
    od
}

active proctype receiver()
{
    byte number, content, expected;

    do
    :: frames?number, content ->
       if
       :: number == expected % MODULUS ->
          assert(content == expected);
          expected = (expected + 1) % CONTENTS
       :: else
       fi;
       acks!expected % MODULUS
    od
}

active proctype noise()
{
end:
    do
    :: frames?_, _
    :: acks?_
    od
}
