// The same three tasks, all with the same priority.
// expect: violated
// finding: assertion
// states: 121322
// transitions: 417107
// ltl in_order: violated
//
// Without priorities the released tasks (and the clock) run in any order. To
// say so explicitly each task lowers itself with set_priority when it starts.

#define TASKS 3

bool released[TASKS];
byte last_run;          // priority of the task that ran last in this round
bool disorder;

proctype task(byte n)
{
    byte work;

    set_priority(_pid, 1);              // everybody alike
end:
    do
    :: released[n] ->
       work = 2;
       do
       :: work > 0 -> work--
       :: else -> break
       od;
       assert(get_priority(_pid) == _priority);
       assert(_priority < last_run);
       if
       :: _priority >= last_run -> disorder = true
       :: else
       fi;
       last_run = _priority;
       released[n] = false
    od
}

init {
    byte rounds, set;

    atomic {
        run task(0) priority 10;
        run task(1) priority 20;
        run task(2) priority 30
    }
    do
    :: rounds < 2 ->
       select (set : 0 .. 7);
       d_step {                         // in the middle of a round, too
           rounds++;
           last_run = 255;
           released[0] = set & 1;
           released[1] = (set >> 1) & 1;
           released[2] = (set >> 2) & 1
       }
    :: else -> break
    od
}

ltl in_order { [] !disorder }
