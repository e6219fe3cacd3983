// `timeout` as a part of an expression.
// expect: holds
// states: 16
// transitions: 17
// errors: 0
// spin: states=16 transitions=17 errors=0
//
// Both kinds of blocked process wake up together, one with `timeout` negated.

byte x, y;

active proctype p()
{
    (timeout && x == 0) -> x = 1
}

active proctype q()
{
    (!timeout && x == 1) -> y = 1
}

active proctype r()
{
    (timeout || y == 5) -> assert(y == 0 || x == 1)
}
