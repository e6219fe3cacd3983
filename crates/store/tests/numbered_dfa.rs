//! The automaton with numbers against a flat set.

use rapidhash::v3::rapidhash_v3;
use starwheel_store::{FlatSet, Inserted, NumberedDfa, StateSet, StateStore};

/// Words of different lengths, many of them more than once.
fn words(count: u32) -> impl Iterator<Item = Vec<u8>> {
    let mut random: u32 = 7;
    (0..count).map(move |_| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let bytes = (random >> 16).to_le_bytes();
        [vec![bytes[0] % 4; usize::from(bytes[1] % 5)], vec![bytes[0], bytes[1] % 8]].concat()
    })
}

#[test]
fn numbers_are_those_of_a_flat_set_however_bad_the_hash_is() {
    let hashes: [fn(&[u8]) -> u32; 3] = [|s| rapidhash_v3(s) as u32, |s| rapidhash_v3(s) as u32 % 16, |_| 0];
    for hash in hashes {
        let (mut set, mut flat) = (NumberedDfa::with_hash(None, hash), FlatSet::default());
        for word in words(5000) {
            assert_eq!(set.lookup(&word), StateStore::lookup(&flat, &word));
            assert_eq!(StateSet::insert(&mut set, &word), StateSet::insert(&mut flat, &word));
            assert_eq!(set.lookup(&word), StateStore::lookup(&flat, &word));
        }
        assert_eq!(set.usage().states, flat.len() as u64);
    }
}

#[test]
fn a_limit_is_kept_and_known_states_are_still_known() {
    for limit in [0, 1000, 20_000, 60_000] {
        let mut set = NumberedDfa::new(Some(limit));
        let mut known = Vec::new();
        let mut full = false;
        for word in words(5000) {
            match StateSet::insert(&mut set, &word) {
                Inserted::New(id) => known.push((word, id)),
                Inserted::Known(id) => assert!(known.contains(&(word, id))),
                Inserted::Full => full = true,
            }
            assert!(set.usage().bytes <= limit);
        }
        assert!(full, "{limit} bytes are enough");
        for (word, id) in &known {
            assert_eq!(set.lookup(word), Some(*id));
        }
    }
}
