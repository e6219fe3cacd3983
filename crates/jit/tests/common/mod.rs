//! Walks through models with interpreter and machine code side by side.

pub mod read;

use starwheel_model::{Batch, Entry, Step, System};
use std::collections::{HashSet, VecDeque};

/// What a walk has seen.
#[derive(Default, Debug)]
pub struct Seen {
    pub states: usize,
    pub steps: usize,
}

/// Walks through at most `limit` states and compares all successors of each.
pub fn compare(expected: &dyn System, found: &dyn System, limit: usize) -> Result<Seen, String> {
    let (mut left, mut right) = (expected.stepper(), found.stepper());
    let (mut a, mut b) = (Batch::new(), Batch::new());
    let mut first = Vec::new();
    if left.initial(&mut first).broken {
        return Ok(Seen::default());
    }
    let mut known = HashSet::from([first.clone()]);
    let mut queue = VecDeque::from([first]);
    let mut seen = Seen::default();
    // Steps of the state before, most of which are possible now as well.
    let mut others: Vec<Step> = Vec::new();
    while let Some(at) = queue.pop_front() {
        left.expand(&at, &mut a);
        right.expand(&at, &mut b);
        same(&a, &b).map_err(|why| format!("state {} ({at:?}): {why}", seen.states))?;
        covered(&at, &b).map_err(|why| format!("state {} ({at:?}): {why}", seen.states))?;
        let steps: Vec<Step> = (0..a.len()).map(|i| a.step(i)).collect();
        for &step in others.iter().chain(&steps) {
            if right.lists(&at, step) != steps.contains(&step) {
                return Err(format!("state {} ({at:?}): {step:?} is listed wrongly", seen.states));
            }
        }
        others = steps;
        seen.states += 1;
        seen.steps += a.len();
        for i in (0..a.len()).filter(|&i| !a.entries[i].broken()) {
            if known.len() < limit && !known.contains(a.state(i)) {
                known.insert(a.state(i).to_vec());
                queue.push_back(a.state(i).to_vec());
            }
        }
    }
    Ok(seen)
}

/// Whether a batch that says so is uniform.
fn uniform(batch: &Batch) -> bool {
    let plain = |(i, e): (usize, &Entry)| {
        e.len == batch.uniform && e.start == i as u32 * e.len && u32::from(e.flags) | e.findings == 0
    };
    batch.uniform == 0 || batch.entries.iter().enumerate().all(plain)
}

/// Whether all words that changed are marked as such.
fn covered(at: &[u8], batch: &Batch) -> Result<(), String> {
    if !uniform(batch) {
        return Err(format!("not all of {:?} have {} bytes and are plain", batch.entries, batch.uniform));
    }
    for i in 0..batch.len() {
        let (changed, state) = (batch.entries[i].changed, batch.state(i));
        if changed == u64::MAX {
            continue;
        }
        let words = |s: &[u8]| s.chunks(4).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let other = words(at).into_iter().zip(words(state)).enumerate().filter(|(_, (old, new))| old != new);
        let missed: Vec<usize> = other.map(|(i, _)| i).filter(|&i| i >= 64 || changed >> i & 1 == 0).collect();
        if at.len() != state.len() || !missed.is_empty() {
            return Err(format!("{:?}: words {missed:?} changed, not only {changed:b}:\n{state:?}", batch.step(i)));
        }
    }
    Ok(())
}

fn same(a: &Batch, b: &Batch) -> Result<(), String> {
    let steps = |batch: &Batch| (0..batch.len()).map(|i| batch.step(i)).collect::<Vec<_>>();
    if steps(a) != steps(b) {
        return Err(format!("other steps:\n{:?}\n{:?}", steps(a), steps(b)));
    }
    for i in 0..a.len() {
        let step = a.step(i);
        if a.entries[i].flags != b.entries[i].flags {
            return Err(format!("{step:?}: flags {} and {}", a.entries[i].flags, b.entries[i].flags));
        }
        if a.violations(i) != b.violations(i) {
            return Err(format!("{step:?}: {:?} and {:?}", a.violations(i), b.violations(i)));
        }
        if a.state(i) != b.state(i) {
            return Err(format!("{step:?}:\n{:?}\n{:?}", a.state(i), b.state(i)));
        }
    }
    Ok(())
}
