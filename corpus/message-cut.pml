// Values are cut to the width of the message field.
// expect: holds
// states: 13
// transitions: 13
// errors: 0
// spin: states=13 transitions=13 errors=0
//
// A channel with one field of type bit is an exception: it keeps a whole byte.

chan b = [1] of { byte };
chan s = [1] of { short };
chan t = [1] of { bit, bool };
chan o = [1] of { bit };

active proctype p()
{
    short n;

    b!-1;
    b?255;
    b!300;
    b?44;
    s!40000;
    s?n;
    assert(n == -25536);
    t!2,3;
    t?0,1;
    o!2;
    o?2
}
