//! The packed store against the set of the standard library, with good layouts and bad ones, and moved at any moment.

mod common;

use common::{Random, states};
use starwheel_store::{
    Census, Decode, Exactness, Fork, Layout, Marked, PackedPath, PrivatePacked, SharedPacked, StateRef, Visit, Visited,
};
use std::collections::{HashMap, HashSet};

/// States that pack, mostly: words with few values, a counter, a word with scattered bits, and now and then another length.
/// With each comes the one before it, and the units that differ.
fn packing(seed: u64, count: usize) -> Vec<(Vec<u8>, Vec<u8>, u64)> {
    let mut random = Random(seed);
    let moduli = [1, 2, 3, 7, 1, 20, 5, 2, 1];
    let mut words = vec![0u32; moduli.len() + 2];
    let (mut list, mut before, mut length) = (Vec::new(), Vec::new(), 4 * words.len());
    for at in 0..count {
        for _ in 0..random.below(3) {
            let word = random.below(moduli.len());
            words[word] = random.below(moduli[word]) as u32 * 0x0101_0003;
        }
        let counter = moduli.len();
        words[counter] = (random.below(1 + at / 2) as u32) << 3 | 0x4000_0005;
        words[counter + 1] = random.below(1 << 10) as u32 & 0x111 | (random.below(2) as u32) << 31;
        match random.below(400) {
            0 => length = 4 * words.len() - random.below(9),
            1 => words[0] ^= random.below(1 << 20) as u32,
            2 => words[0] = 0,
            _ => {}
        }
        let mut state: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        state.truncate(length);
        let units = state.chunks(4).zip(before.chunks(4)).enumerate();
        let differing = units.fold(0, |mask, (at, (new, old))| mask | u64::from(new != old) << at);
        let changed = if before.len() == state.len() { differing | 1 << random.below(12) } else { u64::MAX };
        list.push((state.clone(), std::mem::replace(&mut before, state), changed));
    }
    list
}

fn layout<'s>(states: impl IntoIterator<Item = &'s [u8]>) -> Option<Layout> {
    let mut census = Census::new();
    states.into_iter().for_each(|state| census.add(state));
    census.layout()
}

/// What a store should know: names and marks.
type Twin = HashMap<Vec<u8>, (StateRef, u8)>;

/// Inserts a state near the one before it and compares the answer.
fn insert<S>(set: &mut S, twin: &mut Twin, (state, before, changed): &(Vec<u8>, Vec<u8>, u64), marks: u8)
where
    S: Decode<Ref = StateRef> + Marked,
{
    let (mut bytes, mut path) = (Vec::new(), S::Path::default());
    let parent = twin.get(before).map(|it| it.0).filter(|&parent| set.decode(parent, &mut bytes, &mut path));
    let key = match parent {
        Some(_) => set.prepare_changed(state, (&mut path, before), *changed),
        None => set.prepare(state, None),
    };
    let mut key = key.expect("there is memory");
    set.prefetch(&mut key);
    let marks = marks & ((1u32 << set.mark_bits()) - 1) as u8;
    match set.insert(&key, state, marks) {
        Visit::New(name) => {
            assert!(twin.insert(state.clone(), (name, marks)).is_none(), "a known state was called new")
        }
        Visit::Known(name, marks) => assert_eq!(twin.get(state), Some(&(name, marks)), "a new state was called known"),
        Visit::Full => panic!("there is memory"),
    }
}

/// Looks at all that a store should know.
fn compare<S: Decode<Ref = StateRef> + Marked>(set: &mut S, twin: &Twin) {
    assert_eq!(set.usage().states, twin.len() as u64);
    assert_eq!(twin.values().map(|it| it.0).collect::<HashSet<_>>().len(), twin.len(), "two states have one name");
    let (mut bytes, mut path) = (Vec::new(), S::Path::default());
    for (state, &(name, marks)) in twin {
        assert!(set.decode(name, &mut bytes, &mut path) && bytes == *state, "a state was changed");
        assert_eq!(set.marks(name), Some(marks), "marks were changed");
        let key = set.prepare(state, Some((&mut path, &bytes))).expect("it is known");
        assert_eq!(set.lookup(&key, state), Some((name, marks)));
        let mask = ((1u32 << set.mark_bits()) - 1) as u8;
        assert_eq!(set.change_marks(name, 0x02, 0xfd), Some(marks));
        assert_eq!(set.change_marks(name, 0, marks), Some((marks & 0x02 | 0xfd) & mask));
    }
}

