//! What a search may expect of any memory of states.

/// Number of a state in a store: they are numbered from zero in the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What came of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Inserted {
    /// The state was not there before, and is now.
    New(StateId),
    /// The state was there already.
    Known(StateId),
    /// The state was not there before, and there is no room for it.
    Full,
}

/// How far a memory of states can be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// `Known` is always true.
    Exact,
    /// `Known` may be said of a state that was never seen.
    Lossy,
}

/// How much a memory of states holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Usage {
    /// Distinct states.
    pub states: u64,
    /// Bytes used for them, everything included.
    pub bytes: u64,
}

/// A set of states.
pub trait StateSet {
    /// How far it can be believed.
    fn exactness(&self) -> Exactness;

    /// How much it holds.
    fn usage(&self) -> Usage;

    /// Adds a state unless it is there. Known states are recognised even if the set is full.
    fn insert(&mut self, state: &[u8]) -> Inserted;
}

/// A set that can give its states back; only an exact one can.
pub trait StateStore: StateSet {
    /// The number of a state, if it is there.
    fn lookup(&self, state: &[u8]) -> Option<StateId>;

    /// Appends the state with this number; nothing if there is none.
    fn read(&self, id: StateId, out: &mut Vec<u8>);
}
