// A token ring in which a station may make a new token too early.
// expect: violated
// finding: assertion
// finding: invalid-end-state
// states: 820
// transitions: 2913
// ltl one_at_work: violated
//
// Station 0 thinks that the token is lost and makes a new one, although the
// old one is still under way. Then two may work at the same time, and when
// every station holds a token, nobody can pass his on.

#define N 4

mtype = { token };
chan link[N] = [0] of { mtype };
byte working;

active [N] proctype station()
{
    byte right = (_pid + 1) % N;

    if
    :: _pid == 0 -> goto have
    :: else
    fi;
again:
    if
    :: link[_pid]?token
    :: _pid == 0                        // "it must be lost": a second token
    fi;
have:
    if
    :: working++;
       assert(working == 1);
       working--
    :: skip
    fi;
    link[right]!token;
    goto again
}

ltl one_at_work { [] (working <= 1) }