#[test]
fn agrees_with_a_plain_map_whatever_was_learned() {
    for (seed, seen) in [(1, 0), (2, 1), (3, 10), (4, 300), (5, 5_000), (6, 30_000)] {
        println!("seed {seed}");
        let list = packing(seed, 30_000);
        let layout = layout(list[..seen].iter().map(|it| &it.0[..])).expect("they pack");
        let marks = seed as u32 % 4;
        let mut twin = Twin::new();
        let mut set = PrivatePacked::new(None, marks, &layout, 4096).expect("there is memory");
        list.iter().enumerate().for_each(|(at, it)| insert(&mut set, &mut twin, it, at as u8));
        compare(&mut set, &twin);
        // What was learned from all of them leaves nobody out.
        assert_eq!(set.outgrown(), seen < 30_000, "{seen} seen");
        let mut twin = Twin::new();
        let mut set = SharedPacked::new(None, marks, &layout, 4096).expect("there is memory");
        // Whatever is expected.
        set.expect([0, 100, 30_000, 1 << 20][seed as usize % 4]);
        list.iter().enumerate().for_each(|(at, it)| insert(&mut set, &mut twin, it, at as u8));
        compare(&mut set, &twin);
        assert_eq!(set.exactness(), Exactness::Exact);
    }
}

#[test]
fn states_of_all_kinds_and_lengths_are_kept_apart() {
    for seed in 0..6 {
        let list = states(seed, 4000);
        // The few that are seen pack; most of the others do not.
        let layout = layout(list[..seed as usize * 3].iter().map(|it| &it.0.bytes[..]));
        let Some(layout) = layout else { continue };
        let mut set = PrivatePacked::new(None, 2, &layout, 4096).expect("there is memory");
        let mut twin = Twin::new();
        for (state, parent) in &list {
            let before = parent.map_or(Vec::new(), |parent| list[parent].0.bytes.clone());
            insert(&mut set, &mut twin, &(state.bytes.clone(), before, u64::MAX), 1);
        }
        compare(&mut set, &twin);
    }
}

/// Moves everything to a wider layout; nobody is lost, and marks stay.
fn moved(set: PrivatePacked, twin: &mut Twin) -> PrivatePacked {
    let marks = set.mark_bits();
    let layout = set.wider().expect("they pack");
    let mut next = PrivatePacked::new(None, marks, &layout, 4096).expect("there is memory");
    next.expect(twin.len() as u64);
    let (mut used, mut count) = (u64::MAX, 0);
    let drained = set.drain(|state, marks, bytes| {
        assert!(bytes <= used, "what was shown still takes memory");
        used = bytes;
        let key = next.prepare(state, None).expect("there is memory");
        count += 1;
        matches!(next.insert(&key, state, marks), Visit::New(_))
    });
    let drained = drained.expect("each state is there once");
    assert_eq!(count, twin.len());
    let mut bytes = Vec::new();
    for (state, (name, _)) in twin.iter_mut() {
        drained.decode(*name, &mut bytes);
        assert_eq!(bytes, *state, "an old name means another state");
        *name = next.prepare(&bytes, None).expect("there is memory").into();
    }
    assert!(!next.outgrown() && next.layout().bits() <= 63);
    next
}

#[test]
fn a_store_may_move_at_any_moment() {
    for at in 0..120 {
        let list = packing(1000 + at as u64, 400);
        let layout = layout(list[..at / 2].iter().map(|it| &it.0[..])).expect("they pack");
        let mut set = PrivatePacked::new(None, 2, &layout, 4096).expect("there is memory");
        let mut twin = Twin::new();
        for (number, state) in list.iter().enumerate() {
            if number == at || number == 3 * at {
                set = moved(set, &mut twin);
            }
            insert(&mut set, &mut twin, state, number as u8);
        }
        compare(&mut set, &twin);
    }
}

#[test]
fn a_store_may_move_again_and_again() {
    let list = packing(7, 6_000);
    let mut set = PrivatePacked::new(None, 1, &layout([]).expect("nothing packs"), 4096).expect("there is memory");
    let mut twin = Twin::new();
    for (number, state) in list.iter().enumerate() {
        if number % 150 == 0 {
            set = moved(set, &mut twin);
        }
        insert(&mut set, &mut twin, state, number as u8);
    }
    compare(&mut set, &twin);
}

