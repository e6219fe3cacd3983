//! Nested depth-first search for a cycle through an accepting state.
//!
//! The algorithm of Courcoubetis, Vardi, Wolper and Yannakakis (1992) with the improvements of Holzmann, Peled and
//! Yannakakis (1996), Gastin, Moro and Zeitoun (2004) and Schwoon and Esparza (2005): one pass over all states, and a
//! second one from each accepting state when the first one leaves it.
//!
//! | colour | meaning |
//! | --- | --- |
//! | white | not in the store (the numbers of states may have gaps) |
//! | cyan | on the stack of the first search |
//! | blue | left by the first search, not visited by the second |
//! | red | no accepting cycle that does not touch a cyan state can be reached from here |
//!
//! - First search, a step from `s` to a cyan `t`: if one of the two is accepting, the stack from `t` to `s` is the cycle.
//! - First search leaves `s`: if all its successors are red, it turns red; else if it is accepting, the second search
//!   starts from it, and it turns red; else it turns blue.
//! - Second search, a step to a cyan `t`: the cycle goes from `t` along the first stack to the accepting state where the
//!   second search began, and from there along the second stack back to `t`. Blue states turn red and are entered.

use crate::facts::{Axis, Crew, Exclusion, Facts, Method, Sequence, Sought, Stance, StoreKind};
use crate::fair::{Copies, CopyStore};
use crate::job::{Fairness, Job, Order};
use crate::monitor::Monitor;
use crate::parts::course::Course;
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::walk::{Led, Walk};
use crate::report::Report;
use starwheel_model::{Step, System};
use starwheel_reduce::Proviso;
use starwheel_store::{Inserted, StateId, StateStore};

/// A reduction must be one fixed system, which both passes see: its cycle proviso is paid by the choice. Strong fairness is
/// not a matter of copies.
pub const NESTED: Method = Method {
    name: "ndfs",
    title: "the nested depth-first search",
    order: Some(Order::Ndfs),
    facts: Facts {
        looks_for: Sought::CYCLES,
        sequences: &[Sequence::DepthFirst],
        pan_order: true,
        counts_nth: true,
        stores: &[(StoreKind::Tree, Crew::One), (StoreKind::Flat, Crew::One), (StoreKind::Dfa, Crew::One)],
        provisos: &[Proviso::LookingAhead, Proviso::ByChoice],
        fairness: &[Fairness::Weak],
        depth: Stance::Can,
        machine_code: true,
        not_together: &[
            Exclusion::unasked(Axis::Reduction, Axis::Depth, "a reduction changes what is within the limit"),
            Exclusion::hard(
                Axis::Fairness,
                Axis::Renaming,
                "a copy that waits for a process cannot tell which one it is",
            ),
        ],
        ..Facts::NONE
    },
};

/// Searches depth first, twice.
pub fn nested<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    explore(job, job.system, set, watch, 0)
}

/// The same for weakly fair runs only, which is a matter of copies of the states.
pub fn weakly_fair<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    explore(job, &Copies(job.system), CopyStore::new(set), watch, Copies::BYTES)
}

/// `trailer` is the number of bytes that the system has behind each state of the job's system.
fn explore<S: StateStore>(job: &Job<'_>, system: &dyn System, set: S, watch: &dyn Monitor, trailer: usize) -> Report {
    let limit = job.limits.depth.unwrap_or(u64::MAX);
    let mut search = Ndfs {
        ledger: Ledger::new(job, watch),
        set,
        first: Walk::over::<S>(system, limit),
        second: Walk::over::<S>(system, limit),
        marks: Vec::new(),
        all_red: Vec::new(),
    };
    let flow = search.search();
    let Ndfs { mut ledger, set, first, second, .. } = search;
    ledger.stats.max_depth = first.deepest.max(second.deepest);
    ledger.stats.state_bytes = ledger.stats.state_bytes.saturating_sub(trailer as u64);
    // A further copy of a state is no further state.
    let copies = ledger.stats.states_stored.saturating_sub(set.usage().states);
    ledger.stats.states_stored -= copies;
    ledger.stats.states_matched += copies;
    ledger.close(flow, (first.cut || second.cut).then_some(limit), &set)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colour {
    White,
    Cyan,
    Blue,
    Red,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    colour: Colour,
    accepting: bool,
}

struct Ndfs<'a, S> {
    ledger: Ledger<'a>,
    set: S,
    first: Walk<'a>,
    second: Walk<'a>,
    /// By state.
    marks: Vec<Mark>,
    /// For the stored states on the first stack: whether it is accepting, and whether all successors so far are red.
    all_red: Vec<(StateId, bool)>,
}

