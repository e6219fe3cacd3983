//! Sets that cannot give states back, and the flat set as a [`Visited`] one, against the set of the standard library.

mod common;

use common::{State, states};
use starwheel_store::{
    Dfa, Exactness, FlatSet, Fork, Marked, PrivateBitstate, PrivateCompact, SharedBitstate, SharedCompact, Visit,
    Visited,
};
use std::collections::{HashMap, HashSet};

fn insert<S: Visited>(set: &mut S, state: &State, marks: u8) -> Visit<S::Ref> {
    let Some(mut key) = set.prepare(&state.bytes, None) else { return Visit::Full };
    set.prefetch(&mut key);
    set.insert(&key, &state.bytes, marks)
}

/// Inserts random states and checks every answer; tells how many were kept and whether there was no room for some.
fn agrees<S: Visited>(mut set: S, seed: u64, count: usize, limit: u64) -> (usize, bool) {
    println!("seed {seed}");
    let mut twin: HashSet<Vec<u8>> = HashSet::new();
    let mut full = false;
    let list = states(seed, count);
    for (state, _) in &list {
        let key = set.prepare(&state.bytes, None).expect("these need nothing to prepare");
        assert_eq!(set.lookup(&key, &state.bytes).is_some(), twin.contains(&state.bytes));
        match insert(&mut set, state, 0) {
            Visit::New(_) => assert!(twin.insert(state.bytes.clone()), "a known state was called new"),
            Visit::Known(..) => assert!(twin.contains(&state.bytes), "a new state was called known"),
            Visit::Full => {
                full = true;
                assert!(!twin.contains(&state.bytes), "a known state was not recognised");
            }
        }
        assert!(set.usage().bytes <= limit, "{:?} exceeds {limit}", set.usage());
    }
    assert_eq!(set.usage().states, twin.len() as u64);
    for (state, _) in &list {
        let key = set.prepare(&state.bytes, None).expect("these need nothing to prepare");
        assert_eq!(set.lookup(&key, &state.bytes).is_some(), twin.contains(&state.bytes));
    }
    (twin.len(), full)
}

#[test]
fn they_agree_with_a_plain_set() {
    for seed in 0..8 {
        let none = u64::MAX;
        assert!(!agrees(Dfa::new(None), seed, 3000, none).1);
        assert!(!agrees(FlatSet::new(None), seed, 3000, none).1);
        // At this size a wrong answer has a probability of one in a million millions.
        assert!(!agrees(PrivateCompact::new(None, seed as u32), seed, 6000, none).1);
        assert!(!agrees(SharedCompact::new(None, 0), seed, 6000, none).1);
    }
    assert!(!agrees(Dfa::new(None), 50, 20_000, u64::MAX).1);
}

#[test]
fn they_never_exceed_their_limit() {
    for limit in (0..60_000).step_by(3533) {
        let (kept, full) = agrees(Dfa::new(Some(limit)), limit, 4000, limit);
        assert!(full || kept > 3000 && limit > 40_000, "{kept} in {limit}");
        agrees(FlatSet::new(Some(limit)), limit, 3000, limit);
        let (kept, full) = agrees(PrivateCompact::new(Some(limit), 3), limit, 12_000, limit);
        assert!(full, "{kept} hashes cannot fit in {limit}");
    }
}

#[test]
fn marks_are_kept() {
    fn check<S: Marked>(mut set: S) {
        let mask = ((1u32 << set.mark_bits()) - 1) as u8;
        let mut twin: HashMap<State, (S::Ref, u8)> = HashMap::new();
        for (at, (state, _)) in states(3, 5000).into_iter().enumerate() {
            match insert(&mut set, &state, at as u8) {
                Visit::New(name) => assert!(twin.insert(state, (name, at as u8 & mask)).is_none()),
                Visit::Known(name, marks) => assert_eq!(twin.get(&state), Some(&(name, marks))),
                Visit::Full => panic!("there is no limit"),
            }
        }
        for &(name, marks) in twin.values() {
            assert_eq!(set.change_marks(name, 0xf3, 0x05), Some(marks));
            assert_eq!(set.marks(name), Some((marks & 0xf3 | 0x05) & mask));
        }
    }
    for bits in 0..=8 {
        check(FlatSet::with_marks(None, bits));
        check(PrivateCompact::new(None, bits));
        check(SharedCompact::new(None, bits));
    }
}

