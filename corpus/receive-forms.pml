// What a receive does with its arguments: variables take, constants and eval match, `_` drops.
// expect: holds
// states: 19
// transitions: 19
// errors: 0
// spin: states=19 transitions=19 errors=0
//
// `??` takes the first match anywhere, `<>` copies, `[]` only asks.

mtype = { red, green };
chan c = [4] of { mtype, byte };
byte x, y = 2;

active proctype p()
{
    c!red(1);
    c!green(2);
    c!green,3;
    assert(!(c?[green, 2]) && c??[green, 2]);
    c?<red, x>;
    assert(x == 1 && len(c) == 3);
    c??green, x;
    assert(x == 2 && len(c) == 2);
    c?red, _;
    c!red, 9;
    x = 0;
    if
    :: c?green, eval(y) -> assert(false)
    :: c??red, eval(y) -> assert(false)
    :: c??<green, x> -> assert(x == 3 && len(c) == 2)
    fi;
    c?green, 3;
    assert(c?[red, 9]);
    c?_, x;
    assert(x == 9 && empty(c))
}