#[test]
fn never_exceeds_its_limit_and_still_knows_what_it_has() {
    let list = packing(11, 9_000);
    let layout = layout(list[..2_000].iter().map(|it| &it.0[..])).expect("they pack");
    for limit in (0..140_000).step_by(3_777) {
        let Some(mut set) = PrivatePacked::new(Some(limit), 4, &layout, 4096) else { continue };
        if limit % 2 == 1 {
            set.expect(9_000);
        }
        let mut twin: HashMap<&[u8], StateRef> = HashMap::new();
        let mut full = false;
        for (state, ..) in &list {
            let key = set.prepare(state, None);
            match key.map_or(Visit::Full, |key| set.insert(&key, state, 0)) {
                Visit::New(name) => assert!(twin.insert(state, name).is_none()),
                Visit::Known(name, _) => assert_eq!(twin.get(&state[..]), Some(&name)),
                Visit::Full => {
                    full = true;
                    assert!(!twin.contains_key(&state[..]), "a known state was not recognised");
                }
            }
            assert!(set.usage().bytes <= limit, "{} of {limit}", set.usage().bytes);
        }
        assert!(full, "9000 states cannot fit in {limit} bytes");
        let (mut bytes, mut path) = (Vec::new(), PackedPath::default());
        assert!(twin.iter().all(|(state, &name)| set.decode(name, &mut bytes, &mut path) && bytes == **state));
    }
}

#[test]
fn states_with_too_many_bits_do_not_pack() {
    let mut random = Random(3);
    let wide: Vec<Vec<u8>> = (0..1000).map(|_| (0..40).map(|_| random.below(256) as u8).collect()).collect();
    assert!(layout(wide.iter().map(|it| &it[..])).is_none());
    assert!(layout(wide.iter().map(|it| &it[..7])).is_some_and(|layout| layout.bits() <= 56));
}

#[test]
fn of_many_threads_one_adds_a_state() {
    let list = packing(21, 40_000);
    let layout = layout(list[..3_000].iter().map(|it| &it.0[..])).expect("they pack");
    let set = SharedPacked::new(None, 3, &layout, 4096).expect("there is memory");
    let distinct: HashSet<&[u8]> = list.iter().map(|it| &it.0[..]).collect();
    let news: Vec<usize> = std::thread::scope(|scope| {
        let work = |turn: usize| {
            let (mut set, list) = (set.fork(), &list);
            scope.spawn(move || {
                let order = (0..list.len()).map(|at| (at + turn * 1000) % list.len());
                let insert = |at: &usize| {
                    let mut key = set.prepare(&list[*at].0, None).expect("there is memory");
                    set.prefetch(&mut key);
                    matches!(set.insert(&key, &[], 0), Visit::New(_))
                };
                order.filter(insert).count()
            })
        };
        let threads: Vec<_> = (0..4).map(work).collect();
        threads.into_iter().map(|it| it.join().expect("no thread fails")).collect()
    });
    assert_eq!(news.iter().sum::<usize>(), distinct.len());
    assert_eq!(set.usage().states, distinct.len() as u64);
    let mut set = set;
    for state in distinct {
        let key = set.prepare(state, None).expect("it is known");
        let Visit::Known(name, _) = set.insert(&key, &[], 0) else { panic!("a state was lost") };
        let (mut bytes, mut path) = (Vec::new(), PackedPath::default());
        assert!(set.decode(name, &mut bytes, &mut path) && bytes == state);
    }
}

/// Names are read relative to the one that was read before, where all states have one length; so any order must do, with states
/// that do not pack in between.
#[test]
fn states_are_read_in_any_order() {
    for (seed, length) in (1..=40u64).zip((1..=20usize).cycle()) {
        println!("seed {seed}, {length} bytes");
        let mut random = Random(seed);
        let values = 2 + random.below(5);
        let state = |random: &mut Random, values: usize| -> Vec<u8> {
            (0..length).map(|at| if at % 3 == 1 { 9 } else { random.below(values) as u8 }).collect()
        };
        let list: Vec<Vec<u8>> = (0..300).map(|_| state(&mut random, values)).collect();
        // Some have values that nobody had seen.
        let strange: Vec<Vec<u8>> = (0..20).map(|_| state(&mut random, 40)).collect();
        let Some(layout) = layout(list.iter().map(|it| &it[..])) else { continue };
        let mut set = PrivatePacked::new(None, 1, &layout, 4096).expect("there is memory");
        let mut names = Vec::new();
        for state in list.iter().chain(&strange) {
            let key = set.prepare(state, None).expect("there is memory");
            match set.insert(&key, state, 0) {
                Visit::New(name) | Visit::Known(name, _) => names.push((name, state)),
                Visit::Full => panic!("there is memory"),
            }
        }
        let (mut bytes, mut path) = (Vec::new(), PackedPath::default());
        for _ in 0..1000 {
            let (name, state) = names[random.below(names.len())];
            assert!(set.decode(name, &mut bytes, &mut path) && bytes == *state);
        }
    }
}
