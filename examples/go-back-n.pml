// Sliding window, go-back-N: several frames under way at once.
// expect: holds
// states: 111628
// transitions: 338037
//
// The sender may have WINDOW frames unacknowledged. An acknowledgement says
// which frame the receiver expects next, and so covers all earlier ones. When
// the sender grows impatient it goes back to the first unacknowledged frame.
// Both channels may lose messages.
//
// Frames carry a sequence number modulo MODULUS, which must be larger than
// the window (see go-back-n-broken.pml). The contents count to a larger bound,
// so that the receiver can tell whether it was deceived.

#define WINDOW 2
#define MODULUS 3
#define CONTENTS 6      // a multiple of MODULUS

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
