// A user that asks again before it has taken the grant.
// expect: violated
// finding: trace
//
// Nothing in this model deadlocks and no assertion fails, but the events on
// the channels do not come in the order that the trace prescribes.

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
    ask!request, 1;
    ask!request, 2;                     // impatient
    answer?grant;
    answer?grant
}

active proctype owner()
{
    byte n;

end:
    do
    :: ask?request, n -> answer!grant
    od
}
