// A shared counter that loses updates.
// expect: violated
// finding: assertion
// states: 2681
// transitions: 4758
// ltl all_counted: violated
//
// Two processes read the same value, both add one, both write the same result.

#define N 2
#define TIMES 3

byte counter;
byte done;

active [N] proctype adder()
{
    byte i, t;

    for (i : 1 .. TIMES) {
        t = counter;                    // somebody may come in between
        t++;
        counter = t
    }
    done++
}

active proctype judge()
{
    (done == N);
    assert(counter == N * TIMES)
}

ltl all_counted { <> (counter == N * TIMES) }
