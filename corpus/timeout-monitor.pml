// A monitor that can always move hides a deadlock and keeps `timeout` false.
// expect: holds
// states: 2
// transitions: 3
// errors: 0
// spin: states=2 transitions=3 errors=0
//
// This is what the language says: nothing is stuck as long as one process moves.

chan c = [1] of { bit };
bit tick;

active proctype monitor()
{
    do
    :: tick = 1 - tick
    od
}

active proctype p()
{
    c?0
}

active proctype q()
{
    timeout -> assert(false)
}
