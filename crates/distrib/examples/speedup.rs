//! What so many processes would gain on a model, by one process that plays all of them over the real graph: `speedup MODEL [BARRIER_MS]`.
//!
//! All states are visited level by level. What a transition costs is measured in the same run: to expand it and name its end, to store
//! it, and, for the transitions of the first of 32 processes, to write it for its link and to read it there, as `--wire tree` does.
//! Each level then takes as long as the one who has most to do in it, and a barrier. One process alone expands and stores, and
//! sends nothing.

use starwheel_base::SourceMap;
use starwheel_distrib::owner;
use starwheel_distrib::sides::{SideReceiver, SideSender};
use starwheel_distrib::wire::Rest;
use starwheel_engine::{Expander, Flow, Stage, explore_split};
use starwheel_jit::LazySystem;
use starwheel_promela::preprocess::Loader;
use starwheel_promela::{CompileOptions, compile};
use starwheel_store::{Inserted, NumberedTree, StateId, StateRef, StateStore};
use starwheel_system::System;
use std::time::{Duration, Instant};

/// Numbers of processes.
const CREWS: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// The crew whose links are written and read.
const MOST: usize = 32;
/// States that are expanded between two looks at the clock.
const BURST: u32 = 512;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str, _: &str, _: bool) -> Result<(String, String), String> {
        Err(format!("`{path}` is not read here"))
    }
}

/// What one process does in one level.
#[derive(Clone, Copy, Default)]
struct Share {
    expanded: u64,
    sent: u64,
    received: u64,
    stored: u64,
}

/// States one behind the other.
#[derive(Default)]
struct List {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl List {
    fn push(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
    }

    fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

/// Names the successors of a state, and keeps them.
struct Naming<'n> {
    store: &'n mut NumberedTree,
    at: StateRef,
    state: &'n [u8],
    to: &'n mut List,
    names: &'n mut Vec<StateRef>,
}

impl Stage for Naming<'_> {
    fn show(&mut self, state: &[u8], changed: u64) {
        let name = self.store.name_changed(state, (self.at, self.state), changed);
        self.names.extend(name.inspect(|&name| self.store.expect(name)));
        self.to.push(state);
    }
}

/// Everything that is played, and what it takes.
struct Play<'a> {
    expander: Expander<'a>,
    store: NumberedTree,
    /// By receiver: the link to it, its end there, and the store there.
    links: Vec<(SideSender, SideReceiver, NumberedTree)>,
    stored: u32,
    edges: u64,
    carried: u64,
    /// Expanding, storing, writing, reading.
    times: [Duration; 4],
    owned: Vec<u64>,
    /// The states of a burst, how many successors there are up to each of them, and these.
    from: List,
    until: Vec<usize>,
    to: List,
    names: Vec<StateRef>,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let Some(path) = args.get(1) else {
        eprintln!("speedup MODEL [BARRIER_MS]");
        return;
    };
    let barrier = args.get(2).and_then(|ms| ms.parse::<f64>().ok()).unwrap_or(0.1) * 1e6;
    let mut map = SourceMap::new();
    let file = map.add_file(path.clone(), std::fs::read_to_string(path).unwrap_or_default());
    let Some(model) = compile(&mut map, file, &CompileOptions::default(), &NoFiles).model else {
        eprintln!("`{path}` is no model");
        return;
    };
    let system = LazySystem::new(&model);
    assert!(system.hidden_bytes() == 0, "hidden bytes are not played");
    let mut play = Play::new(&system);
    let levels = play.all();
    play.tell(path, &levels, barrier);
}

