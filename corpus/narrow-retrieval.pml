// A receive from anywhere in a channel into a variable that is narrower than the field.
// expect: holds
// states: 15
// transitions: 21
// errors: 0
// spin: states=25 transitions=35 errors=5
// differs: (a) pan writes the cut value back into the channel when it backtracks
//
// As `wide-into-narrow`, but with `??`. There is never a 0 in the channel; pan reports the assertion all the same.

chan c = [1] of { byte };

active proctype p()
{
	c!2;
	if
	:: c?[0] -> assert(false)
	:: else
	fi
}

active proctype q()
{
	bit x;

	if
	:: c??x
	:: skip
	fi
}
