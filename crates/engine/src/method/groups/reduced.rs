//! Partial-order reduction in the search by groups: a worker takes only some steps of a state if nobody is forgotten.
//!
//! A reduction puts the steps of a state in groups, each of which is enough unless the search goes round for ever and puts
//! off what the others could do. For what goes wrong in single steps it must be seen to that from every state that was
//! reduced there is a way to one that took all its steps (A. Valmari, "Stubborn sets for reduced state space generation",
//! 1989; D. Bošnački and G. Holzmann, "Improving SPIN's partial-order reduction for breadth-first search", 2005). The rule:
//!
//! - before a state looks at the successors of a group, it marks itself;
//! - the group is enough if one of its successors was not marked when it was inserted, or is new;
//! - a state that finds no such group takes all its steps and takes its mark away;
//! - so does, later, a state from which there is a way to one that took all its steps, where that is known
//!   ([`crate::method::groups::reaches_full`]).
//!
//! Suppose that the search is over, and follow from a state that was reduced the successor that was not marked then. Either
//! this one took all its steps, or it is known that there is a way from it to one that did (and it does not matter when that
//! became known), or it was not expanded then, was reduced later as well, and marked itself later than the first one did. So
//! the times of these marks rise, and the way ends, because there are not endlessly many states: at one that took all its
//! steps, or from which there is a way to such a state. It does not matter in which order states are taken, how many are looked at together, or who does it: of two workers that
//! mark a state each and then look at the other's, one sees a mark, because marks are written and read under a lock.
//! A step that leads nowhere never makes a group enough, as nothing of what others could do comes after it.
//!
//! Bošnački and Holzmann ask for a successor in the queue. We differ in that states which took all their steps are
//! as good as those: they carry no mark, so that a model in which nothing is reduced pays nothing for marks. A store
//! without marks takes every known state for marked, so that only new states count. The searches for cycles do not come
//! here: they need more (see `starwheel_reduce`).

use crate::method::groups::memory::{Arrived, Memory};
use crate::method::groups::reaches_full::{Ladder, Rung};
use crate::method::groups::worker::Worker;
use crate::parts::frontier::GROUP;
use crate::parts::ledger::Flow;
use starwheel_model::Step;
use starwheel_reduce::{Chooser, Reducer};
use std::sync::atomic::{Ordering, fence};

/// One worker's way to choose steps.
pub struct Selection<'a> {
    chooser: Box<dyn Chooser + 'a>,
    members: [Choice; GROUP],
    /// The marks that may be taken back.
    ladder: Ladder,
}

/// What was chosen for a member of the group that is being expanded.
#[derive(Default)]
struct Choice {
    /// All steps, in the order of the groups; kept only if there are groups.
    steps: Vec<Step>,
    /// Where each group ends.
    ends: Vec<usize>,
    /// How many steps have been taken.
    taken: usize,
    /// True if no group may be enough.
    broken: bool,
    /// True if some successor was not marked.
    enough: bool,
}

impl Choice {
    /// The number of steps to be taken next, counted from the first one; all if no group is left.
    fn next(&self, all: usize) -> usize {
        let open = self.ends.iter().copied().find(|&end| end > self.taken);
        open.filter(|_| !self.broken).unwrap_or(all)
    }

    /// True if there are steps to be taken.
    fn unfinished(&self) -> bool {
        self.taken < self.steps.len() && (self.broken || !self.enough)
    }
}

impl<'a> Selection<'a> {
    /// For one worker, with the marks that may be taken back already.
    pub fn new(reducer: &'a dyn Reducer, ladder: Ladder) -> Selection<'a> {
        Selection { chooser: reducer.chooser(), members: Default::default(), ladder }
    }

    /// The marks that may be taken back, for somebody who goes on.
    pub fn into_ladder(self) -> Ladder {
        self.ladder
    }
}

impl<M: Memory> Worker<'_, '_, M> {
    /// Expands the members of the topmost frame, as far as needed.
    pub(super) fn reduced(&mut self, members: usize) -> Flow {
        self.take_back();
        self.begin();
        let mut marked = false;
        for member in 0..members {
            self.open(member);
            if self.choose(member) {
                self.memory.mark(self.frontier.member(member), true);
                marked = true;
            }
            self.take(member)?;
        }
        if marked {
            // Whoever does not see these marks is seen by us.
            fence(Ordering::SeqCst);
        }
        self.insert()?;
        if marked {
            self.complete(members)?;
        }
        self.climb(members);
        Flow::Continue(())
    }

