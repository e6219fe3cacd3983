// Somebody jumps into an escape whose body nobody comes to.
// expect: violated
// finding: assertion
// states: 4
// transitions: 4
// errors: 1
// warning: unreachable-statement
// spin: states=4 transitions=4 errors=1
//
// Symptom in an early version of ours, and in SPIN unless it is told `-o3`: with merged
// steps the statements of the escape are forgotten together with the body, the process
// stays where it has jumped to, which is a valid end here, and the assertion never fails.

byte g;

active proctype Work()
{
    g = 1;
    goto Behind;
    { false } unless {
        g == 2;
end:
Behind:
        assert(false)
    }
}
