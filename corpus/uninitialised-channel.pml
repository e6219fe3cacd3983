// A send to a channel that was never made.
// expect: violated
// finding: runtime-error
// states: 23
// transitions: 31
// errors: 5
// spin: states=5 transitions=5 errors=3
// differs: (i) pan finds the error, too, but ends the whole search there
//
// The name must not stand for whatever channel comes first.

chan none;
chan some = [1] of { byte };

proctype p(chan c)
{
    if
    :: c!1
    :: skip
    fi
}

init
{
    run p(some);
    run p(none)
}