    /// Takes back the marks of states that are known to be grounded, now that all that came after them was expanded.
    fn take_back(&mut self) {
        let Worker { selection, memory, frontier, .. } = self;
        if let Some(selection) = selection {
            selection.ladder.drop_to(frontier.depth() - 1, |record| memory.mark(record, false));
        }
    }

    /// Remembers which members of the topmost frame are marked; a worker who is not alone takes no mark back.
    fn climb(&mut self, members: usize) {
        let Worker { selection, shared, frontier, .. } = self;
        let Some(selection) = selection.as_mut().filter(|s| shared.pool.alone() && !s.chooser.careless()) else {
            return;
        };
        let mut rung = Rung::new();
        for (member, choice) in selection.members[..members].iter().enumerate() {
            let marked = choice.taken < choice.steps.len();
            rung.add(member, frontier.parent(member), marked.then(|| frontier.member(member)));
        }
        selection.ladder.push(frontier.depth() - 1, rung);
    }

    /// Makes a member the state whose successors are staged next.
    fn open(&mut self, member: usize) {
        self.memory.open(self.frontier.member(member), &mut self.at);
        self.expander.fire(&self.at, member);
    }

    /// Puts the steps of the state that was just fired in groups; true if the search has a say in whether one is enough.
    fn choose(&mut self, member: usize) -> bool {
        let Some(Selection { chooser, members, .. }) = &mut self.selection else { return false };
        let (choice, entries) = (&mut members[member], self.expander.entries());
        choice.steps.clear();
        choice.ends.clear();
        (choice.taken, choice.broken, choice.enough) = (0, false, false);
        if entries.len() < 2 || chooser.idle(&self.at) {
            return false;
        }
        choice.steps.extend(entries.iter().map(|e| e.step()));
        chooser.choose(&self.at, &mut choice.steps, &mut choice.ends);
        if choice.ends.is_empty() {
            choice.steps.clear();
            return false;
        }
        choice.enough = chooser.careless();
        self.arrange(member);
        !self.careless(member)
    }

    fn careless(&self, member: usize) -> bool {
        self.selection.as_ref().is_some_and(|s| s.members[member].enough)
    }

    /// Brings the successors of a member into the order of its groups.
    fn arrange(&mut self, member: usize) {
        let Some(selection) = &self.selection else { return };
        let steps = &selection.members[member].steps;
        let entries = self.expander.entries();
        entries.sort_by_cached_key(|e| steps.iter().position(|s| *s == e.step()));
    }

    /// Takes the next group of steps of a member whose successors are the current ones.
    fn take(&mut self, member: usize) -> Flow {
        let all = self.expander.entries().len();
        let Some(selection) = &self.selection else { return Flow::Continue(()) };
        let choice = &selection.members[member];
        let (from, to) = (choice.taken, choice.next(all));
        self.stage(member, from..to, true)?;
        if let Some(selection) = &mut self.selection {
            let choice = &mut selection.members[member];
            choice.taken = to;
            choice.broken |= self.expander.broke;
        }
        Flow::Continue(())
    }

    /// Inserts what is staged, and notes who has a successor that is not marked.
    fn insert(&mut self) -> Flow {
        for number in 0..self.expander.count() {
            let (state, owner) = self.expander.successor(number);
            let start = self.frontier.desk().len();
            let open = match self.memory.settle(number, || state, self.frontier.desk()) {
                Arrived::Full => return self.shared.books().full(),
                Arrived::Known(marked) => {
                    self.matched += 1;
                    !marked
                }
                Arrived::New => {
                    self.stored += 1;
                    self.frontier.seal(start, owner);
                    true
                }
            };
            if let Some(selection) = self.selection.as_mut().filter(|_| open) {
                selection.members[owner].enough = true;
            }
        }
        Flow::Continue(())
    }

    /// Goes on with the members for which no group was enough so far, until all have one or all their steps are taken.
    fn complete(&mut self, members: usize) -> Flow {
        loop {
            self.begin();
            let mut open = false;
            for member in 0..members {
                if self.selection.as_ref().is_some_and(|s| s.members[member].unfinished()) {
                    open = true;
                    self.go_on(member)?;
                }
            }
            if !open {
                return Flow::Continue(());
            }
            self.insert()?;
        }
    }

    /// Takes one more group of steps of a member; without its mark if these are the last.
    fn go_on(&mut self, member: usize) -> Flow {
        self.open(member);
        self.arrange(member);
        self.take(member)?;
        if self.selection.as_ref().is_some_and(|s| s.members[member].taken == s.members[member].steps.len()) {
            self.memory.mark(self.frontier.member(member), false);
        }
        Flow::Continue(())
    }
}
