// Leader election on a one-way ring (after Chang and Roberts).
// expect: holds
// states: 1673
// transitions: 5310
// ltl elected: holds
// ltl at_most_one: holds
//
// Every node sends its own identity to its right neighbour. An identity that
// is larger than the node's own is passed on, a smaller one is swallowed. The
// identity that comes back to its owner has met no larger one: the owner is
// the leader, and sends the news round.
//
// Checked: exactly one leader, it has the largest identity, everybody learns
// its name, and the election always comes to an end.

#define N 5

mtype = { candidate, leader };

chan link[N] = [N] of { mtype, byte };  // link[i] leads to node i
byte id[N] = { 2, 5, 1, 4, 3 };
byte leaders;

active [N] proctype node()
{
    byte right = (_pid + 1) % N;
    byte who;

    link[right]!candidate(id[_pid]);
    do
    :: link[_pid]?candidate(who) ->
       if
       :: who > id[_pid] -> link[right]!candidate(who)
       :: who < id[_pid]                // swallowed
       :: who == id[_pid] ->
          leaders++;
          assert(leaders == 1);
          assert(who == N);
          link[right]!leader(who)
       fi
    :: link[_pid]?leader(who) ->
       assert(who == N);
       if
       :: who != id[_pid] -> link[right]!leader(who)
       :: else
       fi;
       break
    od
}

ltl elected { <> (leaders == 1) }
ltl at_most_one { [] (leaders <= 1) }
