// A declaration in the middle of a body takes its value there.
// expect: holds
// states: 21
// transitions: 21
// errors: 0
// spin: states=21 transitions=21 errors=0
//
// In a loop it does so in each round, without an initial value as well.

byte rounds;

active proctype p()
{
    byte a = 2;

    a = 4;
    byte b = a;
    assert(b == 4);
    do
    :: rounds < 3 ->
       byte x;
       assert(x == 0);
       x = rounds + 1;
       rounds++
    :: else -> break
    od
}
