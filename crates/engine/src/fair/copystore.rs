//! A store that keeps each state once, and beside it which of its copies were seen.

use super::copies::{FIRST, LAST, split, write};
use starwheel_store::{Exactness, Inserted, StateId, StateSet, StateStore, Usage};
use std::collections::HashMap;

/// How many copies share a block.
const ROOM: u32 = 8;

/// The copies of one state whose numbers are next to each other; one block is enough for six processes.
#[derive(Clone, Copy, Debug)]
struct Block {
    state: StateId,
    /// Which of the state's blocks it is.
    number: u8,
    /// A bit for each copy that is there.
    there: u8,
}

/// A store that keeps the copies of a state together: the number of a copy is that of its block, times [`ROOM`], and its
/// place there. So the numbers have gaps.
#[derive(Debug)]
pub struct CopyStore<S> {
    states: S,
    blocks: Vec<Block>,
    /// By state: its first block.
    first: Vec<u32>,
    /// Further blocks, by state and number.
    further: HashMap<(StateId, u8), u32>,
}

impl<S: StateStore> CopyStore<S> {
    /// An empty store whose states are kept by another one, which is empty, too.
    pub fn new(states: S) -> CopyStore<S> {
        CopyStore { states, blocks: Vec::new(), first: Vec::new(), further: HashMap::new() }
    }

    /// The block of a copy, if the state has it.
    fn block(&self, state: StateId, number: u8) -> Option<u32> {
        match number {
            0 => self.first.get(state.index()).copied(),
            _ => self.further.get(&(state, number)).copied(),
        }
    }

    /// The store of the states.
    #[cfg(test)]
    pub(super) fn states(&self) -> &S {
        &self.states
    }

    /// Bytes used beside the store of the states.
    fn own_bytes(&self) -> u64 {
        let further = self.further.len() * size_of::<((StateId, u8), u32)>();
        (size_of_val(&self.blocks[..]) + size_of_val(&self.first[..]) + further) as u64
    }

    /// Adds a block; `None` if there is no number left.
    fn add_block(&mut self, state: StateId, number: u8) -> Option<u32> {
        let block = u32::try_from(self.blocks.len()).ok().filter(|&n| n < u32::MAX / ROOM)?;
        match number {
            0 => self.first.push(block),
            _ => drop(self.further.insert((state, number), block)),
        }
        self.blocks.push(Block { state, number, there: 0 });
        Some(block)
    }
}

/// The number of a copy's block, and its place there. The first and the last copy come first: they are the most frequent.
fn place(copy: u16) -> (u8, u32) {
    let slot = match copy {
        FIRST => 0,
        LAST => 1,
        process => u32::from(process) + 1,
    };
    ((slot / ROOM) as u8, slot % ROOM)
}

/// The copy at a place.
fn copy_at(number: u8, place: u32) -> u16 {
    match u32::from(number) * ROOM + place {
        0 => FIRST,
        1 => LAST,
        slot => slot as u16 - 1,
    }
}

impl<S: StateStore> StateSet for CopyStore<S> {
    fn exactness(&self) -> Exactness {
        self.states.exactness()
    }

    /// The states, each one once.
    fn usage(&self) -> Usage {
        let Usage { states, bytes } = self.states.usage();
        Usage { states, bytes: bytes + self.own_bytes() }
    }

    /// What lies beside the states here is beside them for their store, too.
    fn besides(&self, bytes: u64) {
        self.states.besides(bytes.saturating_add(self.own_bytes()));
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        let (state, copy, _) = split(state);
        let (number, place) = place(copy);
        let id = match self.states.insert(state) {
            Inserted::Full => return Inserted::Full,
            Inserted::Known(id) => id,
            // Each state has its first block, so that it is found by number.
            Inserted::New(id) => match self.add_block(id, 0) {
                Some(_) => id,
                None => return Inserted::Full,
            },
        };
        let Some(block) = self.block(id, number).or_else(|| self.add_block(id, number)) else { return Inserted::Full };
        let there = &mut self.blocks[block as usize].there;
        let known = *there >> place & 1 != 0;
        *there |= 1 << place;
        let id = StateId(block * ROOM + place);
        if known { Inserted::Known(id) } else { Inserted::New(id) }
    }
}

impl<S: StateStore> StateStore for CopyStore<S> {
    const READS: bool = S::READS;

    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        let (state, copy, _) = split(state);
        let (number, place) = place(copy);
        let block = self.block(self.states.lookup(state)?, number)?;
        (self.blocks[block as usize].there >> place & 1 != 0).then_some(StateId(block * ROOM + place))
    }

    fn read(&self, id: StateId, out: &mut Vec<u8>) {
        if let Some(block) = self.blocks.get((id.0 / ROOM) as usize) {
            self.states.read(block.state, out);
            write(copy_at(block.number, id.0 % ROOM), false, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_store::FlatSet;

    #[test]
    fn every_copy_has_its_place() {
        for copy in FIRST..=LAST {
            let (number, place) = place(copy);
            assert!(place < ROOM);
            assert_eq!(copy_at(number, place), copy);
        }
    }

    #[test]
    fn copies_share_their_state() {
        let mut store = CopyStore::new(FlatSet::default());
        let mut ids = Vec::new();
        for state in [&b"one"[..], b"other"] {
            for copy in [3, FIRST, LAST, 40, 255, 41] {
                let mut bytes = state.to_vec();
                write(copy, false, &mut bytes);
                assert_eq!(store.lookup(&bytes), None);
                let Inserted::New(id) = store.insert(&bytes) else { panic!("a new copy is known") };
                assert_eq!(store.insert(&bytes), Inserted::Known(id));
                ids.push((id, bytes));
            }
        }
        assert_eq!(store.usage().states, 2);
        for (id, bytes) in &ids {
            let mut read = Vec::new();
            store.read(*id, &mut read);
            assert_eq!((&read, store.lookup(bytes)), (bytes, Some(*id)));
        }
    }
}
