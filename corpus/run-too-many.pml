// More than 255 processes cannot be alive at once.
// expect: violated
// finding: runtime-error
// states: 255
// transitions: 255
// errors: 1
// spin: states=127 transitions=127 errors=1
// differs: (h) pan ends the search when its state vector is full, at 126 processes
//
// The 256th `run` is an error that ends the path.

proctype child()
{
    false
}

init
{
end:
    do
    :: run child()
    od
}
