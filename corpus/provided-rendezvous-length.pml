// The length of a rendezvous channel in a provided clause.
// expect: holds
// states: 4
// transitions: 4
// errors: 0
// warning: rendezvous-query
// spin: states=1 transitions=1 errors=1
// differs: (kk) in pan the channel holds the message while it looks for a receiver
//
// A handshake is one step, and the channel is empty before it and after it, so
// that the receiver may always move.

chan c = [0] of { byte };

active proctype p() { c!1 }

active proctype q() provided (len(c) == 0) { c?1 }
