// Two players who move in turn: `provided`.
// expect: holds
// states: 41
// transitions: 49
// ltl alternate: holds
// ltl ends: holds
//
// The condition after `provided` holds back every step of the process, not
// only its first one. The players take one, two or three matches from a heap;
// whoever takes the last one loses. The first player answers with a number
// that makes four together with the opponent's, and so always wins from a
// heap of 1 + 4k + r after taking r. (An inline is text: without the brackets
// round `n`, `heap - 4 - taken` would take too many.)

byte heap = 12;
byte turn;
byte taken;             // by the last move
bool over;
byte loser;

inline take(n)
{
    atomic {
        heap = heap - (n);
        taken = (n);
        if
        :: heap == 0 -> loser = _pid; over = true
        :: else
        fi;
        turn = 1 - turn
    }
}

active proctype clever() provided (turn == 0)
{
    take(3);                            // leaves 9 = 1 + 4 * 2
    do
    :: over -> break
    :: !over -> take(4 - taken)
    od;
    turn = 1                            // let the other one end as well
}

active proctype lucky() provided (turn == 1)
{
    do
    :: over -> break
    :: !over && heap >= 3 -> take(3)
    :: !over && heap >= 2 -> take(2)
    :: !over -> take(1)
    od;
    assert(loser == 1);
    turn = 0                            // likewise
}

ltl alternate { [] (turn <= 1) }
ltl ends { <> over }
