/* seed 1889: Goto Buffered Eval Inline ProcessWords */
byte g0;
bit g1;
byte g2 = 1;
chan c0 = [1] of { bool };
inline f0(i00) {
  c0!(2 * i00) & 1;
  c0!(g0 == g2)
}
inline f1(i10) {
  c0!1
}
active proctype P0() {
  bool x0 = 1;
  goto L0;
  L0:
  g1 = g1 & 3;
  if
  ::
    (_nr_pr == 3)
  ::
    g2 + g0 <= 0;
    f0(g1)
  ::
    else
  fi
}
active proctype P1() {
  c0!1;
  g2 = !_pid;
  ((g2 > g1) == 2);
  L0:
  g1 = !g1
}
active proctype P2(byte p0; byte p1) {
  byte x0;
  byte x1 = _pid;
  L1:
  g1++;
  if
  ::
    p1 = 1
  ::
    else ->
    L0:
    skip
  fi;
  f1(g1);
  c0?p0
}
