//! Centers that were met lately, with their numbers: most are soon met again, and the tree need not be asked.

/// No number.
const NONE: u32 = u32::MAX;
/// Slots for centers; a power of two.
const SLOTS: usize = 1 << 12;

/// The centers.
#[derive(Debug)]
pub struct CenterCache {
    /// By the lower part of the hash.
    slots: Vec<(Vec<u8>, u32)>,
}

impl Default for CenterCache {
    fn default() -> CenterCache {
        CenterCache { slots: vec![(Vec::new(), NONE); SLOTS] }
    }
}

impl CenterCache {
    /// The number of a center, if it was met lately.
    pub fn find(&self, hash: u64, center: &[u8]) -> Option<u32> {
        let (known, number) = &self.slots[hash as usize % SLOTS];
        (*number != NONE && known == center).then_some(*number)
    }

    /// Remembers a center instead of one that was met before.
    pub fn note(&mut self, hash: u64, center: &[u8], number: u32) {
        let slot = &mut self.slots[hash as usize % SLOTS];
        slot.0.clear();
        slot.0.extend_from_slice(center);
        slot.1 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_center_is_found() {
        let mut cache = CenterCache::default();
        assert_eq!(cache.find(5, &[]), None);
        cache.note(5, &[1, 2], 7);
        assert_eq!(cache.find(5, &[1, 2]), Some(7));
        assert_eq!(cache.find(5, &[1, 3]), None);
        cache.note(5 + SLOTS as u64, &[1, 3], 8);
        assert_eq!(cache.find(5, &[1, 2]), None);
    }
}
