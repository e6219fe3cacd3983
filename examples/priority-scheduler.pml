// Fixed-priority scheduling of three tasks.
// expect: holds
// states: 555
// transitions: 667
// ltl in_order: holds
//
// Among the processes that can move, only those with the highest priority do.
// A clock of the lowest priority releases any set of tasks at once; it comes
// to move again only when all tasks are idle. Then the released tasks must
// have run in descending order of priority.

#define TASKS 3

bool released[TASKS];
byte last_run;          // priority of the task that ran last in this round
bool disorder;

proctype task(byte n)
{
    byte work;

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
    :: rounds < 3 ->
       select (set : 0 .. 7);
       d_step {                         // one step: a higher task could interrupt an atomic
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
