// An atomic sequence whose first statement blocks is not entered.
// expect: holds
// states: 9
// transitions: 11
// errors: 0
// spin: states=9 transitions=11 errors=0
//
// The lock works only if test and set are one step.

bool busy;
byte inside;

active [2] proctype p()
{
    do
    :: atomic { !busy -> busy = true };
       inside++;
       assert(inside == 1);
       inside--;
       busy = false
    od
}
