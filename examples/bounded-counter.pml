// A counter shared by several processes: atomic and d_step.
// expect: holds
// states: 39797
// transitions: 124061
// ltl bounded: holds
// ltl all_counted: holds
//
// Reading the counter, computing, and writing it back is one indivisible step.
// `atomic` may contain choices and may wait; `d_step` is a single step that
// must be deterministic and must not wait after its first statement.

#define N 3
#define TIMES 3

byte counter;
byte done;

active [N] proctype adder()
{
    byte i, t;

    for (i : 1 .. TIMES) {
        if
        :: atomic { t = counter; t++; counter = t }
        :: d_step { t = counter; t++; counter = t }
        fi
    }
    done++
}

active proctype judge()
{
    (done == N);
    assert(counter == N * TIMES)
}

ltl bounded { [] (counter <= N * TIMES) }
ltl all_counted { <> (counter == N * TIMES) }
