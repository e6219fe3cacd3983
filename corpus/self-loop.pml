// A loop whose only step is `skip`.
// expect: holds
// states: 3
// transitions: 6
// errors: 0
// spin: refused
// differs: (u) pan refuses to search a model with such a loop
//
// It is an ordinary step from a state to itself.

byte x;

active proctype p()
{
    do
    :: skip
    od
}

active proctype q()
{
    x = 1
}
