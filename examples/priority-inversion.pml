// Priority inversion: a medium task holds up a high one.
// expect: violated
// finding: assertion
// states: 38
// transitions: 59
// ltl high_served: violated
//
// The low task holds the lock when the high and the medium task are woken. The
// high task waits for the lock, the medium one runs for as long as it likes,
// and the low one, which alone could release the lock, does not get to run.
// priority-inheritance.pml has the remedy.

bool locked;
bool high_waits;
bool wake_high, wake_medium;

active proctype low() priority 1
{
    do
    :: atomic { !locked -> locked = true };
       skip;                            // use the shared data
       locked = false
    od
}

active proctype medium() priority 5
{
end:
    do
    :: wake_medium ->
       assert(!high_waits);
       if
       :: skip                          // goes on computing
       :: wake_medium = false
       fi
    od
}

active proctype high() priority 9
{
end:
    do
    :: wake_high ->
       high_waits = true;
       atomic { !locked -> locked = true; high_waits = false };
       locked = false;
       wake_high = false
    od
}

active proctype device() priority 1
{
    do
    :: wake_high = true
    :: wake_medium = true
    :: d_step { wake_high = true; wake_medium = true }
    od
}

ltl high_served { [] (wake_high -> <> !wake_high) }
