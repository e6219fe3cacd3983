/* seed 20631: Unless Blocks Rendezvous Eval Run Arrays For Assert Constants Shadow */
byte g0 = 0;
bit a0[2];
chan r0 = [0] of { byte };
init {
  byte x0;
  byte x1[2];
  (run P1(r0));
  g0 = run P2(x1[x0 % 2]);
  r0!g0;
  r0!(('a' / 3) == x0)
}
active proctype P0() {
  {
    {
      g0 = (g0 <= 0 -> a0[0] : ~'a');
      {
        r0?eval('a')
      }
    }
    unless {
      r0?0
    }
  }
  unless {
    (a0[1] + 'a') >= a0[1]
  }
}
proctype P1(chan p0) {
  byte x0 = 1;
  bool x1;
  x0 = x0;
  g0 = (2 + g0) & (2 << 2)
}
proctype P2(byte p0) {
  byte x0 = 0;
  byte x1 = 1;
  x1 = 'a' * x0;
  p0++
}
