//! The tree store with numbers against a plain map.

use starwheel_store::{Inserted, NumberedTree, StateId, StateSet, StateStore};
use std::collections::HashMap;

#[test]
fn states_are_numbered_and_found_again() {
    let (mut set, mut twin) = (NumberedTree::new(None), HashMap::new());
    let mut seed = 1u64;
    for round in 0..20_000u64 {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(round | 1);
        let mut state = vec![0; (seed >> 60) as usize * 5];
        for (place, byte) in state.iter_mut().enumerate() {
            *byte = (seed >> (place % 7 * 4)) as u8 & 3;
        }
        let next = StateId(twin.len() as u32);
        match set.insert(&state) {
            Inserted::New(id) => assert!(id == next && twin.insert(state.clone(), id).is_none()),
            Inserted::Known(id) => assert_eq!(twin.get(&state), Some(&id)),
            Inserted::Full => panic!("there is no limit"),
        }
    }
    assert!(twin.len() > 100);
    for (state, &id) in &twin {
        let mut out = Vec::new();
        set.read(id, &mut out);
        assert_eq!((&out, set.lookup(state)), (state, Some(id)));
    }
    assert_eq!(set.lookup(&[9; 40]), None);
}

#[test]
fn a_limit_is_kept_and_nothing_is_forgotten() {
    let mut set = NumberedTree::new(Some(1_000_000));
    let state = |n: u32| [n.to_le_bytes(), (n / 7).to_le_bytes(), (n % 7).to_le_bytes()].concat();
    let full = (0..100_000).find(|&n| set.insert(&state(n)) == Inserted::Full).expect("it must get full");
    assert!(full > 1000 && set.usage().bytes <= 1_000_000);
    assert!((0..full).all(|n| set.insert(&state(n)) == Inserted::Known(StateId(n))));
}

/// States that follow each other differ little, in places all over their length, and their length changes now and then.
#[test]
fn similar_states_are_told_apart() {
    let (mut set, mut twin) = (NumberedTree::new(None), HashMap::new());
    let (mut seed, mut state) = (7u64, vec![0u8; 70]);
    for _ in 0..60_000 {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        if seed >> 58 == 0 {
            state.resize((seed >> 40) as usize % 200, 1);
        }
        for turn in 0..(seed >> 62) {
            let place = (seed >> (8 * turn + 8)) as usize % state.len().max(1);
            if let Some(byte) = state.get_mut(place) {
                *byte = (*byte + 1) % 3;
            }
        }
        let next = StateId(twin.len() as u32);
        let known = *twin.entry(state.clone()).or_insert(next);
        let expected = if known == next { Inserted::New(known) } else { Inserted::Known(known) };
        assert_eq!(set.insert(&state), expected);
    }
    assert!(twin.len() > 10_000);
    for (state, &id) in &twin {
        let mut out = Vec::new();
        set.read(id, &mut out);
        assert_eq!((&out, set.lookup(state)), (state, Some(id)));
    }
}

/// A shorter state may have a piece without bytes. It once found no room if the pieces before it happened to fill a segment,
/// and a search of forty states ended with «the memory limit was reached».
#[test]
fn a_shorter_state_finds_room_however_many_longer_ones_there_are() {
    for length in (4..160usize).step_by(12) {
        for count in 0..80u32 {
            let mut set = NumberedTree::new(None);
            for number in 0..count {
                let mut state = vec![0; length];
                state.chunks_mut(4).for_each(|unit| unit.copy_from_slice(&number.to_le_bytes()));
                assert_ne!(set.insert(&state), Inserted::Full, "{number} of {count} states of {length} bytes");
            }
            for shorter in (0..length).rev().step_by(4) {
                assert_ne!(
                    set.insert(&vec![7; shorter]),
                    Inserted::Full,
                    "{shorter} of {length} bytes, after {count} states"
                );
            }
        }
    }
}
