// A notrace assertion: an order of events that must not happen.
// expect: violated
// finding: trace
//
// A notrace describes what is forbidden: it is violated if the events on its
// channels follow it to its end. Here the pump must not be told to stop twice
// in a row. The operator and the emergency button do not know of each other,
// and both may press stop. (The `end` labels say that a run may stop there:
// it is no error if the forbidden order is not completed.)

mtype = { stop };

chan pump = [2] of { mtype };
byte halts;

notrace {
end_none:
    pump!stop;
end_once:
    pump!stop
}

active proctype operator()
{
    if
    :: pump!stop
    :: skip
    fi
}

active proctype emergency()
{
    if
    :: pump!stop
    :: skip
    fi
}

active proctype motor()
{
end:
    do
    :: pump?stop -> halts++
    od
}
