//! Measures the stores: nanoseconds for a new state and for a known one, and bytes a state.
//!
//! `cargo run --release -p starwheel-store --example stores -- [--count N] [--processes N] [--repeat N] [--only NAME]
//! [--bits BYTES] [--file STATES]`
//!
//! The stream is that of a search: each state is left through several steps, each of which changes one process part and
//! the globals. A file has one state a line: parts as hexadecimal digits with a blank between them; each line is taken for the
//! successor of the one before it. Times are those of the processor, so that a busy machine tells much the same.

use starwheel_store::{
    Decode, Dfa, FlatSet, Fork, PrivateBitstate, PrivateCompact, PrivateTree, SharedTree, Visit, Visited,
};

use std::collections::HashMap;

/// Bytes of a process part.
const PROCESS: usize = 8;
/// Bytes of the globals.
const GLOBALS: usize = 12;

struct Options {
    count: usize,
    processes: usize,
    repeat: usize,
    only: Option<String>,
    /// Bytes of the array of bits.
    bits: Option<u64>,
}

fn main() {
    let mut options = Options { count: 1_000_000, processes: 5, repeat: 1, only: None, bits: None };
    let mut file = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let value = args.next().unwrap_or_default();
        match arg.as_str() {
            "--count" => options.count = value.parse().expect("--count takes a number"),
            "--processes" => options.processes = value.parse().expect("--processes takes a number"),
            "--repeat" => options.repeat = value.parse().expect("--repeat takes a number"),
            "--only" => options.only = Some(value),
            "--bits" => options.bits = Some(value.parse().expect("--bits takes a number of bytes")),
            "--file" => file = Some(value),
            _ => panic!("unknown option {arg}"),
        }
    }
    let stream = match file {
        Some(file) => Stream::read(&std::fs::read_to_string(file).expect("the file can be read")),
        None => Stream::search(&options),
    };
    println!("{} states, {} steps", stream.states, stream.steps.len());
    println!("{:<9} {:>8} {:>9} {:>12}", "store", "new ns", "known ns", "bytes/state");
    let memory = options.bits.unwrap_or(stream.states as u64 * 2);
    exact(&options, &stream, "flat", FlatSet::new(None));
    exact(&options, &stream, "tree", PrivateTree::new(None, 0));
    exact(&options, &stream, "tree+4", PrivateTree::new(None, 4));
    exact(&options, &stream, "shared", SharedTree::new(None, 0).fork());
    lossy(&options, &stream, "compact", PrivateCompact::new(None, 0));
    lossy(&options, &stream, "bitstate", PrivateBitstate::new(memory, 3).expect("there is memory"));
    lossy(&options, &stream, "dfa", Dfa::new(None));
}

/// A recorded search: the steps of a state stand together.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    steps: Vec<Step>,
    states: usize,
}

struct Step {
    /// The state that is left, as a place in `bytes`, and the one that is reached.
    from: usize,
    to: usize,
    /// Numbers of these states, in the order of their first appearance.
    names: (usize, usize),
    /// Bytes of the state that is reached.
    length: usize,
}

impl Stream {
    /// A breadth-first search of processes that count, each step also writing a few values to the globals.
    fn search(options: &Options) -> Stream {
        let length = GLOBALS + options.processes * PROCESS;
        let mut stream = Stream { bytes: vec![0; length], ..Stream::default() };
        let mut known = HashMap::from([(stream.bytes.clone(), 0)]);
        let mut queue = std::collections::VecDeque::from([0]);
        while let Some(from) = queue.pop_front().filter(|_| known.len() < options.count) {
            let name = known[&stream.bytes[from..from + length]];
            for process in 0..options.processes {
                let to = stream.bytes.len();
                stream.bytes.extend_from_within(from..from + length);
                change(&mut stream.bytes[to..], process);
                let next = known.len();
                let number = *known.entry(stream.bytes[to..].to_vec()).or_insert(next);
                stream.steps.push(Step { from, to, names: (name, number), length });
                if number == next {
                    queue.push_back(to);
                }
            }
        }
        Stream { states: known.len(), ..stream }
    }

