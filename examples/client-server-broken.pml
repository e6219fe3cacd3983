// A server that talks to a client which is not listening.
// expect: violated
// finding: invalid-end-state
// states: 484
// transitions: 880
//
// After every answer the server wants to send the news to client 0. If that
// client is itself waiting to hand over a request, each waits for the other.

#define CLIENTS 2

chan request = [0] of { byte, byte };
chan reply[CLIENTS] = [0] of { byte };
chan news = [0] of { byte };

active [CLIENTS] proctype client()
{
    byte question, answer;

    do
    :: select (question : 1 .. 3);
       request!_pid, question;
       reply[_pid]?answer;
       assert(answer == 2 * question);
       if
       :: _pid == 0 -> news?_           // reads the news only here
       :: else
       fi
    od
}

active proctype server()
{
    byte who, question;

end:
    do
    :: request?who, question ->
       reply[who]!2 * question;
       news!who                         // deadlock if client 0 is asking
    od
}
