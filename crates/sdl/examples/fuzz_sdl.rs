//! Feeds damaged SDL, IF and ASN.1 to the front end for as long as it is told to, and keeps whatever makes it panic or hang, or write
//! Promela that is none.
//!
//! `cargo run --release -p starwheel-sdl --example fuzz_sdl -- --seconds 60 --seed 1 --keep DIR FILE…`
//!
//! Without files, the texts of the tests are damaged. The same seed gives the same inputs.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Random, SEEDS, broken, damaged, options};
use starwheel_sdl::translate;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// An input that takes longer than this is taken for a hang.
const TOO_LONG: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let (mut seconds, mut seed, mut keep, mut files) = (60, 1u64, None::<PathBuf>, Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut value = || args.next().unwrap_or_default();
        match a.as_str() {
            "--seconds" => seconds = value().parse().unwrap_or(60),
            "--seed" => seed = value().parse().unwrap_or(1),
            "--keep" => keep = Some(value().into()),
            _ => files.push(a),
        }
    }
    let texts: Vec<String> = files.iter().filter_map(|f| std::fs::read_to_string(f).ok()).collect();
    let mut seeds: Vec<&str> = texts.iter().map(String::as_str).filter(|t| t.len() < 40_000).collect();
    if seeds.is_empty() {
        seeds = SEEDS.to_vec();
    }
    std::panic::set_hook(Box::new(|_| {}));
    let (start, mut random) = (Instant::now(), Random(seed));
    let (mut inputs, mut accepted, mut bad) = (0u64, 0u64, 0u64);
    while start.elapsed() < Duration::from_secs(seconds) {
        let text = damaged(&mut random, &seeds);
        inputs += 1;
        match try_one(&text, inputs) {
            Ok(fine) => accepted += u64::from(fine),
            Err(what) => {
                bad += 1;
                println!("input {inputs} of seed {seed}: {what}");
                if let Some(dir) = &keep {
                    let _ = std::fs::create_dir_all(dir);
                    let path = dir.join(format!("fuzz-{seed}-{inputs}.pr"));
                    if let Err(e) = std::fs::write(&path, &text) {
                        eprintln!("cannot write {}: {e}", path.display());
                    }
                }
            }
        }
    }
    println!("{inputs} inputs, {accepted} accepted, {bad} panics or hangs, seed {seed}");
    ExitCode::from(u8::from(bad > 0))
}

/// Translates one input; says whether it was accepted, or what went wrong.
fn try_one(text: &str, number: u64) -> Result<bool, String> {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let (translation, sources, diagnostics) = translate(&[("fuzz.pr", text)], &options(number));
        assert!(diagnostics.iter().flat_map(|d| &d.labels).all(|l| sources.locate(l.span).1.line < u32::MAX));
        let fault = translation.as_ref().and_then(broken);
        assert!(fault.is_none(), "the Promela that was written is wrong: {}", fault.unwrap_or_default());
        translation.is_some()
    }));
    match outcome {
        Err(p) => Err(format!("panic: {}", p.downcast_ref::<String>().cloned().unwrap_or_default())),
        Ok(_) if start.elapsed() > TOO_LONG => Err(format!("took {:?}", start.elapsed())),
        Ok(accepted) => Ok(accepted),
    }
}
