// Bubble sort on an array of records, for all inputs.
// expect: holds
// states: 4653
// transitions: 4653
// ltl sorted_in_the_end: holds
//
// The keys are chosen at will with `select`, so that one check covers every
// input. Each record remembers its first place; that shows that the sort is
// stable: equal keys keep their order.

#define N 4

typedef record {
    byte key;
    byte origin
};

record a[N];
bool done;

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
            :: a[j].key > a[j + 1].key -> swap(j, j + 1)
            :: else
            fi
        }
    }
    for (i : 0 .. N - 2) {
        assert(a[i].key <= a[i + 1].key);
        assert(a[i].key < a[i + 1].key || a[i].origin < a[i + 1].origin)
    }
    done = true
}

ltl sorted_in_the_end { <> done }
