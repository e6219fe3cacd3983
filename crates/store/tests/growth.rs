//! Stores whose tables may not grow from some moment on: what they say stays true, and when there is memory again they go on.

mod common;

use common::{State, states};
use starwheel_store::{
    Census, Dfa, FlatSet, Inserted, Layout, NumberedDfa, NumberedTree, PrivateBitstate, PrivateCompact, PrivatePacked,
    PrivateTree, SharedCompact, SharedPacked, SharedTree, StateSet, Visit, Visited,
};
use std::collections::HashSet;

/// True for a new state; none if there is no room.
trait Plain {
    fn put(&mut self, state: &State) -> Option<bool>;
    fn others(&self, bytes: u64);
}

struct Groups<S>(S);

impl<S: Visited> Plain for Groups<S> {
    fn put(&mut self, state: &State) -> Option<bool> {
        let mut key = self.0.prepare(&state.bytes, None)?;
        self.0.prefetch(&mut key);
        match self.0.insert(&key, &state.bytes, 0) {
            Visit::New(_) => Some(true),
            Visit::Known(..) => Some(false),
            Visit::Full => None,
        }
    }

    fn others(&self, bytes: u64) {
        self.0.besides(bytes);
    }
}

struct Numbers<S>(S);

impl<S: StateSet> Plain for Numbers<S> {
    fn put(&mut self, state: &State) -> Option<bool> {
        match self.0.insert(&state.bytes) {
            Inserted::New(_) => Some(true),
            Inserted::Known(_) => Some(false),
            Inserted::Full => None,
        }
    }

    fn others(&self, bytes: u64) {
        self.0.besides(bytes);
    }
}

/// Lets growth fail after so many states, for a while; every answer is checked.
fn survives(mut set: impl Plain, seed: u64, before: usize) {
    println!("seed {seed}, growth fails after {before}");
    let (mut twin, mut missed) = (HashSet::new(), 0);
    for (at, (state, _)) in states(seed, 6000).iter().enumerate() {
        if at == before {
            set.others(u64::MAX);
        }
        if at == before + 3000 {
            set.others(0);
        }
        match set.put(state) {
            Some(true) => assert!(twin.insert(state.bytes.clone()), "a known state was called new"),
            Some(false) => assert!(twin.contains(&state.bytes), "a new state was called known"),
            None => {
                missed += 1;
                assert!(!twin.contains(&state.bytes), "a known state was not recognised");
                assert!((before..before + 3000).contains(&at), "there is memory");
            }
        }
    }
    assert!(missed > 0, "everything had room");
}

/// A layout in which some states pack and some do not.
fn layout(seed: u64) -> Layout {
    let mut census = Census::new();
    states(seed, 12).iter().for_each(|(state, _)| census.add(&state.bytes));
    census.layout().unwrap_or_else(|| Census::new().layout().expect("nothing needs no bits"))
}

#[test]
fn growth_may_fail_at_any_moment() {
    let limit = Some(1 << 40);
    for (seed, before) in [(1, 0), (2, 1), (3, 40), (4, 64), (5, 500), (6, 1500)] {
        survives(Groups(PrivateTree::new(limit, 0)), seed, before);
        survives(Groups(SharedTree::new(limit, 2)), seed, before);
        survives(Groups(PrivatePacked::new(limit, 0, &layout(seed), 4096).expect("there is memory")), seed, before);
        let expecting = PrivatePacked::new(limit, 0, &layout(seed), 4096).expect("there is memory");
        expecting.expect(10_000);
        survives(Groups(expecting), seed, before);
        survives(Groups(SharedPacked::new(limit, 2, &layout(seed), 4096).expect("there is memory")), seed, before);
        survives(Groups(PrivateCompact::new(limit, 0)), seed, before);
        survives(Groups(SharedCompact::new(limit, 3)), seed, before);
        survives(Groups(FlatSet::new(limit)), seed, before);
        survives(Groups(Dfa::new(limit)), seed, before);
        survives(Numbers(NumberedTree::new(limit)), seed, before);
        survives(Numbers(NumberedDfa::new(limit)), seed, before);
        survives(Numbers(FlatSet::new(limit)), seed, before);
    }
}

#[test]
fn an_array_of_64_bits_forgets_nobody() {
    let mut set = Groups(PrivateBitstate::new(8, 3).expect("eight bytes are there"));
    for (state, _) in states(8, 2000) {
        assert!(set.put(&state).is_some());
        assert_eq!(set.put(&state), Some(false));
    }
    assert!(set.0.expected_omissions() > 1.0 && set.0.omission_probability() > 0.5);
}

/// At 1.7 million states, 32 bits of a hash take hundreds of states for others at best; SPIN's `-DHC4` loses 12.7 % of the
/// states of `at.3` that way. All 64 bits of ours discriminate.
#[test]
fn millions_of_similar_states_keep_their_fingerprints_apart() {
    let (mut set, mut halves) = (PrivateCompact::new(None, 0), HashSet::new());
    let side = 120u32;
    for number in 0..side * side * side {
        let mut bytes = [0; 40];
        for (place, value) in [(3, number % side), (17, number / side % side), (36, number / side / side)] {
            bytes[place] = value as u8;
        }
        let state = State { bytes: bytes.to_vec(), ends: vec![40] };
        let key = set.prepare(&state.bytes, None).expect("a hash needs no memory");
        let Visit::New(name) = set.insert(&key, &state.bytes, 0) else { panic!("state {number} was lost") };
        halves.insert(name.0 as u32);
    }
    let all = u64::from(side * side * side);
    assert_eq!(set.usage().states, all);
    assert!((halves.len() as u64) < all - 100, "32 bits would have been enough");
    assert!(set.omission_probability() < 1e-6);
}
