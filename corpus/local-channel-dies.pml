// A channel that was declared inside a process dies with it.
// expect: violated
// finding: runtime-error
// states: 9
// transitions: 10
// errors: 1
// spin: states=5 transitions=5 errors=1
// differs: (i) pan finds the error, too, but ends the whole search there
//
// Later use is an error that ends the path.

chan box = [1] of { chan };

proctype owner()
{
    chan mine = [1] of { byte };

    box!mine
}

init
{
    chan c;

    run owner();
    box?c;
    c!5
}
