// A claim that is reduced together with the system, step by step.
// expect: holds
// states: 3
// transitions: 6
// errors: 0
// ltl p_later: violated
// never: violated
// spin: states=3 transitions=6 errors=0
//
// Symptom in SPIN: with its default reduction the answer is "errors: 0", without
// it "errors: 1". The claim accepts every run in which p is false at least once
// and then true for ever, so it does not count steps; but it counts them inside,
// even and odd. The idle process alone is enough as long as it closes no loop of
// the product, and where it does, the claim happens to be in the wrong one of its
// two states: the step of q is tried only there (dd).

bool p;

active proctype idle()
{
    byte y;

    end: do :: y == 0 od
}

active proctype q()
{
    p = true
}

never
{
    if
    :: !p -> goto even
    :: !p -> goto odd
    fi;
even:
    if
    :: !p -> goto odd
    fi;
odd:
    if
    :: !p -> goto even
    :: p -> goto accept
    fi;
accept:
    if
    :: p -> goto accept
    fi
}

ltl p_later { p || [] (!p) || [] (p -> <> (!p)) }
