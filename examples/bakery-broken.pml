// The bakery without the flag that says "I am choosing".
// expect: violated
// finding: assertion
// states: 72342
// transitions: 199131
// ltl mutex: violated
//
// A customer that has read the other numbers but not yet written its own is
// invisible. It can write a number that is equal to one already served, and
// go in because its process number is lower.

#define N 3

byte number[N];
byte inside;

active [N] proctype customer()
{
    byte k, max;

    for (k : 0 .. N - 1) {
        if
        :: number[k] > max -> max = number[k]
        :: else
        fi
    }
    number[_pid] = max + 1;

    for (k : 0 .. N - 1) {
        (number[k] == 0 || number[k] > number[_pid] || (number[k] == number[_pid] && k >= _pid))
    }
    inside++;
    assert(inside == 1);
    inside--;
    number[_pid] = 0
}

ltl mutex { [] (inside <= 1) }