impl<'a, S: StateStore> Course<'a> for Ndfs<'a, S> {
    type Set = S;

    fn parts(&mut self) -> (&mut Ledger<'a>, &mut Walk<'a>, &S) {
        (&mut self.ledger, &mut self.first, &self.set)
    }

    fn arrive(&mut self) -> Flow {
        match self.set.insert(self.first.visible()) {
            Inserted::Full => self.ledger.full(),
            Inserted::Known(id) => {
                self.ledger.stats.states_matched += 1;
                self.known(id)
            }
            Inserted::New(id) => {
                self.ledger.stats.states_stored += 1;
                let accepting = self.first.accepting();
                self.mark(id, Mark { colour: Colour::Cyan, accepting });
                self.all_red.push((id, true));
                self.first.enter(id);
                if let Some(violation) = self.first.stuck() {
                    self.ledger.event(&violation, || self.first.trail())?;
                }
                if accepting && self.first.at_end() && self.ledger.stutters() {
                    let trail = self.first.trail();
                    return self.ledger.cycle(|| Some((trail.clone(), trail.len())));
                }
                Flow::Continue(())
            }
        }
    }

    fn leave(&mut self, id: StateId) -> Flow {
        let all_red = self.all_red.pop().is_some_and(|(_, all_red)| all_red);
        let accepting = self.marks[id.index()].accepting;
        if !all_red && accepting {
            self.nested(id)?;
        }
        let red = all_red || accepting;
        self.marks[id.index()].colour = if red { Colour::Red } else { Colour::Blue };
        if let Some((_, below)) = self.all_red.last_mut() {
            *below &= red;
        }
        Flow::Continue(())
    }
}

impl<S: StateStore> Ndfs<'_, S> {
    /// Marks a new state.
    fn mark(&mut self, id: StateId, mark: Mark) {
        if id.index() >= self.marks.len() {
            self.marks.resize(id.index() + 1, Mark { colour: Colour::White, accepting: false });
        }
        self.marks[id.index()] = mark;
    }

    /// The first search has come to a state that it knows.
    fn known(&mut self, id: StateId) -> Flow {
        let Mark { colour, accepting } = self.marks[id.index()];
        let Some((from, all_red)) = self.all_red.last_mut() else { return Flow::Continue(()) };
        *all_red &= colour == Colour::Red;
        if colour == Colour::Cyan && (accepting || self.marks[from.index()].accepting) {
            let first = &self.first;
            return self.ledger.cycle(|| Some((first.trail(), first.position(id)?)));
        }
        Flow::Continue(())
    }

    /// The second search, from an accepting state.
    fn nested(&mut self, seed: StateId) -> Flow {
        let depth = self.first.depth();
        self.second.begin(seed, self.first.top_own(), &self.set, depth);
        while let Some(arrival) = self.second.advance(&self.set) {
            self.ledger.tick_uncounted(self.second.depth(), &self.set)?;
            if arrival.led != Led::Stored {
                continue;
            }
            match self.set.insert(self.second.visible()) {
                Inserted::Full => return self.ledger.full(),
                Inserted::Known(id) => self.second_known(id)?,
                // Possible only if the first search was cut, or if hidden bytes matter.
                Inserted::New(id) => {
                    self.ledger.stats.states_stored += 1;
                    let accepting = self.second.accepting();
                    self.mark(id, Mark { colour: Colour::Red, accepting });
                    self.second.enter(id);
                }
            }
        }
        Flow::Continue(())
    }

    fn second_known(&mut self, id: StateId) -> Flow {
        match self.marks[id.index()].colour {
            Colour::White | Colour::Red => Flow::Continue(()),
            Colour::Blue => {
                self.marks[id.index()].colour = Colour::Red;
                self.second.enter(id);
                Flow::Continue(())
            }
            Colour::Cyan => {
                let (first, second) = (&self.first, &self.second);
                self.ledger.cycle(|| {
                    let mut trail: Vec<Step> = first.trail();
                    trail.extend(second.trail());
                    Some((trail, first.position(id)?))
                })
            }
        }
    }
}
