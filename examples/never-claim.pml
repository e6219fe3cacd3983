// A property written as a never claim.
// expect: holds
// states: 7
// transitions: 15
// never: violated
//
// A never claim describes runs that must not happen. This one accepts a run
// in which, from some point on, the lamp is never lit again although somebody
// has pressed the button: the negation of "a press is always followed by
// light". The relay may miss a press for ever, so such a run exists.

bool pressed, lit;

active proctype person()
{
    do
    :: pressed = true
    od
}

active proctype relay()
{
    do
    :: pressed -> lit = true; pressed = false; lit = false
    :: pressed -> skip                  // does not notice
    od
}

never {
    do
    :: pressed && !lit -> break
    :: true
    od;
accept:
    do
    :: !lit
    od
}
