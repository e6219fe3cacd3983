//! Whether merged steps are what single steps are when they are taken one after the other.
//!
//! Merging follows SPIN's procedure ([`super::optimise`]), and faults of that procedure gave wrong verdicts more than once: a state
//! that can be reached was left without its steps. So nobody takes its word for it. The automaton with merged steps must have, in
//! each state that can be reached in it, the same ways to begin a step as the automaton with single steps; each step must be the
//! only way on from every state that it passes, must end where the single steps end, and keep control if the last of them does.
//! That what is passed is nobody else's business is for the optimisation to know.

use super::automaton::Automaton;
use super::flow::MOST_JUMPS;
use starwheel_model::{LocId, SkipKind, Stmt, TransId, Transition};

/// True if it is so.
pub fn follows(merged: &Automaton, single: &Automaton) -> bool {
    let mut met = vec![false; merged.locs.len()];
    let mut todo = vec![merged.start];
    while let Some(at) = todo.pop() {
        if std::mem::replace(&mut met[at.index()], true) {
            continue;
        }
        let (ours, theirs) = (&merged.locs[at.index()].out, &single.locs[at.index()].out);
        if ours.len() != theirs.len() {
            return false;
        }
        for (&ours, &theirs) in ours.iter().zip(theirs) {
            let (ours, chain) = merged.step(ours);
            if !passes(ours, chain, single.step(theirs).0, single) {
                return false;
            }
            todo.push(ours.to);
        }
    }
    merged.start == single.start
}

/// Whether a step passes the single steps that begin with another one.
fn passes(step: &Transition, chain: &[LocId], first: &Transition, single: &Automaton) -> bool {
    if (step.from, step.escape) != (first.from, first.escape) {
        return false;
    }
    let mut last = first;
    for &statement in chain {
        let Some(next) = single.jumps_from(last.to).find(|next| next.from == statement) else { return false };
        last = next;
    }
    // Jumps may be steps of their own here and there; what comes behind them all is the same.
    let keeps = |step: &Transition, at| single.jumps_from(at).take_while(jumps).any(|jump| jump.atomic == step.atomic);
    single.rest(step.to) == single.rest(last.to) && (step.atomic == last.atomic || keeps(step, last.to))
}

impl Automaton {
    /// A step by its number, and the elements of the statements that were merged into it.
    fn step(&self, id: TransId) -> (&Transition, &[LocId]) {
        let index = id.index() - self.first as usize;
        (&self.transitions[index], &self.chains[index])
    }

    /// The jumps that lead on from a state as the only way there is, and the step behind them, if it is the only one, too.
    fn jumps_from(&self, at: LocId) -> impl Iterator<Item = &Transition> {
        let only = |at: LocId| match self.locs[at.index()].out[..] {
            [only] => Some(self.step(only).0),
            _ => None,
        };
        std::iter::successors(only(at), move |step| only(Some(*step).filter(jumps)?.to)).take(MOST_JUMPS)
    }

    /// The state behind all jumps.
    fn rest(&self, at: LocId) -> LocId {
        self.jumps_from(at).take_while(jumps).last().map_or(at, |jump| jump.to)
    }
}

/// True for a jump or a join that is a step of its own.
fn jumps(step: &&Transition) -> bool {
    matches!(&step.stmt, Stmt::Skip(kind) if *kind != SkipKind::Skip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_model::{Expr, Location, ProctypeId};

    /// An automaton of so many states, from the first one on: from where, to where, keeping control, merged with these.
    fn automaton(states: usize, steps: &[(u16, u16, bool, &[u16])]) -> Automaton {
        let mut a = Automaton {
            start: LocId(1),
            locs: vec![Location::default(); states],
            transitions: Vec::new(),
            first: 7,
            chains: Vec::new(),
            errors: Vec::new(),
        };
        for &(from, to, atomic, chain) in steps {
            a.locs[from as usize].out.push(TransId(a.first + a.transitions.len() as u32));
            a.chains.push(chain.iter().copied().map(LocId).collect());
            a.transitions.push(Transition {
                proctype: ProctypeId(0),
                from: LocId(from),
                to: LocId(to),
                stmt: Stmt::Guard(Expr::constant(1)),
                atomic,
                escape: 0,
                resets: Vec::new(),
                span: Default::default(),
                merged: Vec::new(),
            });
        }
        a
    }

    #[test]
    fn merged_steps_are_single_steps_in_a_row() {
        let single = automaton(6, &[(1, 2, true, &[]), (2, 3, false, &[]), (3, 4, false, &[]), (3, 5, false, &[])]);
        let fits = |steps: &[(u16, u16, bool, &[u16])]| follows(&automaton(6, steps), &single);
        let rest: [(u16, u16, bool, &[u16]); 2] = [(3, 4, false, &[]), (3, 5, false, &[])];
        assert!(fits(&[(1, 3, false, &[2]), rest[0], rest[1]]));
        // A state that is reached has lost a step, or all of them.
        assert!(!fits(&[(1, 3, false, &[2]), rest[0]]) && !fits(&[(1, 3, false, &[2])]));
        // It ends elsewhere, keeps control, passes a state with two ways on, or statements that do not follow.
        assert!(!fits(&[(1, 4, false, &[2]), rest[0], rest[1]]));
        assert!(!fits(&[(1, 3, true, &[2]), rest[0], rest[1]]));
        assert!(!fits(&[(1, 4, false, &[2, 3])]));
        assert!(!fits(&[(1, 3, false, &[3]), rest[0], rest[1]]));
    }
}
