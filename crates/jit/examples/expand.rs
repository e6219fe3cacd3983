//! Measures interpreter and machine code side by side: nanoseconds for each successor over the reachable states.
//!
//! `cargo run --release -p starwheel-jit --example expand -- [-DNAME=VALUE | FILE]…` (without a file: all of `examples/`).
//! `STATES=n` sets how many states of a model are used (200,000), `ROUNDS=n` how often (else for half a second).
//! `ONLY=jit` leaves the interpreter out, for counts of instructions; `CHECK=1` compares successors instead of measuring.

#[path = "../tests/common/mod.rs"]
mod common;

use starwheel_jit::JitSystem;
use starwheel_model::{Batch, Model, ModelSystem, System};
use std::collections::HashSet;
use std::path::PathBuf;

fn main() {
    let setting = |name: &str, default| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (limit, rounds) = (setting("STATES", 200_000usize), setting("ROUNDS", 0usize));
    let only_jit = std::env::var("ONLY").is_ok_and(|v| v == "jit");
    let mut defines = Vec::new();
    let mut files = Vec::new();
    for arg in std::env::args().skip(1) {
        match arg.strip_prefix("-D").map(|d| d.split_once('=').unwrap_or((d, "1"))) {
            Some((name, value)) => defines.push((name.to_string(), Some(value.to_string()))),
            None => files.push(PathBuf::from(arg)),
        }
    }
    if files.is_empty() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        files.extend(std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path())));
        files.retain(|p| p.extension().is_some_and(|e| e == "pml"));
        files.sort();
    }
    println!(
        "{:>9} {:>9} {:>5} {:>8} {:>8} {:>6} {:>6} {:>8}",
        "states", "steps", "bytes", "interp", "jit", "factor", "left", "compile"
    );
    for file in files {
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(why) => {
                println!("{}: {why}", file.display());
                continue;
            }
        };
        match common::read::model(&file.display().to_string(), text, false, false, &defines) {
            Some(model) => measure(&file.display().to_string(), &model, limit, rounds, only_jit),
            None => println!("{}: the model has errors", file.display()),
        }
    }
}

fn measure(name: &str, model: &Model, limit: usize, rounds: usize, only_jit: bool) {
    let jit = match JitSystem::compile(model) {
        Ok(jit) => jit,
        Err(why) => return println!("{name}: {why}"),
    };
    if std::env::var("CHECK").is_ok() {
        match common::compare(&ModelSystem(model), &jit, limit) {
            Ok(seen) => println!("{:9} states and {:9} steps are the same: {name}", seen.states, seen.steps),
            Err(why) => println!("{name}: {why}"),
        }
        return;
    }
    let (start, mut compiled) = (cpu(), 0);
    while rounds == 0 && cpu() - start < 100_000_000 {
        compiled += usize::from(JitSystem::compile(model).is_ok());
    }
    let compile = (cpu() - start) / compiled.max(1) as u64;
    let interp = ModelSystem(model);
    let states = reachable(&jit, limit);
    let bytes: usize = states.iter().map(Vec::len).sum();
    let (generated, interpreted) = jit.counts();
    let (steps, fast) = time(&jit, &states, rounds);
    let slow = if only_jit { f64::NAN } else { time(&interp, &states, rounds).1 };
    println!(
        "{:9} {:9} {:5} {slow:8.1} {fast:8.1} {:6.1} {:5.1}% {:6.2}ms {name}",
        states.len(),
        steps,
        bytes / states.len().max(1),
        slow / fast,
        interpreted as f64 * 100.0 / (generated + interpreted).max(1) as f64,
        compile as f64 / 1e6,
    );
}

/// Nanoseconds that this thread has run so far; the clock where the system does not tell.
fn cpu() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split_whitespace().next().and_then(|n| n.parse().ok()));
    told.unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_nanos() as u64))
}

/// The first states in breadth-first order, transient ones included.
fn reachable(system: &dyn System, limit: usize) -> Vec<Vec<u8>> {
    let mut stepper = system.stepper();
    let (mut batch, mut first) = (Batch::new(), Vec::new());
    stepper.initial(&mut first);
    let mut known = HashSet::from([first.clone()]);
    let mut list = vec![first];
    let mut next = 0;
    while next < list.len() {
        stepper.expand(&list[next], &mut batch);
        next += 1;
        for i in (0..batch.len()).filter(|&i| !batch.entries[i].broken()) {
            if list.len() < limit && !known.contains(batch.state(i)) {
                known.insert(batch.state(i).to_vec());
                list.push(batch.state(i).to_vec());
            }
        }
    }
    list
}

/// The number of steps and nanoseconds for each, over so many rounds, or over half a second (the clock is coarse).
fn time(system: &dyn System, states: &[Vec<u8>], rounds: usize) -> (usize, f64) {
    let mut stepper = system.stepper();
    let mut batch = Batch::new();
    let (start, mut steps, mut done) = (cpu(), 0, 0);
    while done < rounds || (rounds == 0 && cpu() - start < 500_000_000) {
        steps = 0;
        for state in states {
            stepper.expand(state, &mut batch);
            steps += batch.len();
        }
        done += 1;
    }
    (steps, (cpu() - start) as f64 / (steps * done).max(1) as f64)
}
