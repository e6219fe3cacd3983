// A lock-free stack with the ABA problem.
// expect: violated
// finding: assertion
// states: 5433
// transitions: 10043
//
// One process reads that the top is node 1 and its successor is node 2, and is
// delayed. The other one pops 1 and 2 and pushes 1 back. The compare-and-swap
// of the first one sees node 1 on top, as before, and makes node 2 the new top
// although node 2 is in use. lock-free-stack.pml adds a version number.

#define NODES 3

byte top = 1;
byte next[NODES + 1] = { 0, 2, 3, 0 };
bool owned[NODES + 1];

inline pop(node)
{
    do
    :: node = top;
       if
       :: node == 0 -> break
       :: else
       fi;
       s = next[node];
       d_step {
           if
           :: top == node -> top = s; ok = true
           :: else -> ok = false
           fi
       };
       if
       :: ok ->
          assert(!owned[node]);
          owned[node] = true;
          break
       :: else
       fi
    od
}

inline push(node)
{
    do
    :: node == 0 -> break
    :: else ->
       owned[node] = false;
       s = top;
       next[node] = s;
       d_step {
           if
           :: top == s -> top = node; ok = true
           :: else -> ok = false
           fi
       };
       if
       :: ok -> break
       :: else
       fi
    od
}

active proctype one()
{
    byte a, b, s;
    bool ok;

    pop(a);
    push(a);
    pop(a);
    pop(b)
}

active proctype two()
{
    byte a, b, s;
    bool ok;

    pop(a);
    pop(b);
    push(a)                             // keeps b
}