impl<'a> Play<'a> {
    fn new(system: &'a dyn System) -> Play<'a> {
        let split = explore_split(system);
        let store = || NumberedTree::with_split(None, split.clone());
        let link = |_| (SideSender::default(), SideReceiver::default(), store());
        Play {
            expander: Expander::new(system),
            store: store(),
            links: (0..MOST).map(link).collect(),
            stored: 0,
            edges: 0,
            carried: 0,
            times: [Duration::ZERO; 4],
            owned: vec![0; MOST],
            from: List::default(),
            until: Vec::new(),
            to: List::default(),
            names: Vec::new(),
        }
    }

    /// Visits everything; by level and size of a crew, the shares.
    fn all(&mut self) -> Vec<Vec<Vec<Share>>> {
        self.expander.initial();
        let Play { expander, store, stored, .. } = self;
        let mut first = Vec::new();
        expander.each(|state| first = state.to_vec());
        let name = store.name(&first).expect("there is memory");
        *stored += u32::from(matches!(store.enter(name), Inserted::New(_)));
        let (mut levels, mut next) = (Vec::new(), 0);
        while next < self.stored {
            let end = self.stored;
            let mut shares: Vec<Vec<Share>> = CREWS.iter().map(|&crew| vec![Share::default(); crew]).collect();
            while next < end {
                let last = (next + BURST).min(end);
                self.expand(next, last);
                self.deal(&mut shares);
                self.travel();
                self.insert();
                next = last;
            }
            levels.push(shares);
        }
        levels
    }

    fn expand(&mut self, first: u32, last: u32) {
        let (begun, mut state) = (Instant::now(), Vec::new());
        self.from.clear();
        self.to.clear();
        self.until.clear();
        self.names.clear();
        for number in first..last {
            state.clear();
            self.store.read(StateId(number), &mut state);
            let Play { store, expander, to, names, .. } = self;
            let at = store.name_of(StateId(number)).expect("it is stored");
            let mut naming = Naming { store, at, state: &state, to, names };
            _ = expander.expand_onto(&state, &mut naming, |_, wrongs| {
                wrongs.clear();
                Flow::Continue(())
            });
            self.from.push(&state);
            self.until.push(self.to.ends.len());
        }
        self.times[0] += begun.elapsed();
        self.edges += self.to.ends.len() as u64;
    }

    /// Notes who would have done what.
    fn deal(&mut self, shares: &mut [Vec<Share>]) {
        let mut start = 0;
        for (at, &until) in self.until.iter().enumerate() {
            let from = self.from.get(at);
            self.owned[owner(from, MOST)] += 1;
            for (crew, shares) in CREWS.iter().zip(&mut *shares) {
                let own = owner(from, *crew);
                for to in (start..until).map(|to| owner(self.to.get(to), *crew)) {
                    shares[own].expanded += 1;
                    shares[to].stored += 1;
                    shares[own].sent += u64::from(to != own);
                    shares[to].received += u64::from(to != own);
                }
            }
            start = until;
        }
    }

    /// Writes what the first process would send, and reads it again.
    fn travel(&mut self) {
        let mut packets: Vec<Vec<u8>> = vec![Vec::new(); MOST];
        let (mut start, mut time) = (0, Duration::ZERO);
        for (at, &until) in self.until.iter().enumerate() {
            if owner(self.from.get(at), MOST) == 0 {
                let begun = Instant::now();
                for to in start..until {
                    let owner = owner(self.to.get(to), MOST);
                    if owner != 0 {
                        // As in a search, the head of an entry says what stands for its sides.
                        let packet = &mut packets[owner];
                        let head = packet.len();
                        packet.push(0);
                        packet[head] = self.links[owner].0.write(self.names[to], &self.store, packet);
                        self.carried += 1;
                    }
                }
                time += begun.elapsed();
            }
            start = until;
        }
        self.times[2] += time;
        let begun = Instant::now();
        for (packet, (_, receiver, there)) in packets.iter().zip(&mut self.links) {
            let mut rest = Rest(packet);
            while let Ok(&[kinds]) = rest.take(1) {
                assert!(matches!(receiver.read(kinds, there, &mut rest), Ok(Some(_))));
            }
        }
        self.times[3] += begun.elapsed();
    }

    fn insert(&mut self) {
        let begun = Instant::now();
        assert_eq!(self.names.len(), self.to.ends.len(), "there is memory");
        for &name in &self.names {
            self.stored += u32::from(matches!(self.store.enter(name), Inserted::New(_)));
        }
        self.times[1] += begun.elapsed();
    }

    fn tell(&self, path: &str, levels: &[Vec<Vec<Share>>], barrier: f64) {
        let Play { stored, edges, carried, .. } = self;
        let each = |time: Duration, count: u64| time.as_nanos() as f64 / count.max(1) as f64;
        let [e, i] = [self.times[0], self.times[1]].map(|time| each(time, *edges));
        let [p, u] = [self.times[2], self.times[3]].map(|time| each(time, *carried));
        println!(
            "{path}: {stored} states, {edges} transitions, {} levels of {} on average",
            levels.len(),
            edges / levels.len() as u64
        );
        println!(
            "measured, nanoseconds a transition: expand {e:.0}, store {i:.0}, write for a link {p:.0}, read there {u:.0}"
        );
        let balance = *self.owned.iter().max().unwrap_or(&0) as f64 * MOST as f64 / f64::from(*stored);
        println!("balance of {MOST}: {balance:.4}; barrier {:.2} ms", barrier / 1e6);
        let alone = *edges as f64 * (e + i);
        for (at, crew) in CREWS.iter().enumerate() {
            let share =
                |s: &Share| s.expanded as f64 * e + s.sent as f64 * p + s.received as f64 * u + s.stored as f64 * i;
            let level = |shares: &Vec<Vec<Share>>| shares[at].iter().map(share).fold(0.0, f64::max);
            let work: f64 = levels.iter().map(level).sum();
            let waits = if *crew > 1 { levels.len() as f64 * barrier } else { 0.0 };
            println!(
                "{crew:>3} processes: speed-up {:.2}, without barriers {:.2}",
                alone / (work + waits),
                alone / work
            );
        }
    }
}
