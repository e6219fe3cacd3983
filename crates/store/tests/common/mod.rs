//! Random states for the tests of all stores: most of them differ in a few bytes from one before, and many come twice.

#![allow(dead_code)]

/// A small random number generator, the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize * bound) >> 31
    }
}

/// A state, and where its parts end, which changes only at its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct State {
    pub bytes: Vec<u8>,
    pub ends: Vec<u32>,
}

impl State {
    /// A state that is one part.
    pub fn of(bytes: &[u8]) -> State {
        State { bytes: bytes.to_vec(), ends: vec![bytes.len() as u32] }
    }

    /// Parts of the given lengths; the first byte of a part is its length, so that ends follow from bytes.
    fn new(random: &mut Random, lengths: &[usize]) -> State {
        let mut state = State::default();
        for &length in lengths {
            let at = state.bytes.len();
            state.bytes.extend((0..length).map(|_| random.below(3) as u8));
            if let Some(first) = state.bytes.get_mut(at) {
                *first = length as u8;
            }
            state.ends.push(state.bytes.len() as u32);
        }
        state
    }
}

/// So many random states. The parent of each, if it has one, is an earlier one with the same ends, mostly.
pub fn states(seed: u64, count: usize) -> Vec<(State, Option<usize>)> {
    let mut random = Random(seed);
    let lengths = [1, 2, 3, 4, 4, 4, 5, 7, 8, 8, 8, 9, 12, 16, 17, 24, 31, 64, 100];
    let mut list: Vec<(State, Option<usize>)> = Vec::new();
    for _ in 0..count {
        let parent = random.below(list.len().max(1));
        let next = match list.get(parent) {
            Some((before, _)) if random.below(100) > 0 => (successor(&mut random, before), Some(parent)),
            _ => {
                let parts: Vec<usize> = (0..random.below(12)).map(|_| lengths[random.below(lengths.len())]).collect();
                (State::new(&mut random, &parts), None)
            }
        };
        list.push(next);
    }
    list
}

/// Some bytes are changed, or a part is added or removed at the end.
fn successor(random: &mut Random, before: &State) -> State {
    let mut state = before.clone();
    match random.below(20) {
        0 => {
            let part = State::new(random, &[8]);
            state.bytes.extend(part.bytes);
            state.ends.push(state.bytes.len() as u32);
        }
        1 => {
            state.ends.pop();
            state.bytes.truncate(state.ends.last().map_or(0, |&end| end as usize));
        }
        _ => {
            for _ in 0..random.below(4) {
                let at = random.below(state.bytes.len().max(1));
                let first = at == 0 || state.ends.contains(&(at as u32));
                if let Some(byte) = state.bytes.get_mut(at).filter(|_| !first) {
                    *byte = if random.below(30) == 0 { 255 } else { random.below(3) as u8 };
                }
            }
        }
    }
    state
}
