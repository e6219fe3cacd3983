// Two-phase commit when the coordinator may fail.
// expect: violated
// finding: invalid-end-state
// states: 29903
// transitions: 96293
// ltl agreement: holds
// ltl decided: violated
// ltl decided fair: violated
//
// The known weakness: a site that has voted yes cannot decide alone. If the
// coordinator stops before telling everybody, such a site waits for ever.
// The protocol stays safe (`agreement`) but it blocks.

#define N 3

mtype = { prepare, yes, no, commit, abort };

chan to_site[N] = [1] of { mtype };
chan votes = [N] of { mtype };
byte committed, aborted;

active [N] proctype site()
{
    mtype order;

    to_site[_pid]?prepare;
    if
    :: votes!yes; to_site[_pid]?order
    :: votes!no; order = abort          // knows the outcome already
    fi;
    if
    :: order == commit -> committed++
    :: order == abort -> aborted++
    fi;
    assert(committed == 0 || aborted == 0)
}

active proctype coordinator()
{
    byte i, in_favour;
    mtype vote, decision;

    for (i : 0 .. N - 1) { to_site[i]!prepare }
    for (i : 1 .. N) {
        votes?vote;
        if
        :: vote == yes -> in_favour++
        :: else
        fi
    }
    decision = (in_favour == N -> commit : abort);
    for (i : 0 .. N - 1) {
        if
        :: to_site[i]!decision
        :: goto crashed
        fi
    }
crashed:
    skip
}

ltl agreement { [] (committed == 0 || aborted == 0) }
ltl decided { <> (committed + aborted == N) }
