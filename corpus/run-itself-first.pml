// A process whose first statement starts another of its kind, up to three of them.
// expect: holds
// states: 48
// transitions: 99
// errors: 0
// spin: states=48 transitions=99 errors=0
//
// The analysis of what a newborn process is ready for once went round for ever.

byte started;
byte ended;

proctype worker()
{
    if
    :: atomic { started < 3 -> started++; run worker() }
    :: started == 3
    fi;
    ended++
}

init
{
    run worker()
}
