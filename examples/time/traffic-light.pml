/* A crossing with real timers: each direction has green for GREEN slices, then yellow for YELLOW; a car that enters at the last
 * moment of yellow needs CLEAR slices to leave. Safe iff the other direction waits for PAUSE > CLEAR slices: -DPAUSE=2 is not */
#include "dtime.h"
#ifndef GREEN
#define GREEN 4
#endif
#ifndef YELLOW
#define YELLOW 1
#endif
#ifndef CLEAR
#define CLEAR 2
#endif
#ifndef PAUSE
#define PAUSE (CLEAR+1)
#endif
timer light = OFF, car[2] = OFF;
#if !defined(__STARWHEEL__) && !defined(ABSTRACT)
active proctype Timers() { end: do :: dt_go(light>=0||car[0]>=0||car[1]>=0)
	dt_m = 32767; dt_look(light); dt_look(car[0]); dt_look(car[1]); dt_best;
	dt_down(light); dt_down(car[0]); dt_down(car[1]); dt_m = 0 } od }
#endif
bit turn; bool open; byte crossing[2];
active proctype Light()
{	do
	:: open = true; delay(light,GREEN); delay(light,YELLOW); open = false;
		delay(light,PAUSE); turn = 1-turn
	od
}
proctype Car(bit way)
{	do
	:: delay(car[way],1)                            /* nobody comes in this slice */
	:: atomic { open && turn == way -> crossing[way]++; assert(crossing[1-way] == 0) };
		delay(car[way],CLEAR);
		crossing[way]--; delay(car[way],1)
	od
}
active proctype Start() { atomic { run Car(0); run Car(1) } }
