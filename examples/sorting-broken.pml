// Bubble sort that compares with "not smaller" instead of "larger".
// expect: violated
// finding: assertion
// states: 4767
// transitions: 4767
//
// The result is still sorted, but records with equal keys change places: the
// sort is no longer stable.

#define N 4

typedef record {
    byte key;
    byte origin
};

record a[N];

inline swap(x, y)
{
    d_step {
        help.key = a[x].key;  help.origin = a[x].origin;
        a[x].key = a[y].key;  a[x].origin = a[y].origin;
        a[y].key = help.key;  a[y].origin = help.origin;
        help.key = 0;         help.origin = 0
    }
}

init {
    record help;
    byte i, j, k;

    for (i : 0 .. N - 1) {
        select (k : 1 .. 3);
        a[i].key = k;
        a[i].origin = i
    }
    for (i : 1 .. N - 1) {
        for (j : 0 .. N - 1 - i) {
            if
            :: a[j].key >= a[j + 1].key -> swap(j, j + 1)
            :: else
            fi
        }
    }
    for (i : 0 .. N - 2) {
        assert(a[i].key <= a[i + 1].key);
        assert(a[i].key < a[i + 1].key || a[i].origin < a[i + 1].origin)
    }
}
