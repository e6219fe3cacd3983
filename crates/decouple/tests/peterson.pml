/* Peterson's algorithm for N processes, with a condition that waits for one process after the other. */
byte level[N], last[N], inside;
active [N] proctype contender() {
    byte r, q;
restart:
    r = 0;
    do
    :: r < N-1 ->
        level[_pid] = r;
        last[r] = _pid;
        q = 0;
        do
        :: q == _pid -> q++
        :: q != _pid ->
            if
            :: q < N -> (level[q] < r || last[r] != _pid); q++
            :: q >= N -> break
            fi
        od;
        r++
    :: else -> break
    od;
    inside++;
    assert(inside == 1);
    inside--;
    level[_pid] = 0;
    goto restart
}
