//! Stores that are written down and read again: they hold the same states under the same names, and go on as before.

mod common;

use common::{State, states};
use starwheel_store::{
    Census, Dfa, FlatSet, LoadError, PrivateBitstate, PrivateCompact, PrivatePacked, PrivateTree, Save, SharedBitstate,
    SharedCompact, SharedPacked, SharedTree, Visit, Visited,
};

fn insert<S: Visited>(set: &mut S, state: &State) -> Visit<S::Ref> {
    let Some(mut key) = set.prepare(&state.bytes, None) else { return Visit::Full };
    set.prefetch(&mut key);
    set.insert(&key, &state.bytes, state.bytes.first().copied().unwrap_or(5))
}

fn saved(set: &impl Save) -> Vec<u8> {
    let mut out = Vec::new();
    set.save(&mut out).expect("a list takes everything");
    out
}

/// Saves a store in the middle, and lets a store that was read from that go on beside the first one.
fn goes_on<S: Visited + Save, T: Visited<Ref = S::Ref>>(
    mut set: S,
    load: impl Fn(&mut dyn std::io::Read) -> Result<T, LoadError>,
) {
    let list = states(77, 6000);
    for (state, _) in &list[..3000] {
        let _ = insert(&mut set, state);
    }
    let bytes = saved(&set);
    let mut twin = load(&mut &bytes[..]).expect("it was just written");
    assert_eq!(twin.usage().states, set.usage().states);
    for (state, _) in &list {
        assert_eq!(insert(&mut twin, state), insert(&mut set, state));
    }
    assert_eq!(twin.usage().states, set.usage().states);
    for cut in (0..bytes.len()).step_by(bytes.len() / 97 + 1) {
        assert!(load(&mut &bytes[..cut]).is_err(), "{cut} of {} bytes", bytes.len());
    }
}

#[test]
fn a_store_goes_on_as_if_nothing_had_happened() {
    for marks in [0, 3] {
        goes_on(PrivateTree::new(None, marks), |from| PrivateTree::load(None, marks, from));
        goes_on(PrivateTree::new(None, marks), |from| SharedTree::load(None, marks, from));
        goes_on(SharedTree::new(None, marks), |from| PrivateTree::load(None, marks, from));
        goes_on(PrivateCompact::new(None, marks), |from| PrivateCompact::load(None, marks, from));
        goes_on(SharedCompact::new(None, marks), |from| PrivateCompact::load(None, marks, from));
        goes_on(PrivateCompact::new(None, marks), |from| SharedCompact::load(None, marks, from));
        goes_on(FlatSet::with_marks(None, marks), |from| FlatSet::load(None, marks, from));
    }
    for (seen, marks) in [(0, 0), (5, 3), (9, 2)] {
        let mut census = Census::new();
        states(77, seen).iter().for_each(|(state, _)| census.add(&state.bytes));
        let layout = census.layout().expect("few states pack");
        let private = || PrivatePacked::new(None, marks, &layout, 4096).expect("there is memory");
        let shared = || SharedPacked::new(None, marks, &layout, 4096).expect("there is memory");
        goes_on(private(), |from| PrivatePacked::load(None, marks, 4096, from));
        goes_on(private(), |from| SharedPacked::load(None, marks, 4096, from));
        goes_on(shared(), |from| PrivatePacked::load(None, marks, 4096, from));
    }
    goes_on(Dfa::new(None), |from| Dfa::load(None, from));
    let bits = || PrivateBitstate::new(1 << 12, 3).expect("there is memory");
    goes_on(bits(), |from| PrivateBitstate::load(1 << 12, 3, from));
    goes_on(bits(), |from| SharedBitstate::load(1 << 12, 3, from));
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut tree = PrivateTree::new(None, 0);
    for (state, _) in states(5, 3000) {
        let _ = insert(&mut tree, &state);
    }
    let bytes = saved(&tree);
    assert!(matches!(PrivateTree::load(Some(60_000), 0, &mut &bytes[..]), Err(LoadError::Full)));
    assert!(matches!(PrivateTree::load(None, 2, &mut &bytes[..]), Err(LoadError::Broken(_))));
    let bits = saved(&PrivateBitstate::new(64, 3).expect("there is memory"));
    assert!(matches!(PrivateBitstate::load(128, 3, &mut &bits[..]), Err(LoadError::Broken(_))));
}

#[test]
fn many_states_come_back_in_any_order() {
    let mut set = PrivateCompact::new(None, 0);
    for number in 0..300_000u32 {
        let state = State { bytes: number.to_le_bytes().to_vec(), ends: vec![4] };
        let _ = insert(&mut set, &state);
    }
    let twin = SharedCompact::load(None, 0, &mut &saved(&set)[..]).expect("it was just written");
    assert_eq!(twin.usage().states, set.usage().states);
    assert!(twin.usage().bytes < set.usage().bytes * 3 / 2);
}
