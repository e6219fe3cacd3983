// MSI cache coherence in which shared copies survive a write.
// expect: violated
// finding: assertion
// states: 6837
// transitions: 18904
// ltl one_owner: violated
//
// A write miss fetches a modified copy from its owner, but leaves copies that
// are only shared where they are. Their owners go on reading the old value.

#define N 3
#define VALUES 2

mtype = { modified, shared, invalid };

mtype copy[N] = invalid;
byte value[N];
byte memory;
byte latest;
bool bus_taken;

// Ask the other caches for the cell.
inline snoop(most)
{
    for (k : 0 .. N - 1) {
        d_step {
            if
            :: k != _pid && copy[k] == modified ->
               memory = value[k];
               copy[k] = most
            :: else                     // shared copies are forgotten
            fi
        }
    }
}

active [N] proctype cache()
{
    byte k;

    do
    :: atomic {                         // read hit
           copy[_pid] != invalid ->
           assert(value[_pid] == latest)
       }
    :: atomic {                         // write hit
           copy[_pid] == modified ->
           latest = (latest + 1) % VALUES;
           value[_pid] = latest
       }
    :: atomic { copy[_pid] == invalid && !bus_taken -> bus_taken = true };
       snoop(shared);                   // read miss
       value[_pid] = memory;
       copy[_pid] = shared;
       bus_taken = false
    :: atomic { copy[_pid] != modified && !bus_taken -> bus_taken = true };
       snoop(invalid);                  // write miss
       value[_pid] = memory;
       copy[_pid] = modified;
       bus_taken = false
    od
}

ltl one_owner { [] !(copy[0] == modified && copy[1] != invalid) }
