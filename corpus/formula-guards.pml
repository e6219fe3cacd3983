// Formulas with conditions that have a value only where another one says so.
// expect: holds
// states: 4
// transitions: 9
// errors: 0
// ltl index: holds
// ltl division: holds
// ltl denied: holds
// ltl either: holds
// ltl behind: holds
// ltl same: holds
// ltl turned: violated
// ltl later: violated
// spin: states=4 transitions=9 errors=0
//
// What a formula asks for in one state is one condition, evaluated from left to
// right as far as needed. Symptom in an early version of ours: `a[i - 1]` was
// evaluated without the `i > 0` in front of it, which was reported as an index
// out of bounds. In the last two formulas the index is out of bounds where it is
// asked for; SPIN says the same of all eight.

byte i, a[2], d;

active proctype P()
{
    do
    :: i = 1 - i
    :: d = 1 - d
    od
}

ltl index { [] ((i > 0) -> (a[i - 1] == 0)) }
ltl division { [] ((d != 0) -> (4 / d == 4)) }
ltl denied { !(<> ((i > 0) && (a[i - 1] != 0))) }
ltl either { [] ((d == 0) || (4 % d == 0)) }
ltl behind { [] ((i > 0) -> ((a[i - 1] == 0) || (<> (i == 0)))) }
ltl same { [] (((i > 0) && (a[i - 1] == 0)) <-> (i > 0)) }
ltl turned { [] ((a[i - 1] == 0) || (i == 0)) }
ltl later { [] ((i > 0) -> (<> (a[i - 1] == 1))) }
