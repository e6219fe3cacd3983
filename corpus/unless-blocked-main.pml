// An escape out of a statement that waits for ever.
// expect: holds
// states: 8
// transitions: 10
// errors: 0
// spin: states=8 transitions=10 errors=0
//
// Without the escape the process would be stuck.

chan c = [1] of { byte };
byte x;

active proctype p()
{
    c?1 unless { x == 1 };
    assert(x == 1)
}

active proctype q()
{
    x = 1
}
