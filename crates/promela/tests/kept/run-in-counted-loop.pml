// Two processes that start others in loops that count.
// expect: holds
// states: 6168
// transitions: 15804
// errors: 0
// spin: states=6168 transitions=15804 errors=0
//
// Nobody can see their numbers, and there are few of them, so that their ends are put off for nobody: 212 states by default. An early
// version of ours took such loops for endless and visited 25 times as many.

byte n, m;

proctype A() { n = 0 }
proctype B() { m = 0 }

active proctype P()
{   byte i;
    do
    :: i < 3 -> n = 1; run A(); n == 0; i++
    :: else -> break
    od
}

active proctype Q()
{   byte i;
    do
    :: i < 3 -> m = 1; run B(); m == 0; i++
    :: else -> break
    od
}
