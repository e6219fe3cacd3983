// A d_step that may have to wait in the middle: an error.
// expect: violated
// finding: runtime-error
//
// A d_step is one step. Its first statement may wait; after that it must be
// able to go on. This one takes a message first and then wants to send where
// there may be no room.

chan inbox = [1] of { byte };
chan outbox = [1] of { byte };

active proctype source()
{
    byte i;

    for (i : 1 .. 3) { inbox!i }
}

active proctype mover()
{
    byte m;

end:
    do
    :: d_step { inbox?m -> outbox!m }   // the outbox may be full
    od
}
