// Workers that walk about on a board of W times H fields of their own, 100,000 situations each, and seldom meet.
// check --decouple --no-deadlock

#ifndef W
#define W 1000
#endif
#ifndef H
#define H 100
#endif
#ifndef N
#define N 3
#endif

byte phase, sum;

active [N] proctype worker()
{
    short x, y;

    do
    :: x < W - 1 -> x++
    :: x > 0 -> x--
    :: y < H - 1 -> y++
    :: y > 0 -> y--
    :: phase < 4 && x == W - 1 && y == H - 1 -> phase++; x = 0
    :: phase >= 4 && y == 0 -> sum = (sum + 1) % 6; y = phase
    od
}
