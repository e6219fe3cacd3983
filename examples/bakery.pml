// Lamport's bakery: take a number, the lowest number is served first.
// expect: holds
// states: 69309
// transitions: 185008
// ltl mutex: holds
//
// Numbers are chosen without any atomic operation, so two customers may draw
// the same one; then the lower process number goes first. While somebody is
// choosing, the others wait for the choice. Numbers would grow without limit
// if customers came back for ever, so each one comes only once.

#define N 3

bool choosing[N];
byte number[N];         // 0 = not in the shop
byte inside;

active [N] proctype customer()
{
    byte k, max;

    choosing[_pid] = true;
    for (k : 0 .. N - 1) {
        if
        :: number[k] > max -> max = number[k]
        :: else
        fi
    }
    number[_pid] = max + 1;
    choosing[_pid] = false;

    for (k : 0 .. N - 1) {
        (!choosing[k]);
        (number[k] == 0 || number[k] > number[_pid] || (number[k] == number[_pid] && k >= _pid))
    }
    inside++;
    assert(inside == 1);
    inside--;
    number[_pid] = 0
}

ltl mutex { [] (inside <= 1) }
