//! Single-decree Paxos (L. Lamport, "The part-time parliament", 1998) behind a register: three servers agree on one value, clients
//! write one value each and then read, and what they see must be linearizable. With `broken`, a leader proposes its own value even
//! if another one may have been chosen.

use starwheel::linear::{History, Register, RegisterAnswer, RegisterOperation};
use starwheel::{Draft, Model, Properties, View};
use std::collections::BTreeMap;

const SERVERS: usize = 3;
const MAJORITY: usize = SERVERS / 2 + 1;
/// What the register holds before anybody has written.
const NOTHING: char = '\0';

struct Paxos {
    clients: usize,
    broken: bool,
}

/// Parts: each server, then each client, then what is on its way to each of them, then what clients have seen.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Part {
    Server(Server),
    Client(Client),
    /// Letters, and how many of each.
    Mail(BTreeMap<Letter, u8>),
    Seen(History<RegisterOperation<char>, RegisterAnswer<char>>),
}

/// A round and who leads it.
type Ballot = (u8, u8);
/// A request, its client, and the value.
type Proposal = (u8, u8, char);
type Accepted = Option<(Ballot, Proposal)>;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Server {
    ballot: Ballot,
    proposal: Option<Proposal>,
    /// What each server has promised, and what it had accepted by then.
    promises: [Option<Accepted>; SERVERS],
    acceptors: [bool; SERVERS],
    accepted: Accepted,
    decided: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Client {
    awaits: Option<u8>,
    operations: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Letter {
    from: u8,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum What {
    Write(u8, char),
    Written(u8),
    Read(u8),
    Value(u8, char),
    Prepare(Ballot),
    Promise(Ballot, Accepted),
    Accept(Ballot, Proposal),
    Accepted(Ballot),
    Decided(Ballot, Proposal),
}

/// A letter arrives.
#[derive(Clone, PartialEq, Debug)]
struct Deliver {
    to: usize,
    letter: Letter,
}

/// What somebody sends in a step: to whom, and what.
type Outbox = Vec<(usize, What)>;

impl Paxos {
    fn mail(&self, to: usize) -> usize {
        SERVERS + self.clients + to
    }

    fn seen(&self) -> usize {
        2 * (SERVERS + self.clients)
    }

    fn request(&self, client: usize, operation: u8) -> u8 {
        operation * (SERVERS + client) as u8
    }

    /// Puts letters into the mail, and into the history what clients ask.
    fn send(&self, from: usize, letters: &Outbox, s: &mut Draft<'_, Part>) {
        for &(to, what) in letters {
            let Part::Mail(mail) = &mut s[self.mail(to)] else { unreachable!() };
            *mail.entry(Letter { from: from as u8, what }).or_default() += 1;
            let asked = match what {
                What::Write(_, value) => RegisterOperation::Write(value),
                What::Read(_) => RegisterOperation::Read,
                _ => continue,
            };
            let Part::Seen(seen) = &mut s[self.seen()] else { unreachable!() };
            seen.asks(from - SERVERS, asked);
        }
    }

    /// What a client does with a letter; false if nothing.
    fn client(&self, client: usize, what: What, state: &mut Client, out: &mut Outbox) -> bool {
        match what {
            What::Written(request) if state.awaits == Some(request) => {
                let next = self.request(client, state.operations + 1);
                out.push(((SERVERS + client + usize::from(state.operations)) % SERVERS, What::Read(next)));
                *state = Client { awaits: Some(next), operations: state.operations + 1 };
                true
            }
            What::Value(request, _) if state.awaits == Some(request) => {
                *state = Client { awaits: None, operations: state.operations + 1 };
                true
            }
            _ => false,
        }
    }

    /// What a server does with a letter; false if nothing.
    fn server(&self, own: usize, Letter { from, what }: Letter, state: &mut Server, out: &mut Outbox) -> bool {
        let from = usize::from(from);
        let others = |what: What| (0..SERVERS).filter(move |&peer| peer != own).map(move |peer| (peer, what));
        if state.decided {
            let (What::Read(request), Some((_, (_, _, value)))) = (what, state.accepted) else { return false };
            out.push((from, What::Value(request, value)));
            return true;
        }
        match what {
            What::Write(request, value) if state.proposal.is_none() => {
                state.proposal = Some((request, from as u8, value));
                state.ballot = (state.ballot.0 + 1, own as u8);
                state.promises = [None; SERVERS];
                state.promises[own] = Some(state.accepted);
                state.acceptors = [false; SERVERS];
                out.extend(others(What::Prepare(state.ballot)));
            }
            What::Prepare(ballot) if state.ballot < ballot => {
                state.ballot = ballot;
                out.push((from, What::Promise(ballot, state.accepted)));
            }
            What::Promise(ballot, accepted) if ballot == state.ballot => {
                state.promises[from] = Some(accepted);
                if state.promises.iter().flatten().count() == MAJORITY {
                    let newest = state.promises.iter().flatten().max().copied().flatten();
                    let chosen = newest.filter(|_| !self.broken).map(|(_, proposal)| proposal).or(state.proposal);
                    let proposal = chosen.expect("whoever asks for promises has a proposal");
                    state.proposal = Some(proposal);
                    state.accepted = Some((ballot, proposal));
                    state.acceptors[own] = true;
                    out.extend(others(What::Accept(ballot, proposal)));
                }
            }
            What::Accept(ballot, proposal) if state.ballot <= ballot => {
                state.ballot = ballot;
                state.accepted = Some((ballot, proposal));
                out.push((from, What::Accepted(ballot)));
            }
            What::Accepted(ballot) if ballot == state.ballot => {
                state.acceptors[from] = true;
                if state.acceptors.iter().filter(|a| **a).count() == MAJORITY {
                    state.decided = true;
                    let proposal = state.proposal.expect("whoever is accepted has proposed");
                    out.extend(others(What::Decided(ballot, proposal)));
                    out.push((usize::from(proposal.1), What::Written(proposal.0)));
                }
            }
            What::Decided(ballot, proposal) => {
                *state = Server { ballot, accepted: Some((ballot, proposal)), decided: true, ..*state };
            }
            _ => return false,
        }
        true
    }
}

impl Model for Paxos {
    type Part = Part;
    type Action = Deliver;

    fn initial(&self) -> Vec<Vec<Part>> {
        let mut parts = vec![Part::Server(Server::default()); SERVERS];
        let mut seen = History::new(self.clients);
        let mut mail = vec![BTreeMap::new(); SERVERS + self.clients];
        for client in 0..self.clients {
            let (request, value) = (self.request(client, 1), (b'A' + client as u8) as char);
            parts.push(Part::Client(Client { awaits: Some(request), operations: 1 }));
            let letter = Letter { from: (SERVERS + client) as u8, what: What::Write(request, value) };
            mail[client % SERVERS].insert(letter, 1);
            seen.asks(client, RegisterOperation::Write(value));
        }
        parts.extend(mail.into_iter().map(Part::Mail));
        parts.push(Part::Seen(seen));
        vec![parts]
    }

    fn actors(&self) -> usize {
        SERVERS + self.clients
    }

    fn actions(&self, to: usize, s: &View<'_, Part>, out: &mut Vec<Deliver>) {
        let Part::Mail(mail) = &s[self.mail(to)] else { unreachable!() };
        out.extend(mail.keys().map(|&letter| Deliver { to, letter }));
    }

    fn apply(&self, &Deliver { to, letter }: &Deliver, s: &mut Draft<'_, Part>) {
        let mut out = Outbox::new();
        let done = match s[to] {
            Part::Server(mut state) => {
                let done = self.server(to, letter, &mut state, &mut out);
                if done {
                    s.set(to, Part::Server(state));
                }
                done
            }
            Part::Client(mut state) => {
                let done = self.client(to - SERVERS, letter.what, &mut state, &mut out);
                if done {
                    s.set(to, Part::Client(state));
                }
                done
            }
            _ => unreachable!("the first parts are servers and clients"),
        };
        if !done {
            // A letter that nobody minds stays where it is.
            return s.refuse();
        }
        let Part::Mail(mail) = &mut s[self.mail(to)] else { unreachable!() };
        match mail.get_mut(&letter) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(mail.remove(&letter)),
        }
        let answer = match letter.what {
            What::Written(_) => Some(RegisterAnswer::Written),
            What::Value(_, value) => Some(RegisterAnswer::Value(value)),
            _ => None,
        };
        if let Some(answer) = answer {
            let Part::Seen(seen) = &mut s[self.seen()] else { unreachable!() };
            seen.answered(to - SERVERS, answer);
        }
        self.send(to, &out, s);
    }

    fn properties(&self, all: &mut Properties<Self>) {
        all.always("linearizable", |m, s| match &s[m.seen()] {
            Part::Seen(seen) => seen.linearizable(Register(NOTHING)),
            _ => unreachable!("the last part is the history"),
        });
        all.sometimes("a value is read", |m, s| {
            (0..m.clients).any(|client| match &s[m.mail(SERVERS + client)] {
                Part::Mail(mail) => mail.keys().any(|l| matches!(l.what, What::Value(_, value) if value != NOTHING)),
                _ => unreachable!("clients have mail"),
            })
        });
    }

    /// Letters that nobody minds stay on their way.
    fn may_end(&self, _: &View<'_, Part>) -> bool {
        true
    }
}

fn main() -> std::process::ExitCode {
    let clients = std::env::var("CLIENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    starwheel::main(Paxos { clients, broken: std::env::var_os("BROKEN").is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel::Checker;

    #[test]
    fn two_clients_see_a_register() {
        let outcome = Checker::new(&Paxos { clients: 2, broken: false }).run().expect("it can be checked");
        outcome.expect_holds();
        assert_eq!(outcome.stats.states, 16_668);
        assert!(outcome.witness("a value is read").is_some());
    }

    #[test]
    fn a_leader_that_forgets_what_others_have_accepted_is_refuted() {
        let outcome = Checker::new(&Paxos { clients: 2, broken: true }).run().expect("it can be checked");
        assert!(outcome.counterexample("linearizable").is_some(), "{outcome}");
    }
}
