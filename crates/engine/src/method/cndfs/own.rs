//! What a worker alone knows of states: which are on its stack, and which it has seen in its second search.

use crate::method::cndfs::graph_view::{GraphView, RED, SHARED};
use crate::parts::ledger::Flow;
use starwheel_store::StateRef;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Workers that have a mark of their own in the store.
pub const FEW: usize = 5;

/// The states on a worker's first stack: the cyan ones.
#[derive(Debug)]
pub enum Cyan {
    /// They have this mark in the store.
    Mark(u8),
    /// They are in this set.
    Set(HashSet<u64, Mixing>),
}

impl Cyan {
    /// No state yet, for one of so many workers.
    pub fn new(worker: usize, workers: usize) -> Cyan {
        if workers <= FEW { Cyan::Mark(1 << (SHARED as usize + worker)) } else { Cyan::Set(HashSet::default()) }
    }

    /// The number of bits that each state needs for so many workers.
    pub fn bits(workers: usize) -> u32 {
        if workers <= FEW { workers as u32 } else { 0 }
    }

    /// The mark, if there is one.
    pub fn mark(&self) -> u8 {
        match self {
            Cyan::Mark(mark) => *mark,
            Cyan::Set(_) => 0,
        }
    }

    /// True if a state with these marks is on the stack.
    pub fn has(&self, name: StateRef, marks: u8) -> bool {
        match self {
            Cyan::Mark(mark) => marks & mark != 0,
            Cyan::Set(set) => set.contains(&name.0),
        }
    }

    /// A state comes on the stack; its mark is set by somebody else.
    pub fn add(&mut self, name: StateRef) {
        if let Cyan::Set(set) = self {
            set.insert(name.0);
        }
    }

    /// A state goes from the stack; its mark is taken away by somebody else.
    pub fn remove(&mut self, name: StateRef) {
        if let Cyan::Set(set) = self {
            set.remove(&name.0);
        }
    }
}

/// The states that one second search has seen: they turn red together.
#[derive(Debug, Default)]
pub struct Pink {
    set: HashSet<u64, Mixing>,
    list: Vec<StateRef>,
    /// Those that have a second search of their own, which must come to its end first.
    accepting: Vec<StateRef>,
}

impl Pink {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.set.clear();
        self.list.clear();
        self.accepting.clear();
    }

    /// Adds a state; false if it was there.
    pub fn add(&mut self, name: StateRef) -> bool {
        let new = self.set.insert(name.0);
        if new {
            self.list.push(name);
        }
        new
    }

    /// True if a state is there.
    pub fn has(&self, name: StateRef) -> bool {
        self.set.contains(&name.0)
    }

    /// Notes that a state is accepting and not the one where the search began.
    pub fn note(&mut self, name: StateRef) {
        self.accepting.push(name);
    }

    /// Turns all states red, as soon as others have made those red from which they search themselves.
    pub fn settle(&mut self, graph: &mut impl GraphView) -> Flow {
        for &name in &self.accepting {
            let mut round = 0;
            while graph.marks(name).is_some_and(|marks| marks & RED == 0) {
                graph.wait(round)?;
                round = round.saturating_add(1);
            }
        }
        for &name in &self.list {
            graph.change(name, 0, RED);
        }
        Flow::Continue(())
    }
}

/// Hashes one number: names of states are pairs of small ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mix(u64);

/// Makes [`Mix`].
pub type Mixing = BuildHasherDefault<Mix>;

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    fn write_u64(&mut self, number: u64) {
        let hash = (number ^ number >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = hash ^ hash >> 32;
    }
}
