// A lock-free stack with a version number on its top.
// expect: holds
// states: 5904
// transitions: 10960
//
// To pop, a process reads the top and its successor, and then swings the top
// to the successor with compare-and-swap: only if the top is still the same.
// "The same" includes a version that grows with every change; without it the
// stack suffers from the ABA problem (lock-free-stack-broken.pml).
//
// The nodes are numbered 1, 2, 3, and 0 is the end of the list. A process that
// has popped a node owns it until it is pushed back.

#define NODES 3

byte top = 1;
byte version;
byte next[NODES + 1] = { 0, 2, 3, 0 };
bool owned[NODES + 1];

inline pop(node)
{
    do
    :: d_step { node = top; v = version };
       if
       :: node == 0 -> break
       :: else
       fi;
       s = next[node];
       d_step {
           if
           :: top == node && version == v -> top = s; version++; ok = true
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
       d_step { s = top; v = version };
       next[node] = s;
       d_step {
           if
           :: top == s && version == v -> top = node; version++; ok = true
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
    byte a, b, s, v;
    bool ok;

    pop(a);
    push(a);
    pop(a);
    pop(b)
}

active proctype two()
{
    byte a, b, s, v;
    bool ok;

    pop(a);
    pop(b);
    push(a)                             // keeps b
}
