// Two-phase commit with a coordinator that is content with a majority.
// expect: violated
// finding: assertion
// states: 9332
// transitions: 28610
// ltl agreement: violated
//
// Two of three votes are enough for this coordinator. The site that voted no
// has aborted, the others commit: the data are no longer consistent.

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
    decision = (in_favour > N / 2 -> commit : abort);   // should be in_favour == N
    for (i : 0 .. N - 1) { to_site[i]!decision }
}

ltl agreement { [] (committed == 0 || aborted == 0) }
