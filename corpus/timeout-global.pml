// `timeout` is true only when no process at all can move.
// expect: holds
// states: 10
// transitions: 10
// errors: 0
// spin: states=10 transitions=10 errors=0
//
// The watch sees all three additions, whatever the order.

byte x;

active proctype watch()
{
    timeout -> assert(x == 3); x = 4
}

active proctype work()
{
    x++;
    x++;
    x++;
    x == 4
}
