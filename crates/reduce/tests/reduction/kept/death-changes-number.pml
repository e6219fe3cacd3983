/* seed 507: Inline ProcessWords */
byte g0;
bool g1;
inline f0(i00, i01) {
  i00 = g1;
  if
  ::
    (_nr_pr <= 2);
    (_nr_pr < 3);
    do
    ::
      (_nr_pr == 2)
    ::
      i01 = (1 >= _pid -> 2 : 2)
    ::
      skip ->
      break
    od
  ::
    g1 = 2
  ::
    (g0 >= i01)
  fi
}
active proctype P0() {
  bool x0 = 0;
  g0 = (!(g0 == g1) -> 2 : g1) - g1;
  g0++
}
active proctype P1() {
  byte x0;
  bool x1;
  true;
  g0 = x1 & 1 + 1;
  f0(g1, x1);
  if
  ::
    (_nr_pr < 3)
  ::
    ((x0 > _pid) != 0)
  fi
}
active proctype P2() {
  g1 = (g0 >> 1) * (2 - g0);
  (g0 <= 4)
}
