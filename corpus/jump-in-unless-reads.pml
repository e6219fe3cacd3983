// What an escape reads is not dead where only jumps stand under it.
// expect: holds
// states: 15
// transitions: 23
// errors: 0
// spin: states=15 transitions=23 errors=0
//
// Symptom in an early version of ours with `--merge off`, and in SPIN with `-o3`: nobody
// seems to read `x` once it is 5, so it is set to zero, and the assertion fails.

byte g;

active proctype Look()
{
    byte x;

    x = 5;
    {
        if
        :: goto over
        :: goto over
        fi
    } unless { g; assert(x == 5) };
over:
    skip
}

active proctype Set()
{
    g = 1
}
