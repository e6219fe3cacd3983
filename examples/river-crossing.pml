// The farmer, the wolf, the goat and the cabbage.
// expect: violated
// finding: assertion
// states: 177
// transitions: 265
// ltl impossible: violated
//
// A puzzle solved by a model checker: claim that the solution does not exist,
// and the counterexample is the solution. The boat takes the farmer and at
// most one passenger. Without the farmer, the wolf eats the goat and the goat
// eats the cabbage, so only crossings that leave a safe bank are allowed.
//
// Search breadth first for the shortest solution: seven crossings.

#define FARMER 0
#define WOLF 1
#define GOAT 2
#define CABBAGE 3

bool far[4];            // far[x]: x is on the other bank

#define goat_safe (far[GOAT] == far[FARMER] || (far[WOLF] != far[GOAT] && far[CABBAGE] != far[GOAT]))
#define all_across (far[FARMER] && far[WOLF] && far[GOAT] && far[CABBAGE])

// The farmer crosses with passenger x, or alone if x is the farmer.
inline cross(x)
{
    d_step {
        far[FARMER] = !far[FARMER];
        if
        :: x != FARMER -> far[x] = far[FARMER]
        :: else
        fi
    }
}

init {
    byte who;

    do
    :: select (who : 0 .. 3);
       if
       :: far[who] == far[FARMER] ->
          cross(who);
          if
          :: goat_safe
          :: else -> goto eaten
          fi;
          assert(!all_across)
       :: else
       fi
    od;
eaten:
    skip                                // this way leads nowhere
}

ltl impossible { [] !all_across }
