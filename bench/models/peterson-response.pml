/* Peterson's mutual exclusion for N processes with filter levels, and a response property: whoever wants to get in gets
 * in at last. It holds for fair schedulers only. Size: -DN=2, 3, 4.
 */
#include "peterson.pml"

ltl response { [] (reached[0] > 0 -> <> (reached[0] == 0)) }
ltl exclusion { [] (critical <= 1) }
