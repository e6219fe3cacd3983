// A d_step that begins with a print, and a process that offers a message nobody takes.
// expect: holds
// states: 3
// transitions: 6
// errors: 0
// spin: states=3 transitions=5 errors=0
// differs: (y) pan executes the d_step in the middle of the handshake, and forgets the `else`
//
// The sender has no partner, so its `else` is executable in all states.

chan c = [0] of { byte };

active proctype sender()
{
end:	do
	:: c!1
	:: else
	od
}

active proctype printer()
{
	d_step { printf("hello\n"); skip }
}
