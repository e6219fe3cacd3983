// A mailbox that is believed to be sorted.
// expect: violated
// finding: assertion
// states: 4718
// transitions: 7768
//
// A single `!` appends the letter instead of putting it in its place, so an
// urgent letter may lie behind one that can wait.

#define SENDERS 3

chan box = [2 * SENDERS] of { byte, byte };
byte sent;
byte taken;

active [SENDERS] proctype sender()
{
    byte urgency;

    select (urgency : 1 .. 3);
    box!urgency, _pid;                  // should be !!
    sent++
}

active proctype clerk()
{
    byte urgency, last;

    (sent == SENDERS);
    do
    :: nempty(box) ->
       box?urgency, _;
       assert(urgency >= last);
       last = urgency;
       taken++
    :: empty(box) -> break
    od
}
