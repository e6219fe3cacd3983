// A formula that reads a variable of a process which is of another type until its number is known.
// expect: holds
// states: 5
// transitions: 5
// errors: 0
// ltl p: violated
// spin: states=5 transitions=5 errors=0
//
// As long as `who` is 0 it means M, which has no such variable; pan reads what lies in that place (mt).

byte who;

active proctype M()
{
    who = run W()
}

proctype W()
{   bool ready;
    ready = 1
}

ltl p { <> (W[who]:ready) }
