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

/// Strings of one length, some together and some alone, and of other lengths in between.
#[test]
fn many_strings_at_once_are_as_good_as_one_after_the_other() {
    for seed in 0..60u64 {
        println!("seed {seed}");
        let mut random = seed;
        let mut next = move |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let limit = (seed % 3 == 2).then_some(2_000 + 500 * seed);
        let mut length = 1 + next(110) as usize;
        let (mut set, mut twin) = (FlatSet::new(limit), FlatSet::new(limit));
        for round in 0..200 {
            if seed % 2 == 1 && next(50) == 0 {
                length = 1 + next(110) as usize;
            }
            let letters = 2 + next(2);
            let count = next(40) as usize;
            let strings: Vec<Vec<u8>> = (0..count)
                .map(|_| (0..length).map(|at| if at % 9 == 0 { next(letters) as u8 } else { 7 }).collect())
                .collect();
            let mut new = Vec::new();
            let together = set.insert_all(&strings.concat(), length, |id| new.push(id));
            let one_by_one: Vec<Inserted> = strings.iter().map(|string| twin.insert(string)).collect();
            let full = one_by_one.contains(&Inserted::Full);
            assert_eq!(together.is_none(), full, "round {round}");
            if full {
                assert!(limit.is_some());
                break;
            }
            let expected = one_by_one.iter().filter_map(|it| if let Inserted::New(id) = it { Some(*id) } else { None });
            assert!(expected.eq(new.iter().copied()) && together == Some(new.len() as u64), "round {round}");
            assert!((0..twin.len() as u32).map(StateId).all(|id| set.get(id) == twin.get(id)), "round {round}");
        }
        assert_eq!(set.len().min(1), 1);
    }
}
