//! The few states that do not pack, as they are, until a layout is made in which they do.

use crate::budget::Budget;
use crate::flat::FlatSet;
use crate::set::{Inserted, StateId, StateSet, StateStore, Visit};

/// A state that has only been asked for.
const VISITED: u16 = 1 << u8::BITS;

/// States by number. They get one when they are first asked for, and are in the set once somebody has inserted them.
#[derive(Debug, Default)]
pub(crate) struct Overflow {
    states: FlatSet,
    /// By number: whether it is in the set, and its marks.
    flags: Vec<u16>,
    visited: u64,
    /// What the budget knows of.
    charged: u64,
}

impl Overflow {
    /// The number of states in the set.
    pub fn len(&self) -> u64 {
        self.visited
    }

    /// The number of a state; none if it has none and there is no memory.
    pub fn number(&mut self, state: &[u8], budget: &Budget) -> Option<StateId> {
        if let Some(known) = self.states.lookup(state) {
            return Some(known);
        }
        // The set has a limit of its own: what nobody else uses, without the flags of one more state.
        let flags = (self.flags.len() + 1) * size_of::<u16>();
        self.states.set_limit(budget.free().saturating_add(self.charged).saturating_sub(flags as u64));
        self.flags.try_reserve(1).ok()?;
        let Inserted::New(id) = self.states.insert(state) else { return None };
        self.flags.push(0);
        let now = self.bytes();
        if now > self.charged {
            budget.charge(now - self.charged);
            self.charged = now;
        }
        Some(id)
    }

    /// Adds a state with marks unless it is in the set.
    pub fn insert(&mut self, id: StateId, marks: u8) -> Visit<()> {
        match self.flags.get_mut(id.index()) {
            None => Visit::Full,
            Some(flags) if *flags & VISITED != 0 => Visit::Known((), *flags as u8),
            Some(flags) => {
                *flags = VISITED | u16::from(marks);
                self.visited += 1;
                Visit::New(())
            }
        }
    }

    /// The marks of a state in the set.
    pub fn marks(&self, id: StateId) -> Option<u8> {
        self.flags.get(id.index()).filter(|flags| **flags & VISITED != 0).map(|flags| *flags as u8)
    }

    /// Changes the marks of a state in the set; what they were.
    pub fn change(&mut self, id: StateId, keep: u8, set: u8) -> Option<u8> {
        let old = self.marks(id)?;
        self.flags[id.index()] = VISITED | u16::from(old & keep | set);
        Some(old)
    }

    /// The bytes of a state.
    pub fn get(&self, id: StateId) -> &[u8] {
        self.states.get(id)
    }

    /// All states in the set, with their marks.
    pub fn each(&self) -> impl Iterator<Item = (&[u8], u8)> {
        let all = (0..self.flags.len() as u32).map(StateId);
        all.filter_map(|id| self.marks(id).map(|marks| (self.get(id), marks)))
    }

    /// All states that have a number.
    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.flags.len() as u32).map(|id| self.get(StateId(id)))
    }

    fn bytes(&self) -> u64 {
        self.states.total() + (self.flags.len() * size_of::<u16>()) as u64
    }
}
