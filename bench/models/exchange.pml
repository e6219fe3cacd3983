/* A telephone exchange: each of N subscribers may call one of the two who follow, be called, talk and hang up. All they know stands in
 * tables of the exchange, under the number of a partner who may be anybody, so every step may meddle with every other one: there is
 * nothing to be left out. Size: -DN=3, 4, 5. */
#ifndef N
#define N 4
#endif

mtype = { resting, dialling, waiting, ringing, talking, refused };
mtype line[N] = resting;
byte peer[N];

active [N] proctype subscriber()
{
    byte other;

    do
    ::  atomic { line[_pid] == resting -> line[_pid] = dialling }
    ::  atomic { line[_pid] == dialling -> if :: other = (_pid + 1) % N :: other = (_pid + 2) % N fi;
                 if
                 ::  line[other] == resting ->
                     line[other] = ringing; peer[other] = _pid; peer[_pid] = other; line[_pid] = waiting
                 ::  else -> line[_pid] = refused
                 fi;
                 other = 0 }
    ::  atomic { line[_pid] == ringing -> line[_pid] = talking; line[peer[_pid]] = talking }
    ::  atomic { line[_pid] == waiting -> line[peer[_pid]] = resting; line[_pid] = resting }
    ::  atomic { line[_pid] == talking -> line[peer[_pid]] = refused; line[_pid] = resting }
    ::  atomic { line[_pid] == refused -> line[_pid] = resting }
    od
}
