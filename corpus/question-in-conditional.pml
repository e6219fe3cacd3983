// A question about a channel inside a conditional expression.
// expect: refused
// refused: probe
// spin: refused

chan c = [1] of { bit };
byte x;

active proctype p()
{
    x = (empty(c) -> 1 : 2)
}
