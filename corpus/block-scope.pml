// The same name in two blocks is two variables.
// expect: holds
// states: 19
// transitions: 19
// errors: 0
// spin: states=19 transitions=19 errors=0
//
// Each of them begins with 0, in each round.

byte n;

active proctype p()
{
    do
    :: n < 2 ->
       {
           byte x;

           assert(x == 0);
           x = 3
       }
       {
           byte x;

           assert(x == 0);
           x = 4
       }
       n++
    :: else -> break
    od
}
