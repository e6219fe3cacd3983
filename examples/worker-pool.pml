// Processes made on demand, and channels sent in messages.
// expect: holds
// states: 248
// transitions: 524
// ltl all_served: holds
//
// Every client has a channel of its own and sends it along with its question.
// The dispatcher starts a new worker for each question and gives it the
// client's channel, so that the answer goes back without passing through the
// dispatcher. Workers end when they have answered; `_nr_pr` is the number of
// processes that exist.

#define CLIENTS 2

chan desk = [1] of { byte, chan };
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
    chan mine = [1] of { byte };
    byte answer;

    desk!question, mine;
    mine?answer;
    assert(answer == question * question);
    served++
}

init {
    byte i;

    atomic {
        for (i : 1 .. CLIENTS) { run client(i + 1) }
    }
    (_nr_pr == 2);                      // only the dispatcher and this one are left
    assert(served == CLIENTS)
}

ltl all_served { <> (served == CLIENTS) }
