//! Measures the stores: nanoseconds for a new state and for a known one, and bytes a state.
//!
//! `cargo run --release -p starwheel-store --example stores -- [--count N] [--processes N] [--only NAME] [--repeat N] [--file STATES]`
//!
//! The stream is that of a search: each state is left through several steps that change one process part and the globals.
//! A file has one state a line: parts as hexadecimal digits with a blank between them; each line is the successor of the one
//! before it.

use starwheel_store::{Decode, FlatSet, PrivateTree, SharedTree, Vector, Visit};
use std::time::{Duration, Instant};

/// Bytes of a process part.
const PROCESS: usize = 8;
/// Bytes of the globals.
const GLOBALS: usize = 12;

struct Options {
    count: u64,
    processes: usize,
    only: String,
    repeat: usize,
}

fn main() {
    let mut options = Options { count: 1_000_000, processes: 5, only: String::new(), repeat: 1 };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let value = args.next().unwrap_or_default();
        match arg.as_str() {
            "--count" => options.count = value.parse().expect("--count takes a number"),
            "--processes" => options.processes = value.parse().expect("--processes takes a number"),
            "--repeat" => options.repeat = value.parse().expect("--repeat takes a number"),
            "--only" => options.only = value,
            _ => panic!("unknown option {arg}"),
        }
    }
    println!(
        "{:<10} {:>10} {:>9} {:>9} {:>9} {:>11}",
        "store", "states", "new ns", "known ns", "decode ns", "bytes/state"
    );
    row(&options, "flat", || FlatSet::new(None));
    row(&options, "tree", || PrivateTree::new(None, 0));
    row(&options, "tree+4", || PrivateTree::new(None, 4));
    row(&options, "shared", || SharedTree::new(None, 0));
}

fn row<S: Decode>(options: &Options, name: &str, store: impl Fn() -> S) {
    if !options.only.is_empty() && options.only != name {
        return;
    }
    let mut run = Run { set: store(), spent: [Duration::ZERO; 3], counts: [0; 3] };
    run.search(options);
    let usage = run.set.usage();
    let mean = |at: usize| run.spent[at].as_nanos() as f64 / run.counts[at].max(1) as f64;
    let each = usage.bytes as f64 / usage.states as f64;
    if options.repeat > 1 {
        println!("{:?}", run.counts);
    }
    println!("{name:<10} {:>10} {:>9.0} {:>9.0} {:>9.0} {each:>11.2}", usage.states, mean(0), mean(1), mean(2));
}

struct Run<S> {
    set: S,
    /// For new states, known ones and decoding.
    spent: [Duration; 3],
    counts: [u64; 3],
}

impl<S: Decode> Run<S> {
    /// A breadth-first search of processes that count, each step also writing a few values to the globals.
    fn search(&mut self, options: &Options) {
        let ends: Vec<u32> = (0..=options.processes).map(|part| (GLOBALS + part * PROCESS) as u32).collect();
        let first = vec![0; GLOBALS + options.processes * PROCESS];
        let key = self.set.prepare(Vector { bytes: &first, ends: &ends }, None).expect("there is memory");
        let Visit::New(first) = self.set.insert(&key, Vector { bytes: &first, ends: &ends }, 0) else { return };
        let mut queue = vec![first];
        let (mut at, mut path) = (Vec::new(), S::Path::default());
        let (mut next, mut keys) = (Vec::new(), Vec::new());
        let mut done = 0;
        while done < queue.len() && self.counts[0] < options.count {
            let start = Instant::now();
            // A batch of one state: what a depth-first search would do.
            assert!(self.set.decode(queue[done], &mut at, &mut path));
            self.add(2, start, 1);
            done += 1;
            successors(&at, options.processes, &mut next);
            let length = at.len();
            for round in 0..=options.repeat {
                let (mut fresh, total) = (0, next.len() / length);
                let start = Instant::now();
                keys.clear();
                for bytes in next.chunks_exact(length) {
                    keys.extend(self.set.prepare(Vector { bytes, ends: &ends }, Some((&path, &at))));
                }
                for key in &mut keys {
                    self.set.prefetch(key);
                }
                for (key, bytes) in keys.iter().zip(next.chunks_exact(length)) {
                    match self.set.insert(key, Vector { bytes, ends: &ends }, 0) {
                        Visit::New(name) => {
                            fresh += 1;
                            queue.push(name);
                        }
                        Visit::Known(..) => {}
                        Visit::Full => return,
                    }
                }
                // In the first round new and known ones are mixed; the second round tells what known ones cost.
                let known = self.spent[1].as_nanos() as u64 / self.counts[1].max(1);
                if round == 0 {
                    let rest = start.elapsed().saturating_sub(Duration::from_nanos(known * (total as u64 - fresh)));
                    self.spent[0] += rest;
                    self.counts[0] += fresh;
                } else {
                    self.add(1, start, total as u64);
                }
            }
        }
    }

    fn add(&mut self, at: usize, start: Instant, count: u64) {
        self.spent[at] += start.elapsed();
        self.counts[at] += count;
    }
}

/// Each process counts one further, and notes in the globals who did and a part of its count.
fn successors(state: &[u8], processes: usize, out: &mut Vec<u8>) {
    out.clear();
    for process in 0..processes {
        let at = out.len();
        out.extend_from_slice(state);
        let part = at + GLOBALS + process * PROCESS;
        out[part] = (out[part] + 1) % 24;
        out[part + 4] = out[at] & 1;
        out[at] = process as u8;
        out[at + 4 + process % 8] = out[part] / 8;
    }
}