#[test]
fn lossy_sets_say_so() {
    let mut compact = PrivateCompact::new(None, 0);
    assert_eq!((compact.exactness(), compact.omission_probability()), (Exactness::Lossy, 0.0));
    let mut bits = PrivateBitstate::new(1 << 20, 3).expect("a megabyte is there");
    assert_eq!((bits.exactness(), bits.coverage(), bits.omission_probability()), (Exactness::Lossy, 0.0, 0.0));
    for (state, _) in states(9, 3000) {
        let _ = (insert(&mut compact, &state, 0), insert(&mut bits, &state, 0));
    }
    assert!(compact.omission_probability() > 0.0 && compact.omission_probability() < 1e-10);
    assert!(bits.coverage() > 0.0 && bits.coverage() < 0.002);
    assert!(bits.omission_probability() > 0.0 && bits.omission_probability() < 0.01);
    assert!(bits.hash_factor() > 1000.0);
}

#[test]
fn an_array_of_bits_never_forgets_and_estimates_what_it_omits() {
    let list = states(4, 40_000);
    let distinct: HashSet<&Vec<u8>> = list.iter().map(|it| &it.0.bytes).collect();
    for (bytes, functions) in [(1 << 10, 3), (1 << 14, 3), (1 << 17, 3), (1 << 14, 1), (1 << 15, 5), (8, 3), (0, 2)] {
        let mut set = PrivateBitstate::new(bytes, functions).expect("there is memory");
        let mut news = 0;
        for (state, _) in &list {
            news += u64::from(matches!(insert(&mut set, state, 0), Visit::New(_)));
            assert!(matches!(insert(&mut set, state, 0), Visit::Known(..)), "a state was forgotten");
        }
        assert_eq!(set.usage().states, news);
        assert!(set.usage().bytes <= bytes.max(8));
        let omitted = (distinct.len() as u64 - news) as f64;
        let said = set.expected_omissions();
        println!(
            "{bytes} bytes, {functions} functions: {omitted} omitted, {said:.1} expected, {:.3} covered",
            set.coverage()
        );
        // The estimate knows only of new states, so it is of use while most are new.
        if set.coverage() < 0.5 {
            assert!(said > omitted * 0.5 - 20.0 && said < omitted * 2.0 + 20.0);
        } else {
            assert!(said > 1.0);
        }
    }
}

#[test]
fn threads_share_lossy_sets() {
    let list = states(12, 20_000);
    let distinct: HashSet<&Vec<u8>> = list.iter().map(|it| &it.0.bytes).collect();
    fn work<S: Fork + Sync>(set: &S, list: &[(State, Option<usize>)]) -> usize {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|turn| {
                    let mut set = set.fork();
                    let order = (0..list.len()).map(move |at| (at + turn * 997) % list.len());
                    scope.spawn(move || {
                        order.filter(|&at| matches!(insert(&mut set, &list[at].0, 0), Visit::New(_))).count()
                    })
                })
                .collect();
            threads.into_iter().map(|it| it.join().expect("no thread fails")).sum()
        })
    }
    let compact = SharedCompact::new(None, 0);
    assert_eq!(work(&compact, &list), distinct.len());
    let bits = SharedBitstate::new(1 << 22, 3).expect("there is memory");
    let news = work(&bits, &list);
    assert!(news + 5 >= distinct.len(), "{news} of {}", distinct.len());
    assert_eq!(bits.usage().states, news as u64, "handles that are gone have told what they counted");
}

#[test]
fn longer_states_come_later() {
    let mut set = Dfa::new(None);
    let state = State::of;
    for (at, bytes) in [&b""[..], b"\0", b"\0\0", b"a", b"a\0", b"\0a", b"abc", b"abc\0\0"].into_iter().enumerate() {
        assert_eq!(set.usage().states, at as u64);
        assert_eq!(insert(&mut set, &state(bytes), 0), Visit::New(()));
        assert_eq!(insert(&mut set, &state(bytes), 0), Visit::Known((), 0));
    }
    assert_eq!(set.lookup(&(), b"much longer than any"), None);
    assert_eq!(set.lookup(&(), b"abc\0"), None);
}
