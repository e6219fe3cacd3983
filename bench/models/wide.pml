// Few levels with many states: seven counters that go round on their own, 8^7 = 2,097,152 states.
// expect: holds
#define ROUND(x) do :: x = (x + 1) % 8 od
byte a, b, c, d, e, f, g;
active proctype A() { ROUND(a) }
active proctype B() { ROUND(b) }
active proctype C() { ROUND(c) }
active proctype D() { ROUND(d) }
active proctype E() { ROUND(e) }
active proctype F() { ROUND(f) }
active proctype G() { ROUND(g) }
