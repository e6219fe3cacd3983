// A mailbox with sorted send and random receive.
// expect: holds
// states: 63968
// transitions: 161896
// ltl emptied: holds
//
// `box!!m` puts a message in front of the first larger one, so the box is
// always sorted. `box??m` takes the first message that matches, wherever it is;
// `box??[m]` only asks whether there is one; `box?<m>` reads without taking.
//
// The clerk first takes the letters of sender 2, in order of urgency, and then
// the others. It finds them sorted, whatever the order in which they came.

#define SENDERS 3

chan box = [2 * SENDERS] of { byte, byte };     // urgency (1 = most urgent), sender
byte sent;
byte taken;

active [SENDERS] proctype sender()
{
    byte urgency;

    select (urgency : 1 .. 3);
    box!!urgency, _pid;
    sent++;
    select (urgency : 1 .. 3);
    box!!urgency, _pid;
    sent++
}

active proctype clerk()
{
    byte urgency, who, last;

    (sent == 2 * SENDERS);
    do
    :: box??[urgency, 2] ->
       box??urgency, 2;
       assert(urgency >= last);
       last = urgency;
       taken++
    :: else -> break
    od;
    last = 0;
    do
    :: nempty(box) ->
       box?<urgency, who>;              // look at the first one ...
       assert(urgency >= last && who != 2);
       last = urgency;
       box?eval(urgency), eval(who);    // ... and take exactly that one
       taken++
    :: empty(box) -> break
    od;
    assert(taken == 2 * SENDERS)
}

ltl emptied { <> (taken == 2 * SENDERS) }
