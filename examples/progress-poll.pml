// Progress labels: waiting in circles without doing anything useful.
// expect: holds
// states: 24
// transitions: 49
// progress: violated
// progress fair: holds
//
// The poller asks again and again whether there is work. A run in which it
// does nothing else is a non-progress cycle. It exists if the worker may be
// forgotten for ever, and does not exist under weak fairness.

byte work;

active proctype source()
{
    do
    :: work < 3 ->
progress_made:
       work++
    :: work == 3 -> work = 0
    od
}

active proctype poller()
{
    do
    :: work == 3 -> skip
    :: work != 3 -> skip
    od
}
