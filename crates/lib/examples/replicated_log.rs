//! A replicated log with changing leaders, after D. Ongaro and J. Ousterhout, "In search of an understandable consensus algorithm"
//! (2014): what is committed is never lost. With `broken`, the longest log wins an election, whoever wrote its last entry.

use starwheel::{Draft, List, Model, Properties, View};

struct ReplicatedLog {
    nodes: usize,
    /// The most entries, and the most elections.
    entries: usize,
    terms: u8,
    broken: bool,
}

/// Part 0 is who leads and in which term; then there is a log for each node, and last what was committed. An entry is the term in
/// which it was written. Logs share what they have in common, so a longer one costs its last entry.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Part {
    Leader { node: usize, term: u8 },
    Log(List<u8>),
}

#[derive(Clone, PartialEq, Debug)]
enum Action {
    Append,
    Commit,
    /// The node copies the leader's next entry.
    Copy(usize),
    /// The node drops an entry that the leader does not have.
    Drop(usize),
    /// The node is elected.
    Lead(usize),
}

impl ReplicatedLog {
    fn log<'a>(&self, s: &View<'a, Part>, node: usize) -> &'a List<u8> {
        match s.part(1 + node) {
            Part::Log(log) => log,
            Part::Leader { .. } => unreachable!("only part 0 is the leader"),
        }
    }

    fn leader(&self, s: &View<'_, Part>) -> (usize, u8) {
        match s[0] {
            Part::Leader { node, term } => (node, term),
            Part::Log(_) => unreachable!("part 0 is the leader"),
        }
    }

    fn majority(&self, agrees: impl Fn(usize) -> bool) -> bool {
        (0..self.nodes).filter(|&node| agrees(node)).count() > self.nodes / 2
    }

    /// Whether a node votes for a log: it must be as new as its own.
    fn votes(&self, own: &List<u8>, other: &List<u8>) -> bool {
        match self.broken {
            true => other.len() >= own.len(),
            false => (other.first(), other.len()) >= (own.first(), own.len()),
        }
    }
}

impl Model for ReplicatedLog {
    type Part = Part;
    type Action = Action;

    fn initial(&self) -> Vec<Vec<Part>> {
        let mut parts = vec![Part::Log(List::new()); self.nodes + 2];
        parts[0] = Part::Leader { node: 0, term: 1 };
        vec![parts]
    }

    fn actors(&self) -> usize {
        self.nodes
    }

    fn actions(&self, node: usize, s: &View<'_, Part>, out: &mut Vec<Action>) {
        let (leader, term) = self.leader(s);
        let (own, led) = (self.log(s, node), self.log(s, leader));
        if node == leader {
            if own.len() < self.entries {
                out.push(Action::Append);
            }
            // An entry of an earlier term is committed only with one of this term: a newer log may replace it otherwise.
            let current = self.broken || own.first() == Some(&term);
            if current && self.majority(|n| self.log(s, n).extends(own)) && !self.log(s, self.nodes).extends(own) {
                out.push(Action::Commit);
            }
            return;
        }
        if !led.extends(own) {
            out.push(Action::Drop(node));
        } else if led.len() > own.len() {
            out.push(Action::Copy(node));
        }
        if term < self.terms && self.majority(|n| self.votes(self.log(s, n), own)) {
            out.push(Action::Lead(node));
        }
    }

    fn apply(&self, action: &Action, s: &mut Draft<'_, Part>) {
        let Part::Leader { node: leader, term } = s[0] else { unreachable!() };
        let Part::Log(led) = s[1 + leader].clone() else { unreachable!() };
        let log = |s: &Draft<'_, Part>, node: usize| match &s[1 + node] {
            Part::Log(log) => log.clone(),
            Part::Leader { .. } => unreachable!(),
        };
        match *action {
            Action::Append => s.set(1 + leader, Part::Log(led.pushed(term))),
            Action::Commit => s.set(1 + self.nodes, Part::Log(led)),
            Action::Copy(node) => s.set(1 + node, Part::Log(led.first_pushed(log(s, node).len() + 1))),
            Action::Drop(node) => s.set(1 + node, Part::Log(log(s, node).rest())),
            Action::Lead(node) => s.set(0, Part::Leader { node, term: term + 1 }),
        }
    }

    fn properties(&self, all: &mut Properties<Self>) {
        all.always("the leader has what is committed", |m, s| {
            let (leader, _) = m.leader(s);
            let (led, committed) = (m.log(s, leader), m.log(s, m.nodes));
            led.extends(committed)
        });
        all.proposition("all committed", |m, s| m.log(s, m.nodes).len() == m.entries);
    }

    fn may_end(&self, s: &View<'_, Part>) -> bool {
        let first = self.log(s, 0);
        (1..self.nodes).all(|node| self.log(s, node) == first)
    }
}

fn main() -> std::process::ExitCode {
    let number =
        |name: &str, otherwise: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (nodes, entries, terms) = (number("NODES", 3), number("ENTRIES", 3), number("TERMS", 4) as u8);
    starwheel::main(ReplicatedLog { nodes, entries, terms, broken: std::env::var_os("BROKEN").is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel::Checker;

    fn log(entries: usize, terms: u8, broken: bool) -> ReplicatedLog {
        ReplicatedLog { nodes: 3, entries, terms, broken }
    }

    #[test]
    fn nothing_that_is_committed_is_lost() {
        Checker::new(&log(3, 4, false)).run().expect("it can be checked").expect_holds();
    }

    #[test]
    fn the_longest_log_may_lack_what_is_committed() {
        let outcome = Checker::new(&log(3, 4, true)).bfs().run().expect("it can be checked");
        let trail = outcome.expect_violated("the leader has what is committed");
        assert!(trail.actions().iter().filter(|a| matches!(a, Action::Lead(_))).count() >= 2, "{trail}");
    }

    /// One leader, one follower: all interleavings of appending, copying and committing. The number of states is cubic in the
    /// length of the log, and what one of them takes in the store must not grow.
    #[test]
    fn a_long_log_makes_no_state_larger() {
        let bytes = |entries| {
            let model = ReplicatedLog { nodes: 2, entries, terms: 1, broken: false };
            let outcome = Checker::new(&model).workers(1).run().expect("it can be checked");
            outcome.expect_holds();
            (outcome.stats.store_bytes as f64 / outcome.stats.states as f64, outcome.stats.parts)
        };
        let ((short, _), (long, parts)) = (bytes(30), bytes(90));
        assert!(long <= short * 1.5, "{short} bytes a state, then {long}");
        assert!(parts < 200, "{parts}");
    }
}
