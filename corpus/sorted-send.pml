// A sorted send puts a message before the first larger one; all fields count.
// expect: holds
// states: 12
// transitions: 12
// errors: 0
// spin: states=12 transitions=12 errors=0
//
// Equal messages stay in the order of arrival, which nobody can see.

chan c = [5] of { byte, byte };

active proctype p()
{
    c!!2,1;
    c!!1,2;
    c!!1,1;
    c!!2,0;
    c!!1,2;
    c?1,1;
    c?1,2;
    c?1,2;
    c?2,0;
    c?2,1
}
