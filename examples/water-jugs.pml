// Measure four litres with a jug of three and a jug of five.
// expect: violated
// finding: assertion
// states: 74
// transitions: 133
//
// Another puzzle whose counterexample is the solution. Each step fills a jug,
// empties one, or pours from one into the other until the first is empty or
// the second is full.

#define SMALL 3
#define LARGE 5
#define GOAL 4

byte small, large;

inline pour(from, to, room)
{
    d_step {
        amount = (from < room -> from : room);
        from = from - amount;
        to = to + amount;
        amount = 0
    }
}

init {
    byte amount;

    do
    :: small < SMALL -> small = SMALL
    :: large < LARGE -> large = LARGE
    :: small > 0 -> small = 0
    :: large > 0 -> large = 0
    :: small > 0 && large < LARGE -> pour(small, large, LARGE - large)
    :: large > 0 && small < SMALL -> pour(large, small, SMALL - small)
    :: assert(large != GOAL)
    od
}
