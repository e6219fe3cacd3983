// A label at the start of an option, in front of atomic sequences.
// expect: holds
// states: 6
// transitions: 13
// errors: 0
// accept: violated
// spin: states=6 transitions=13 errors=0
//
// The label marks the state behind the option's first step. Symptom in an early version
// of ours: with merged statements that is a state which is met, without them it is one
// in the middle of the sequence, so that the verdict depended on `--merge`.

byte x;

active proctype P()
{
    do
    :: accept: atomic { atomic { x < 3 -> x = (x + 1) % 3; x = (x + 1) % 3; x = (x + 2) % 3 } }
    od
}

active proctype Q()
{
    byte y;

    do
    :: y = 1 - y
    od
}
