// A trace assertion and a sorted send.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// spin: states=4 transitions=4 errors=1
// differs: (f) pan looks at the message at the end of the queue, not at the one that was sent
//
// The second message goes in front of the first.

chan q = [2] of { byte };

trace {
    q!2;
    q!1
}

active proctype p()
{
    q!!2;
    q!!1
}
