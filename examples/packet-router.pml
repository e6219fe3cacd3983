// Packets that find their way through three routers.
// expect: holds
// states: 1767
// transitions: 3725
// ltl arrives: holds
//
// Records inside records, a record as a message, arrays of records, and the
// loop `for (i in table)` over the indexes of an array. Every packet carries
// the number of hops that it may still take; a packet that has none left is
// dropped, which must not happen here.

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

ltl arrives { <> (delivered == 2) }
