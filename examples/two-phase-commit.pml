// Two-phase commit: all sites commit, or none.
// expect: holds
// states: 7652
// transitions: 23575
// ltl decided: holds
// ltl agreement: holds
//
// The coordinator asks every site for its vote, commits if all voted yes, and
// tells everybody. A site that voted no already knows that it will abort.
// Nothing is lost and nobody fails here; for a failing coordinator see
// two-phase-commit-crash.pml.

#define N 3

mtype = { prepare, yes, no, commit, abort };

chan to_site[N] = [1] of { mtype };
chan votes = [N] of { mtype };
byte committed, aborted;                // how many sites have done what

active [N] proctype site()
{
    mtype order;

    to_site[_pid]?prepare;
    if
    :: votes!yes; to_site[_pid]?order
    :: votes!no; to_site[_pid]?_; order = abort
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
    for (i : 0 .. N - 1) { to_site[i]!decision }
}

ltl decided { <> (committed + aborted == N) }
ltl agreement { [] (committed == 0 || aborted == 0) }
