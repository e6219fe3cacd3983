// A for loop over the messages of a channel.
// expect: holds
// states: 23
// transitions: 23
// errors: 0
// spin: states=23 transitions=23 errors=0
//
// Each message is seen once and the channel is as before.

typedef msg { byte x, y };
chan c = [3] of { msg };
byte n;

active proctype p()
{
    msg m;

    m.x = 1; m.y = 2;
    c!m;
    m.x = 3; m.y = 4;
    c!m;
    for (m in c) {
        n = n + m.x * m.y
    }
    assert(n == 14 && len(c) == 2);
    c?m;
    assert(m.x == 1 && m.y == 2)
}
