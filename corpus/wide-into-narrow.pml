// A receive into a variable that is narrower than the field of the message.
// expect: holds
// states: 10
// transitions: 12
// errors: 0
// spin: states=13 transitions=14 errors=0
// differs: (a) pan writes the cut value back into the channel when it backtracks
//
// The value is cut; the message in the channel keeps its own.

chan c = [1] of { byte, byte };

active proctype p()
{
    c!0,2
}

active proctype q()
{
    bit x;

    if
    :: c?_,x
    :: skip
    fi
}
