// A formula with the operator "next".
// expect: holds
// states: 9
// transitions: 12
// errors: 0
// ltl p: violated
// spin: refused
// differs: (o) the operator is an option when SPIN is built, and the package of Debian is built without it
//
// Symptom in SPIN where it is built in: partial-order reduction stays on although
// it does not preserve such formulas, and the violation is missed (o).

byte x;

active proctype b()
{
    x = 1
}

active proctype a()
{
    byte l;

    l = 1;
    l = 2
}

ltl p { X (x == 0) }
