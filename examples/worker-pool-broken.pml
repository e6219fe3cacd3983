// Clients that share one channel for their answers.
// expect: violated
// finding: assertion
// states: 425
// transitions: 916
//
// The clients send the same channel along with their questions. An answer is
// then taken by whoever is faster, and may be the answer to another question.

#define CLIENTS 2

chan desk = [1] of { byte, chan };
chan answers = [CLIENTS] of { byte };   // should be one for each client
byte served;

proctype worker(byte question; chan reply)
{
    reply!question * question
}

active proctype dispatcher()
{
    byte question;
    chan reply;

end:
    do
    :: desk?question, reply -> run worker(question, reply)
    od
}

proctype client(byte question)
{
    byte answer;

    desk!question, answers;
    answers?answer;
    assert(answer == question * question);
    served++
}

init {
    byte i;

    atomic {
        for (i : 1 .. CLIENTS) { run client(i + 1) }
    }
    (_nr_pr == 2);
    assert(served == CLIENTS)
}
