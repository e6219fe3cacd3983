// The negation of a question about a channel.
// expect: refused
// refused: probe
// spin: refused
//
// There are words for it: nempty and nfull.

chan c = [1] of { bit };

active proctype p()
{
    !empty(c) -> skip
}
