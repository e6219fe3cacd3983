// MSI cache coherence on a bus.
// expect: holds
// states: 3183
// transitions: 7402
// ltl one_owner: holds
//
// Each cache has a copy of one memory cell: Modified (the only valid copy,
// memory is old), Shared (like memory, perhaps in several caches) or Invalid.
// A hit needs no bus. A miss takes the bus, and looks at the other caches one
// by one: a modified copy is written back; before a write, all other copies
// are made invalid.
//
// `latest` is not part of the system: it remembers what was written last, so
// that every read can be checked.

#define N 3
#define VALUES 2

mtype = { modified, shared, invalid };

mtype copy[N] = invalid;
byte value[N];
byte memory;
byte latest;
bool bus_taken;

// Ask all other caches for the cell and leave their copies at most as `most`.
inline snoop(most)
{
    for (k : 0 .. N - 1) {
        d_step {
            if
            :: k != _pid && copy[k] == modified ->
               memory = value[k];
               copy[k] = most
            :: k != _pid && copy[k] == shared -> copy[k] = most
            :: else
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
