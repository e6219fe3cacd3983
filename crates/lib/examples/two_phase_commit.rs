//! Two-phase commit: a transaction manager and those who must all commit or all abort, as in J. Gray and L. Lamport, "Consensus
//! on transaction commit" (2006). With `broken`, the manager commits before everybody has said that it is prepared.

use starwheel::{Draft, Model, Properties, View};

struct TwoPhaseCommit {
    /// How many have to agree.
    members: usize,
    broken: bool,
}

/// Part 0 is the manager and what it has said to all; then there is one part for each member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    Manager { decided: Option<Decision>, said: Option<Decision> },
    Member { state: State, says_prepared: bool, heard: bool },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Decision {
    Commit,
    Abort,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum State {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Action {
    Decide(Decision),
    HearPrepared(usize),
    Prepare(usize),
    GiveUp(usize),
    Obey(usize, Decision),
}

impl Part {
    fn manager(&self) -> (Option<Decision>, Option<Decision>) {
        match *self {
            Part::Manager { decided, said } => (decided, said),
            Part::Member { .. } => unreachable!("part 0 is the manager"),
        }
    }

    fn member(&self) -> (State, bool, bool) {
        match *self {
            Part::Member { state, says_prepared, heard } => (state, says_prepared, heard),
            Part::Manager { .. } => unreachable!("only part 0 is the manager"),
        }
    }
}

fn state(s: &View<'_, Part>, member: usize) -> State {
    s[1 + member].member().0
}

impl Model for TwoPhaseCommit {
    type Part = Part;
    type Action = Action;

    fn initial(&self) -> Vec<Vec<Part>> {
        let member = Part::Member { state: State::Working, says_prepared: false, heard: false };
        let mut parts = vec![member; self.members + 1];
        parts[0] = Part::Manager { decided: None, said: None };
        vec![parts]
    }

    /// The members, and the manager last.
    fn actors(&self) -> usize {
        self.members + 1
    }

    fn actions(&self, actor: usize, s: &View<'_, Part>, out: &mut Vec<Action>) {
        let (decided, said) = s[0].manager();
        if actor < self.members {
            if state(s, actor) == State::Working {
                out.extend([Action::Prepare(actor), Action::GiveUp(actor)]);
            }
            out.extend(said.map(|decision| Action::Obey(actor, decision)));
        } else if decided.is_none() {
            let enough = if self.broken { self.members - 1 } else { self.members };
            let members = || (0..self.members).map(|m| (m, s[1 + m].member()));
            if members().filter(|(_, (_, _, heard))| *heard).count() >= enough {
                out.push(Action::Decide(Decision::Commit));
            }
            out.push(Action::Decide(Decision::Abort));
            out.extend(members().filter(|(_, m)| m.1).map(|(member, _)| Action::HearPrepared(member)));
        }
    }

    fn apply(&self, &action: &Action, s: &mut Draft<'_, Part>) {
        let mut become_ = |member: usize, new: State| {
            let Part::Member { state, says_prepared, .. } = &mut s[1 + member] else { unreachable!() };
            *state = new;
            *says_prepared |= new == State::Prepared;
        };
        match action {
            Action::Prepare(member) => become_(member, State::Prepared),
            Action::GiveUp(member) => become_(member, State::Aborted),
            Action::Obey(member, Decision::Commit) => become_(member, State::Committed),
            Action::Obey(member, Decision::Abort) => become_(member, State::Aborted),
            Action::Decide(decision) => s[0] = Part::Manager { decided: Some(decision), said: Some(decision) },
            Action::HearPrepared(member) => {
                let Part::Member { heard, .. } = &mut s[1 + member] else { unreachable!() };
                *heard = true;
            }
        }
    }

    fn properties(&self, all: &mut Properties<Self>) {
        let every = |wanted: State| move |m: &Self, s: &View<'_, Part>| (0..m.members).all(|i| state(s, i) == wanted);
        all.always("consistent", |m, s| {
            let any = |wanted: State| (0..m.members).any(|i| state(s, i) == wanted);
            !(any(State::Aborted) && any(State::Committed))
        });
        all.sometimes("all commit", every(State::Committed));
        all.sometimes("all abort", every(State::Aborted));
    }

    /// Whoever has been told obeys again and again, so the system never ends.
    fn may_end(&self, _: &View<'_, Part>) -> bool {
        true
    }
}

fn main() -> std::process::ExitCode {
    let members = std::env::var("MEMBERS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    starwheel::main(TwoPhaseCommit { members, broken: std::env::var_os("BROKEN").is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel::Checker;

    #[test]
    fn commits_or_aborts_as_one() {
        for (members, states) in [(3, 288), (5, 8_832)] {
            let outcome = Checker::new(&TwoPhaseCommit { members, broken: false }).run().expect("it can be checked");
            outcome.expect_holds();
            assert_eq!(outcome.stats.states, states);
        }
    }

    #[test]
    fn the_broken_twin_is_refuted_with_a_shortest_run() {
        let outcome =
            Checker::new(&TwoPhaseCommit { members: 2, broken: true }).bfs().run().expect("it can be checked");
        let trail = outcome.expect_violated("consistent");
        assert_eq!(trail.len(), 5, "{trail}");
    }
}
