// A trace assertion: the order in which channels may be used.
// expect: holds
// states: 26
// transitions: 26
//
// A trace watches the sends and receives on the channels that it names, and
// nothing else. Every event on them must fit the trace. Here requests and
// grants must alternate, and every grant must be received before the next
// request is sent.

mtype = { request, grant };

chan ask = [1] of { mtype, byte };
chan answer = [1] of { mtype };

trace {
end:
    do
    :: ask!request, _;
       ask?request, _;
       answer!grant;
       answer?grant
    od
}

active proctype user()
{
    byte n;

    do
    :: n < 4 ->
       n++;
       ask!request, n;
       answer?grant
    :: else -> break
    od
}

active proctype owner()
{
    byte n;

end:
    do
    :: ask?request, n -> answer!grant
    od
}
