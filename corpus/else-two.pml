// Two `else` in one selection.
// expect: refused
// refused: second-else
// spin: refused
//
// Which of them would be taken?

active proctype p()
{
    if
    :: else -> skip
    :: else -> skip
    fi
}
