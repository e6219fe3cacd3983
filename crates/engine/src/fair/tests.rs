//! What the layers of fairness are around loses nothing: neither a system nor a store.

use super::{Copies, CopyStore, Marked, Threaded, Threading, Trailing};
use starwheel_model::System;
use starwheel_store::{Exactness, Inserted, StateId, StateSet, StateStore, Usage};
use starwheel_system::laws::{Probe, Purpose, hold, lose_nothing};
use std::cell::RefCell;

#[test]
fn a_system_with_marks_or_copies_loses_nothing() {
    for probe in [Probe { fast: false }, Probe { fast: true }] {
        hold(&Marked(&probe), 1000).unwrap();
        lose_nothing(&probe, &Marked(&probe), Purpose::default(), 1000).unwrap();
        let threaded = Threaded::new(probe.behind().unwrap());
        hold(&threaded, 1000).unwrap();
        lose_nothing(&probe, &threaded, Purpose::default(), 1000).unwrap();
        hold(&Copies(&probe), 1000).unwrap();
        // Only the last copy of a state is accepting.
        let purpose = Purpose { accepting: true, ..Purpose::default() };
        lose_nothing(&probe, &Copies(&probe), purpose, 1000).unwrap();
    }
}

/// A store that writes down what it is asked.
#[derive(Default)]
struct Recorder {
    asked: RefCell<Vec<&'static str>>,
    besides: RefCell<u64>,
    states: Vec<Vec<u8>>,
}

impl Recorder {
    fn note(&self, what: &'static str) {
        self.asked.borrow_mut().push(what);
    }
}

impl StateSet for Recorder {
    fn exactness(&self) -> Exactness {
        self.note("exactness");
        Exactness::Lossy
    }

    fn usage(&self) -> Usage {
        self.note("usage");
        Usage { states: self.states.len() as u64, bytes: 1000 }
    }

    fn besides(&self, bytes: u64) {
        self.note("besides");
        *self.besides.borrow_mut() = bytes;
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.note("insert");
        match self.states.iter().position(|s| s == state) {
            Some(known) => Inserted::Known(StateId(known as u32)),
            None => {
                self.states.push(state.to_vec());
                Inserted::New(StateId(self.states.len() as u32 - 1))
            }
        }
    }
}

impl StateStore for Recorder {
    const READS: bool = false;

    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        self.note("lookup");
        self.states.iter().position(|s| s == state).map(|n| StateId(n as u32))
    }

    fn read(&self, id: StateId, out: &mut Vec<u8>) {
        self.note("read");
        out.extend_from_slice(&self.states[id.index()]);
    }
}

/// Asks a store around a recorder everything; what the recorder heard of it, and what it was told to be used besides.
fn heard<S: StateStore>(system: &dyn System, mut store: S, inner: impl Fn(&S) -> &Recorder) -> (u64, u64) {
    const { assert!(!S::READS) };
    let mut state = Vec::new();
    _ = system.stepper().initial(&mut state);
    let Inserted::New(id) = store.insert(&state) else { panic!("the first state is known") };
    assert_eq!(store.insert(&state), Inserted::Known(id));
    assert_eq!(store.lookup(&state), Some(id));
    assert_eq!(store.exactness(), Exactness::Lossy);
    store.besides(500);
    let mut back = Vec::new();
    store.read(id, &mut back);
    assert_eq!(back, state);
    let usage = store.usage();
    assert_eq!(usage.states, 1);
    let recorder = inner(&store);
    let asked = recorder.asked.borrow();
    for what in ["exactness", "usage", "besides", "insert", "lookup", "read"] {
        assert!(asked.contains(&what), "the store never hears of {what}");
    }
    (*recorder.besides.borrow(), usage.bytes)
}

#[test]
fn a_store_around_another_one_loses_nothing() {
    let probe = Probe::default();
    assert_eq!(heard(&Marked(&probe), Trailing::new(Recorder::default()), |store| &store.0), (500, 1000));
    let threaded = Threaded::new(probe.behind().unwrap());
    let store = Threading::around(Trailing::new(Recorder::default()));
    assert_eq!(heard(&threaded, store, |store| &store.0.0), (500, 1000));
    let (besides, used) = heard(&Copies(&probe), CopyStore::new(Recorder::default()), CopyStore::states);
    assert!(used > 1000, "copies take memory");
    assert_eq!(besides - 500, used - 1000, "what copies take is used besides the states");
}
