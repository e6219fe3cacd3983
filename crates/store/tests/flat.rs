//! The flat set against the set of the standard library.

use starwheel_store::{Exactness, FlatSet, Inserted, StateId, StateSet, StateStore};
use std::collections::HashMap;

/// Random strings, short ones and empty ones among them, many of them twice.
fn strings(seed: u64, count: usize) -> Vec<Vec<u8>> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    (0..count)
        .map(|_| {
            let (length, letters) = (next() % 40, 1 + next() % 3);
            (0..length).map(|_| (next() % letters) as u8).collect()
        })
        .collect()
}

#[test]
fn agrees_with_a_plain_map() {
    for seed in 0..20 {
        println!("seed {seed}");
        let (mut set, mut twin) = (FlatSet::default(), HashMap::new());
        for string in strings(seed, 5000) {
            let next = StateId(twin.len() as u32);
            let expected = match twin.get(&string) {
                Some(&id) => Inserted::Known(id),
                None => Inserted::New(next),
            };
            assert_eq!(set.insert(&string), expected);
            twin.entry(string).or_insert(next);
        }
        assert_eq!(set.len(), twin.len());
        assert!(twin.iter().all(|(string, &id)| set.get(id) == string), "a string was changed");
        assert_eq!(set.usage().states, twin.len() as u64);
        assert_eq!(set.exactness(), Exactness::Exact);
    }
}

#[test]
fn never_exceeds_its_limit_and_still_knows_what_it_has() {
    for limit in (0..40_000).step_by(371) {
        let (mut set, mut twin) = (FlatSet::new(Some(limit)), HashMap::new());
        let mut full = false;
        for string in strings(limit, 3000) {
            match set.insert(&string) {
                Inserted::New(id) => assert_eq!(twin.insert(string, id), None, "a known string was called new"),
                Inserted::Known(id) => assert_eq!(twin.get(&string), Some(&id)),
                Inserted::Full => {
                    full = true;
                    assert!(!twin.contains_key(&string), "a known string was not recognised");
                }
            }
            assert!(set.usage().bytes <= limit);
        }
        assert!(full, "3000 strings cannot fit in {limit} bytes");
        assert!(twin.iter().all(|(string, &id)| set.get(id) == string));
    }
}

#[test]
fn an_unknown_number_has_no_bytes() {
    let mut set = FlatSet::default();
    assert!(set.is_empty());
    assert_eq!(set.insert(b"state"), Inserted::New(StateId(0)));
    assert_eq!(set.get(StateId(0)), b"state");
    assert_eq!(set.get(StateId(1)), b"");
}

#[test]
fn a_state_is_looked_up_without_being_added() {
    let mut set = FlatSet::new(None);
    assert_eq!(set.lookup(b"a"), None);
    let Inserted::New(id) = set.insert(b"a") else { panic!("there is room") };
    assert_eq!((set.lookup(b"a"), set.lookup(b"b"), set.len()), (Some(id), None, 1));
}
