// An accept label in a process: find a run that passes it for ever.
// expect: holds
// states: 7
// transitions: 8
// accept: violated
//
// Without a formula, a label that begins with `accept` marks a state that must
// not be visited infinitely often. Here the label marks a retry. The line may
// fail every time, so there is a run that retries for ever.

mtype = { data, ack, nak };
chan line = [1] of { mtype };
chan back = [1] of { mtype };

active proctype sender()
{
    do
    :: line!data;
       if
       :: back?ack -> break
       :: back?nak ->
accept_retry:
          skip
       fi
    od
}

active proctype receiver()
{
end:
    do
    :: line?data ->
       if
       :: back!ack
       :: back!nak
       fi
    od
}