    fn read(text: &str) -> Stream {
        let mut stream = Stream::default();
        let mut last = None;
        let mut known = HashMap::new();
        for line in text.lines() {
            let to = stream.bytes.len();
            for part in line.split_whitespace() {
                let digit = |at: usize| u8::from_str_radix(&part[at..at + 2], 16).expect("two hexadecimal digits");
                stream.bytes.extend((0..part.len() / 2).map(|at| digit(2 * at)));
            }
            let length = stream.bytes.len() - to;
            let next = known.len();
            let number = *known.entry(stream.bytes[to..].to_vec()).or_insert(next);
            let (from, before) = last.unwrap_or((to, number));
            stream.steps.push(Step { from, to, names: (before, number), length });
            last = Some((to, number));
        }
        Stream { states: known.len(), ..stream }
    }

    fn reached(&self, step: &Step) -> &[u8] {
        &self.bytes[step.to..step.to + step.length]
    }

    /// The steps of each state together.
    fn batches(&self) -> impl Iterator<Item = &[Step]> {
        self.steps.chunk_by(|a, b| a.from == b.from)
    }
}

/// Each process counts one further, and notes in the globals who did and a part of its count.
fn change(state: &mut [u8], process: usize) {
    let part = GLOBALS + process * PROCESS;
    state[part] = (state[part] + 1) % 24;
    state[part + 4] = state[0] & 1;
    state[0] = process as u8;
    state[4 + process % 8] = state[part] / 8;
}

/// Uses the store's own memory of the state that is left, as a search does that keeps only names.
fn exact<S: Decode>(options: &Options, stream: &Stream, name: &str, mut set: S) {
    let (mut buffer, mut path, mut keys) = (Vec::new(), S::Path::default(), Vec::new());
    let mut names = vec![None; stream.states];
    row(options, stream, name, &mut set, move |set, batch| {
        let known = names[batch[0].names.0].is_some_and(|at| set.decode(at, &mut buffer, &mut path));
        insert(stream, set, batch, known.then_some((&mut path, &buffer[..])), &mut keys, |step, at| {
            names[step.names.1] = Some(at)
        })
    });
}

fn lossy<S: Visited>(options: &Options, stream: &Stream, name: &str, mut set: S) {
    let mut keys = Vec::new();
    row(options, stream, name, &mut set, move |set, batch| insert(stream, set, batch, None, &mut keys, |_, _| {}));
}

/// Inserts all successors of a state; tells how many were new.
fn insert<S: Visited>(
    stream: &Stream,
    set: &mut S,
    batch: &[Step],
    mut from: Option<(&mut S::Path, &[u8])>,
    keys: &mut Vec<S::Key>,
    mut found: impl FnMut(&Step, S::Ref),
) -> usize {
    keys.clear();
    for step in batch {
        let from = from.as_mut().map(|(path, bytes)| (&mut **path, *bytes));
        keys.push(set.prepare(stream.reached(step), from).expect("there is memory"));
    }
    keys.iter_mut().for_each(|key| set.prefetch(key));
    let mut new = 0;
    for (key, step) in keys.iter().zip(batch) {
        match set.insert(key, stream.reached(step), 0) {
            Visit::New(at) => {
                new += 1;
                found(step, at);
            }
            Visit::Known(at, _) => found(step, at),
            Visit::Full => panic!("there is memory"),
        }
    }
    new
}

/// Runs the stream, with new states, and again, when all are known.
fn row<S: Visited>(
    options: &Options,
    stream: &Stream,
    name: &str,
    set: &mut S,
    mut insert: impl FnMut(&mut S, &[Step]) -> usize,
) {
    if options.only.as_ref().is_some_and(|only| only != name) {
        return;
    }
    let start = nanoseconds();
    let new: usize = stream.batches().map(|batch| insert(set, batch)).sum();
    let first = nanoseconds();
    for _ in 0..options.repeat {
        stream.batches().for_each(|batch| assert!(insert(set, batch) == 0, "all states are known"));
    }
    let known = (nanoseconds() - first) as f64 / (options.repeat * stream.steps.len()) as f64;
    let fresh = ((first - start) as f64 - known * (stream.steps.len() - new) as f64) / new as f64;
    let usage = set.usage();
    println!("{name:<9} {fresh:>8.0} {known:>9.0} {:>12.2}", usage.bytes as f64 / usage.states as f64);
}

/// Time that this thread has spent on a processor.
fn nanoseconds() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let elapsed = || START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64;
    text.split_whitespace().next().and_then(|it| it.parse().ok()).unwrap_or_else(elapsed)
}
