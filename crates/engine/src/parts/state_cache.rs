//! The bytes of the states that were stored last: most of them are expanded soon, and need not be decoded then.

/// Memory for bytes.
const SPACE: usize = 1 << 18;
/// Fewer slots are of little use; states that are too long for them are not remembered.
const FEWEST: usize = 64;
/// No state has this number.
const NOBODY: u64 = u64::MAX;

/// A direct-mapped cache of states by number.
#[derive(Debug, Default)]
pub struct StateCache {
    /// The number of the state in each slot and its length; a power of two of slots, or none.
    slots: Vec<(u64, u32)>,
    bytes: Vec<u8>,
    /// Bytes of a slot.
    stride: usize,
}

impl StateCache {
    /// Appends the bytes of a state, if they are here.
    #[inline]
    pub fn get(&self, number: u64, out: &mut Vec<u8>) -> bool {
        let place = self.place(number);
        let Some(&(known, len)) = self.slots.get(place) else { return false };
        if known != number {
            return false;
        }
        out.extend_from_slice(&self.bytes[place * self.stride..][..len as usize]);
        true
    }

    /// Remembers the bytes of a state.
    #[inline]
    pub fn put(&mut self, number: u64, state: &[u8]) {
        if state.len() > self.stride {
            self.widen(state.len());
        }
        let place = self.place(number);
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = (number, state.len() as u32);
            self.bytes[place * self.stride..][..state.len()].copy_from_slice(state);
        }
    }

    /// Forgets everything and makes slots for states of this length.
    #[cold]
    fn widen(&mut self, len: usize) {
        self.stride = len.next_multiple_of(32);
        let count = (SPACE / self.stride).checked_ilog2().map_or(0, |bits| 1 << bits);
        self.slots.clear();
        self.bytes.clear();
        if count >= FEWEST {
            self.slots.resize(count, (NOBODY, 0));
            self.bytes.resize(count * self.stride, 0);
        }
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> 32) as usize & self.slots.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_itself_or_forgotten() {
        let mut cache = StateCache::default();
        let state = |number: u64| vec![number as u8; 1 + number as usize % 90];
        let (mut out, mut found) = (Vec::new(), 0);
        for number in 0..20_000 {
            cache.put(number, &state(number));
            out.clear();
            assert!(cache.get(number, &mut out) && out == state(number));
            let other = number / 2;
            out.clear();
            if cache.get(other, &mut out) {
                assert_eq!(out, state(other));
                found += 1;
            }
        }
        assert!(found > 1_000);
    }

    #[test]
    fn states_that_are_too_long_are_not_remembered() {
        let (mut cache, mut out) = (StateCache::default(), Vec::new());
        cache.put(1, &[1; 10]);
        cache.put(2, &[2; 100_000]);
        assert!(!cache.get(1, &mut out) && !cache.get(2, &mut out));
    }
}
