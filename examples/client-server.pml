// Clients and a server that meet by rendezvous.
// expect: holds
// states: 29305
// transitions: 102718
// ltl answered: violated
// ltl answered fair: violated
//
// A channel of capacity 0 stores nothing: sender and receiver take part in
// one common step. The client names itself in its request, and the server
// answers on that client's own channel. The server has an `end` label: waiting
// for the next request is a proper way to stop.
//
// `answered` says that client 1 is served when it wants to be. It does not
// hold: the server may prefer the other clients for ever.

#define CLIENTS 3

chan request = [0] of { byte, byte };   // who, question
chan reply[CLIENTS] = [0] of { byte };

active [CLIENTS] proctype client()
{
    byte question, answer;

    do
    :: select (question : 1 .. 3);
asking:
       request!_pid, question;
       reply[_pid]?answer;
answered:
       assert(answer == 2 * question)
    od
}

active proctype server()
{
    byte who, question;

end:
    do
    :: request?who, question -> reply[who]!2 * question
    od
}

ltl answered { [] (client[1]@asking -> <> client[1]@answered) }
