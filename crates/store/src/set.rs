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

    /// Says how many bytes the program uses besides: the limit is for all together. A set without a limit does not
    /// care; one around another passes it on, with what it uses itself.
    fn besides(&self, bytes: u64);

    /// Adds a state unless it is there. Known states are recognised even if the set is full.
    fn insert(&mut self, state: &[u8]) -> Inserted;
}

/// An exact set that numbers its states, and mostly can give them back.
pub trait StateStore: StateSet {
    /// False if it cannot give states back. A search must then keep the states that it will return to.
    const READS: bool;

    /// The number of a state, if it is there.
    fn lookup(&self, state: &[u8]) -> Option<StateId>;

    /// Appends the state with this number; nothing if there is none, or if it cannot be given back.
    fn read(&self, id: StateId, out: &mut Vec<u8>);
}

/// What came of an insertion into a [`Visited`] set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Visit<R> {
    /// The state was not there before, and is now, with the marks that were given.
    New(R),
    /// The state was there already, with these marks; a lossy set may be wrong.
    Known(R, u8),
    /// The state was not there before, and there is no room for it.
    Full,
}

/// The states that a search has visited, made for searches that handle many successors at once.
///
/// # How a search uses it
///
/// 1. All successors of a state are computed first. For each of them `prepare` makes a key. If the store knows the codes of
///    the state that is being left ([`Visited::Path`], from [`Decode::decode`]), it looks only at what the step changed.
/// 2. `prefetch` is called for all keys. The processor now waits for all of their places in memory together.
/// 3. `insert` (or `lookup`) is called for each key.
///
/// Step 2 may be left out. Keys stay valid for ever and never change what they mean, in any order of calls; only their
/// prefetched place gets stale. The state given to `insert` and `lookup` must be the one that the key was prepared for.
///
/// A search keeps [`Visited::Ref`]s of the states on its stack or in its queue. If the store is also [`Decode`], the bytes can
/// be had back at any time; if it is not, the search has to keep the bytes itself. Flags of a search (on the stack, colours)
/// are kept as marks if the store is [`Marked`].
///
/// # When memory ends
///
/// `prepare` gives `None` and `insert` gives [`Visit::Full`] if there is no room. Nothing is lost then: what was there before
/// is still found, `lookup` and `decode` go on working, and other states may even still fit. A state whose `prepare`
/// gives `None` has never been inserted.
///
/// # Threads
///
/// A value is used by one thread. A store that threads share is [`Fork`]: each thread has a handle of its own, keys and
/// references mean the same for all handles, and of many threads that insert the same state exactly one gets
/// [`Visit::New`], unless the set is an array of bits (then it is at least one). Whatever a thread wrote before it inserted
/// a state into an exact set is seen by threads that got [`Visit::Known`] for it.
pub trait Visited {
    /// A state made ready for `insert`: small, and free of borrowed data, so that keys can wait in a list.
    type Key: Copy;

    /// The name of a state in the set; equal names are equal states. A lossy set may give one name to several states.
    type Ref: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug;

    /// What the store remembers of a state in order to prepare its successors faster.
    type Path: Default + Clone;

    /// False if a key says all of its state: then `insert` and `lookup` do not look at the bytes, and may be given none.
    const LOOKS: bool = true;

    /// How far it can be believed.
    fn exactness(&self) -> Exactness;

    /// How much it holds. This may take a microsecond: not for every step.
    fn usage(&self) -> Usage;

    /// Says how many bytes the program uses besides: the limit is for all together. A set without a limit does not
    /// care; one around another passes it on, with what it uses itself.
    fn besides(&self, bytes: u64);

    /// Makes a key for a state; none if there is no memory for what the key needs. `from` is a state that it is probably
    /// similar to: its path, as [`Decode::decode`] or [`Decode::resume`] gave it, and its bytes.
    ///
    /// This may use memory even if the state is never inserted.
    fn prepare(&mut self, state: &[u8], from: Option<(&mut Self::Path, &[u8])>) -> Option<Self::Key>;

    /// The same for a state that differs from the other one, which has as many bytes, at most in some units of four bytes:
    /// those whose bits are set. All bits are set if that is not known.
    #[inline]
    fn prepare_changed(
        &mut self,
        state: &[u8],
        (path, before): (&mut Self::Path, &[u8]),
        _changed: u64,
    ) -> Option<Self::Key> {
        self.prepare(state, Some((path, before)))
    }

    /// Asks for the memory that `insert` and `lookup` will look at.
    fn prefetch(&mut self, key: &mut Self::Key);

    /// Adds a state unless it is there. Known states are recognised even if the set is full.
    ///
    /// The marks are kept with a new state as far as the store has bits for them ([`Marked::mark_bits`]), and a known state
    /// keeps those it has. A store that is not [`Marked`] ignores them and always answers zero.
    fn insert(&mut self, key: &Self::Key, state: &[u8], marks: u8) -> Visit<Self::Ref>;

    /// The name and the marks of a state, if it is there.
    fn lookup(&mut self, key: &Self::Key, state: &[u8]) -> Option<(Self::Ref, u8)>;
}

/// A set that keeps a few bits with each state.
pub trait Marked: Visited {
    /// How many bits there are for each state, from zero to eight; higher bits of marks are ignored.
    fn mark_bits(&self) -> u32;

    /// The marks of a state; none if it is not there.
    fn marks(&mut self, at: Self::Ref) -> Option<u8>;

    /// Makes the marks of a state `(old & keep) | set` and gives the old ones; none if the state is not there. With many
    /// threads this is one indivisible step.
    fn change_marks(&mut self, at: Self::Ref, keep: u8, set: u8) -> Option<u8>;
}

/// A set that can give its states back; only an exact one can.
pub trait Decode: Visited {
    /// True if states lie in memory as they are, so that it is no use to keep some of them elsewhere.
    const READY: bool = false;

    /// Replaces `state` by the bytes of a state, and `path` by what the store remembers of it; false, and both are of no use,
    /// if there is no such state. Buffers that are used again cost no allocation.
    fn decode(&mut self, at: Self::Ref, state: &mut Vec<u8>, path: &mut Self::Path) -> bool;

    /// Makes `path` what the store remembers of a state whose bytes the caller still has, which is faster.
    fn resume(&mut self, at: Self::Ref, path: &mut Self::Path);
}

/// A store that threads share.
pub trait Fork: Visited + Send + Sized {
    /// A handle for another thread.
    fn fork(&self) -> Self;
}
