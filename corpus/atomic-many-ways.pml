// An atomic sequence with far more ways through it than ends: each way counts as a step.
// expect: holds
// states: 88
// transitions: 65669
// errors: 0
// spin: states=88 transitions=65669 errors=0
//
// Nobody need follow the 2187 ways one by one from each of the states in which the sequence begins.

byte a, b, turn;

active proctype chooser()
{
    byte i;
    do
    :: atomic {
           turn == 0;
           i = 0; a = 0; b = 0;
           do
           :: i < 7 -> if :: a = (a + 1) % 7 :: b = (b + 1) % 5 :: skip fi; i++
           :: else -> break
           od;
           turn = 1
       }
    od
}

active proctype other()
{
    do
    :: turn == 1 -> turn = 0
    od
}
