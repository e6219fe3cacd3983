// Priority inheritance keeps a low task from holding up a high one for long.
// expect: holds
// states: 68
// transitions: 91
// ltl high_served: holds
//
// The low task and the high task share a lock. If the high task finds the
// lock taken, it lends its own priority to the owner, so that tasks in between
// cannot run before the lock is free. The owner returns to its own priority
// when it releases the lock. See priority-inversion.pml for what happens
// without.
//
// Checked: the medium task never runs while the high task waits for the lock.

#define LOW 0           // process number of the low task

bool locked;
bool high_waits;
bool wake_high, wake_medium;

active proctype low() priority 1
{
    do
    :: atomic { !locked -> locked = true };
       skip;                            // use the shared data
       locked = false;
       set_priority(_pid, 1)
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
       if
       :: locked -> set_priority(LOW, 9)
       :: else
       fi;
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
