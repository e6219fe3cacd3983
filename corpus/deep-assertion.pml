// An assertion that fails after two hundred steps.
// expect: violated
// finding: assertion
// states: 204
// transitions: 204
// errors: 1
// spin: states=204 transitions=204 errors=1
//
// Symptom in SPIN: a search that was cut at a depth of fifty ends with
// "errors: 0" and exit status 0 (p). A search that was cut must say so.

byte n;

active proctype p()
{
    do
    :: n < 100 -> n++
    :: else -> break
    od;
    assert(false)
}
