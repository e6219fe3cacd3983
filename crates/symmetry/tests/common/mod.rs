//! Models for tests, and searches of their own that are too simple to be wrong.
#![allow(dead_code)]

use starwheel_base::SourceMap;
use starwheel_model::{Model, Stepper, System};
use starwheel_promela::preprocess::NoFiles;
use starwheel_promela::{CompileOptions, compile};
use std::collections::{BTreeMap, HashSet, VecDeque};

/// A model and its text.
pub struct Read {
    pub model: Model,
    pub map: SourceMap,
}

impl Read {
    /// The line of a place.
    pub fn line(&self, span: starwheel_base::Span) -> u32 {
        self.map.locate(span).1.line
    }
}

/// A model of the folder `models`, with macros.
pub fn model(name: &str, defines: &[(&str, usize)]) -> Read {
    let path = format!("{}/tests/models/{name}.pml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    read(&text, defines)
}

/// A model from its text.
pub fn read(text: &str, defines: &[(&str, usize)]) -> Read {
    try_read(text, defines).unwrap_or_else(|| panic!("not a model:\n{text}"))
}

/// A model from a text that may be wrong.
pub fn try_read(text: &str, defines: &[(&str, usize)]) -> Option<Read> {
    let mut map = SourceMap::new();
    let main = map.add_file("model.pml", text.to_string());
    let mut options = CompileOptions::default();
    options.preprocess.defines = defines.iter().map(|(n, v)| (n.to_string(), Some(v.to_string()))).collect();
    let compiled = compile(&mut map, main, &options, &NoFiles);
    Some(Read { model: compiled.model?, map })
}

/// The stored states of a system that can be reached; panics beyond a limit.
pub fn states(system: &dyn System, limit: usize) -> HashSet<Vec<u8>> {
    let mut stepper = system.stepper();
    let (mut first, mut seen, mut passed) = (Vec::new(), HashSet::new(), HashSet::new());
    _ = stepper.initial(&mut first);
    seen.insert(first.clone());
    let mut open = vec![first];
    while let Some(at) = open.pop() {
        for (next, transient) in successors(&mut *stepper, &at) {
            let new = if transient { passed.insert(next.clone()) } else { seen.insert(next.clone()) };
            if new {
                open.push(next);
            }
        }
        assert!(seen.len() <= limit, "too many states");
    }
    seen
}

/// The successors of a state, and whether they are passed through.
pub fn successors(stepper: &mut dyn Stepper, at: &[u8]) -> Vec<(Vec<u8>, bool)> {
    let (mut steps, mut out) = (Vec::new(), Vec::new());
    stepper.enabled(at, &mut steps);
    for step in steps {
        let mut next = Vec::new();
        if !stepper.fire(at, step, &mut next).broken {
            let transient = stepper.transient(&next);
            out.push((next, transient));
        }
    }
    out
}

/// What a search of all states finds: the states, and how soon each kind of error comes.
pub type Seen = (HashSet<Vec<u8>>, BTreeMap<String, usize>);

pub fn explore(system: &dyn System, limit: usize) -> Option<Seen> {
    let mut stepper = system.stepper();
    let (mut first, mut known, mut wrong) = (Vec::new(), HashSet::new(), BTreeMap::new());
    _ = stepper.initial(&mut first);
    let mut stored = HashSet::from([first.clone()]);
    known.insert(first.clone());
    let mut open = VecDeque::from([(first, 0)]);
    while let Some((at, depth)) = open.pop_front() {
        let mut steps = Vec::new();
        stepper.enabled(&at, &mut steps);
        if let (true, Some(stuck)) = (steps.is_empty(), stepper.stuck(&at)) {
            wrong.entry(format!("{:?}", stuck.kind)).or_insert(depth);
        }
        for step in steps {
            let mut next = Vec::new();
            let fired = stepper.fire(&at, step, &mut next);
            for v in fired.violations {
                wrong.entry(format!("{:?}", v.kind)).or_insert(depth + 1);
            }
            if !fired.broken && known.insert(next.clone()) {
                if !stepper.transient(&next) {
                    stored.insert(next.clone());
                }
                open.push_back((next, depth + 1));
            }
        }
        if known.len() > limit {
            return None;
        }
    }
    Some((stored, wrong))
}
