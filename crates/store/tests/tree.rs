//! The tree store against the set of the standard library.

mod common;

use common::{State, states};
use starwheel_store::{
    Decode, Exactness, Fork, Marked, Path, PrivateTree, SharedTree, Split, StateRef, Visit, Visited,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;

/// Inserts a state, prepared from its parent if there is one; none if there is no memory.
fn insert<S>(set: &mut S, state: &State, parent: Option<S::Ref>, marks: u8) -> Visit<S::Ref>
where
    S: Decode,
{
    let (mut bytes, mut path) = (Vec::new(), S::Path::default());
    let parent = parent.filter(|&parent| set.decode(parent, &mut bytes, &mut path));
    let Some(mut key) = set.prepare(&state.bytes, parent.map(|_| (&mut path, &bytes[..]))) else { return Visit::Full };
    set.prefetch(&mut key);
    set.insert(&key, &state.bytes, marks)
}

/// Inserts random states and checks every answer.
fn agrees<S: Decode + Marked>(mut set: S, seed: u64, count: usize) -> bool
where
    S::Ref: Debug,
{
    println!("seed {seed}");
    let mask = ((1u32 << set.mark_bits()) - 1) as u8;
    let mut twin: HashMap<State, (S::Ref, u8)> = HashMap::new();
    let list = states(seed, count);
    let mut full = false;
    for (at, (state, parent)) in list.iter().enumerate() {
        let parent = parent.and_then(|parent| twin.get(&list[parent].0)).map(|it| it.0);
        let marks = at as u8;
        match insert(&mut set, state, parent, marks) {
            Visit::New(name) => {
                assert!(twin.insert(state.clone(), (name, marks & mask)).is_none(), "a known state was called new")
            }
            Visit::Known(name, marks) => assert_eq!(twin.get(state), Some(&(name, marks))),
            Visit::Full => {
                full = true;
                assert!(!twin.contains_key(state), "a known state was not recognised");
            }
        }
    }
    assert_eq!(set.usage().states, twin.len() as u64);
    let names: HashSet<S::Ref> = twin.values().map(|it| it.0).collect();
    assert_eq!(names.len(), twin.len(), "two states have one name");
    let (mut bytes, mut path) = (Vec::new(), S::Path::default());
    for (state, &(name, marks)) in &twin {
        assert!(set.decode(name, &mut bytes, &mut path) && bytes == state.bytes, "a state was changed");
        assert_eq!(set.marks(name), Some(marks), "marks were changed");
        assert_eq!(set.change_marks(name, 0x0f, 0xa5), Some(marks));
        assert_eq!(set.marks(name), Some((marks & 0x0f | 0xa5) & mask));
        let key = set.prepare(&state.bytes, Some((&mut path, &bytes))).expect("its parts are known");
        assert_eq!(set.lookup(&key, &state.bytes), Some((name, (marks & 0x0f | 0xa5) & mask)));
    }
    full
}

#[test]
fn agrees_with_a_plain_map() {
    for seed in 0..18 {
        let split = if seed % 2 == 0 { Split::halves(seed as usize) } else { Split::default() };
        assert!(!agrees(PrivateTree::with_split(None, seed as u32 % 9, split), seed, 4000), "there is no limit");
    }
    assert!(!agrees(PrivateTree::new(None, 3), 100, 30_000));
    assert!(!agrees(SharedTree::new(None, 8), 101, 20_000));
    assert_eq!(PrivateTree::new(None, 0).exactness(), Exactness::Exact);
}

#[test]
fn never_exceeds_its_limit_and_still_knows_what_it_has() {
    for limit in (0..110_000).step_by(3777) {
        let mut set = PrivateTree::new(Some(limit), 4);
        let mut twin: HashMap<State, StateRef> = HashMap::new();
        let mut full = false;
        for (state, _) in states(limit, 6000) {
            match insert(&mut set, &state, None, 0) {
                Visit::New(name) => assert!(twin.insert(state, name).is_none()),
                Visit::Known(name, _) => assert_eq!(twin.get(&state), Some(&name)),
                Visit::Full => {
                    full = true;
                    assert!(!twin.contains_key(&state), "a known state was not recognised");
                }
            }
            assert!(set.usage().bytes <= limit);
        }
        assert!(full, "6000 states cannot fit in {limit} bytes");
        let (mut bytes, mut path) = (Vec::new(), Path::default());
        assert!(twin.iter().all(|(state, &name)| set.decode(name, &mut bytes, &mut path) && bytes == state.bytes));
    }
}

#[test]
fn a_limit_is_used_well() {
    for limit in [1 << 20, 3 << 20] {
        let mut set = PrivateTree::new(Some(limit), 0);
        let mut count = 0u64;
        loop {
            // A product of two wide counters: almost everything is in the root table.
            let bytes: Vec<u8> = [count % 4096, count / 4096].iter().flat_map(|it| it.to_le_bytes()).collect();
            let state = State::of(&bytes);
            match insert(&mut set, &state, None, 0) {
                Visit::New(_) => count += 1,
                Visit::Known(..) => panic!("all states are different"),
                Visit::Full => break,
            }
        }
        let used = set.usage();
        println!("{limit}: {count} states, {:.2} bytes each", used.bytes as f64 / count as f64);
        assert_eq!(used.states, count);
        assert!(used.bytes <= limit && used.bytes >= limit / 10 * 8, "{} of {limit}", used.bytes);
    }
}

#[test]
fn an_unknown_name_is_refused() {
    let mut set = PrivateTree::new(None, 2);
    let (mut bytes, mut path) = (Vec::new(), Path::default());
    for name in [0, 1, u64::MAX, 1 << 32] {
        assert!(!set.decode(StateRef(name), &mut bytes, &mut path));
        assert_eq!((set.marks(StateRef(name)), set.change_marks(StateRef(name), 0, 1)), (None, None));
    }
}

#[test]
fn a_prepared_state_is_not_there_until_it_is_inserted() {
    let mut set = PrivateTree::new(None, 1);
    let state = State::of(b"abcdefghijkl");
    let key = set.prepare(&state.bytes, None).expect("there is memory");
    assert_eq!((set.lookup(&key, &state.bytes), set.usage().states), (None, 0));
    let Visit::New(name) = set.insert(&key, &state.bytes, 1) else { panic!("it is new") };
    assert_eq!(set.lookup(&key, &state.bytes), Some((name, 1)));
    // A stale place does no harm.
    let mut again = key;
    set.prefetch(&mut again);
    for (other, _) in states(1, 5000) {
        let _ = insert(&mut set, &other, None, 0);
    }
    assert_eq!(set.lookup(&again, &state.bytes), Some((name, 1)));
}

#[test]
fn of_many_threads_one_adds_a_state() {
    let set = SharedTree::new(None, 4);
    let list = states(7, 30_000);
    let distinct: HashSet<&State> = list.iter().map(|it| &it.0).collect();
    let news: Vec<usize> = std::thread::scope(|scope| {
        let work = |turn: usize| {
            let (mut set, list) = (set.fork(), &list);
            scope.spawn(move || {
                let order = (0..list.len()).map(|at| (at + turn * 1000) % list.len());
                order.filter(|&at| matches!(insert(&mut set, &list[at].0, None, 0), Visit::New(_))).count()
            })
        };
        let threads: Vec<_> = (0..4).map(work).collect();
        threads.into_iter().map(|it| it.join().expect("no thread fails")).collect()
    });
    assert_eq!(news.iter().sum::<usize>(), distinct.len());
    assert_eq!(set.usage().states, distinct.len() as u64);
    let mut set = set;
    for state in distinct {
        let Visit::Known(name, _) = insert(&mut set, state, None, 0) else { panic!("a state was lost") };
        let (mut bytes, mut path) = (Vec::new(), Path::default());
        assert!(set.decode(name, &mut bytes, &mut path) && bytes == state.bytes);
    }
}

#[test]
fn the_split_with_fewer_values_is_chosen() {
    let pairs = || (0..30).flat_map(|a| (0..30).map(move |b| (a, b)));
    let state = |words: [u64; 4]| words.map(u64::to_le_bytes).concat();
    let cost = |states: &[Vec<u8>]| {
        let mut set =
            PrivateTree::with_split(None, 0, Split::choose(&states.iter().map(|it| &it[..]).collect::<Vec<_>>()));
        states.iter().for_each(|it| _ = insert(&mut set, &State::of(it), None, 0));
        set.usage().bytes
    };
    let neighbours: Vec<_> = pairs().map(|(a, b)| state([a, a, b, b])).collect();
    let apart: Vec<_> = pairs().map(|(a, b)| state([a, b, a, b])).collect();
    let around: Vec<_> = pairs().map(|(a, b)| state([a, b, b, a])).collect();
    // All of these are a product of two values, and the same words stand on the same side.
    assert_eq!(cost(&neighbours), cost(&apart));
    assert_eq!(cost(&neighbours), cost(&around));
}
