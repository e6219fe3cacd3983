// Routers whose tables send a packet in circles.
// expect: violated
// finding: assertion
// states: 1945
// transitions: 3973
//
// Router 1 believes that net 2 is reached through router 0, and router 0 that
// it is reached through router 1. The packet travels between them until it has
// no hops left.

#define N 3

typedef address { byte net; byte host };
typedef packet { address from; address to; byte hops };
typedef row { byte via[N] };

row table[N];           // table[r].via[d]: where router r sends packets for net d
chan port[N] = [1] of { packet };
byte delivered;

proctype router(byte me)
{
    packet p;

end:
    do
    :: port[me]?p ->
       if
       :: p.to.net == me ->
          assert(p.to.host == p.from.host + 1);
          delivered++
       :: else ->
          assert(p.hops > 0);
          if
          :: p.hops == 0 -> goto end    // dropped
          :: else
          fi;
          p.hops--;
          port[table[me].via[p.to.net]]!p
       fi
    od
}

init {
    packet p;
    byte r, d;

    for (r in table) {
        for (d : 0 .. N - 1) { table[r].via[d] = (r + 1) % N }
    }
    table[1].via[2] = 0;                // should be 2
    atomic {
        for (r : 0 .. N - 1) { run router(r) }
    }
    for (r : 1 .. 2) {
        select (d : 0 .. 2);
        p.from.net = 0;
        p.from.host = r;
        p.to.net = d;
        p.to.host = r + 1;
        p.hops = N - 1;
        port[0]!p
    }
}
