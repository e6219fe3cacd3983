// A small model with one process that ends and two that go on.
// expect: holds
// ltl f: violated
// ltl f fair: violated
// states: 36
// transitions: 109
// errors: 0
// spin: states=36 transitions=109 errors=0
//
// Symptom in SPIN with fairness (-f): the search goes on down to the depth
// limit, whatever that is, in a space of less than a hundred states (z).

byte b;

active proctype P0() { byte x; x = 1 - x; skip }

active proctype P1() { do :: b = 1; skip od }

active proctype P2()
{
    byte x;
    do
    :: (b == 1)
    :: atomic { skip; x = 1 - x }; b = x
    od
}

ltl f { <> [] (b == 1) }
