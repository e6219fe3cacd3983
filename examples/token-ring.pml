// A token ring: whoever has the token may work.
// expect: holds
// states: 68
// transitions: 157
// ltl one_at_work: holds
// ltl goes_round: holds
//
// The token is handed on by rendezvous. There is one token, so there is at
// most one at work, and it goes round for ever: no fairness is needed, since
// nobody can do anything but pass it on.

#define N 4

mtype = { token };
chan link[N] = [0] of { mtype };
byte working;

active [N] proctype station()
{
    byte right = (_pid + 1) % N;

    if
    :: _pid == 0 -> goto have           // the first one starts with the token
    :: else
    fi;
again:
    link[_pid]?token;
have:
    if
    :: working++;
       assert(working == 1);
       working--
    :: skip                             // nothing to do
    fi;
    link[right]!token;
    goto again
}

ltl one_at_work { [] (working <= 1) }
ltl goes_round { [] <> station[2]@have }
