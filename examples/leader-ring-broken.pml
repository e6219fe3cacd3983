// Leader election in which a node forgets to swallow smaller identities.
// expect: violated
// finding: assertion
// states: 4481
// transitions: 13306
// ltl at_most_one: violated
//
// Every identity travels the whole ring and comes back to its owner, so
// everybody believes to be the leader.

#define N 4

mtype = { candidate, leader };

chan link[N] = [N] of { mtype, byte };
byte id[N] = { 2, 1, 4, 3 };
byte leaders;

active [N] proctype node()
{
    byte right = (_pid + 1) % N;
    byte who;

    link[right]!candidate(id[_pid]);
    do
    :: link[_pid]?candidate(who) ->
       if
       :: who != id[_pid] -> link[right]!candidate(who)     // smaller ones too
       :: who == id[_pid] ->
          leaders++;
          assert(leaders == 1);
          link[right]!leader(who)
       fi
    :: link[_pid]?leader(who) ->
       if
       :: who != id[_pid] -> link[right]!leader(who)
       :: else
       fi;
       break
    od
}

ltl at_most_one { [] (leaders <= 1) }
