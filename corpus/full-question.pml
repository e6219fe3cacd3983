// Polls and questions about buffered channels.
// expect: holds
// states: 9
// transitions: 9
// errors: 0
// spin: states=9 transitions=9 errors=0

chan c = [2] of { byte };

active proctype p()
{
    assert(empty(c) && nfull(c));
    c!1;
    assert(nempty(c) && nfull(c) && len(c) == 1);
    c!2;
    assert(full(c) && nempty(c));
    assert(c?[1]);
    assert(c?[1] && !(c?[2]) && c??[2])
}
