//! Feeds damaged models to the front end for as long as it is told to, and keeps whatever makes it panic or hang.
//!
//! `cargo run --release -p starwheel-promela --example fuzz -- --seconds 60 --seed 1 --keep DIR FILE…`
//!
//! Every input is a model given on the command line (or one kept earlier) with bytes, tokens and lines taken out, put
//! in, repeated and exchanged, or spliced with another model. The same seed gives the same inputs.

use starwheel_base::SourceMap;
use starwheel_promela::preprocess::Loader;
use starwheel_promela::{CompileOptions, compile};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// An input that takes longer than this is taken for a hang.
const TOO_LONG: Duration = Duration::from_secs(10);

/// Words that make a random text look more like a model.
const WORDS: &[&str] = &[
    "if",
    "fi",
    "do",
    "od",
    "::",
    "->",
    ";",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "atomic",
    "d_step",
    "unless",
    "else",
    "goto",
    "break",
    "skip",
    "run",
    "proctype",
    "active",
    "init",
    "never",
    "ltl",
    "inline",
    "typedef",
    "mtype",
    "chan",
    "of",
    "byte",
    "int",
    "unsigned",
    "hidden",
    "x",
    "y",
    "P",
    "1",
    "0",
    "255",
    "65536",
    "-1",
    "99999999999",
    "!",
    "?",
    "??",
    "!!",
    "?<",
    "?[",
    "]",
    ">",
    "eval",
    "_",
    "_pid",
    "len",
    "full",
    "nempty",
    "timeout",
    "select",
    "for",
    "in",
    "..",
    ":",
    "@",
    "\n#define A",
    "\n#define F(x) x##x",
    "\n#if 1",
    "\n#else",
    "\n#endif\n",
    "\n#include \"a\"\n",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "'a'",
    "=",
    "==",
    "<=",
    "++",
    "[]",
    "<>",
    "U",
    "c_code {",
    "provided",
    "priority",
    "xr",
    "trace",
    "L:",
    "end:",
];

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, name: &str, _from: &str, _quoted: bool) -> Result<(String, String), String> {
        Ok((name.to_string(), "byte included;\n#define INC 1\n".to_string()))
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn main() -> ExitCode {
    let (mut seconds, mut seed, mut keep, mut files) = (60, 1u64, None::<PathBuf>, Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut value = || args.next().unwrap_or_default();
        match a.as_str() {
            "--seconds" => seconds = value().parse().unwrap_or(60),
            "--seed" => seed = value().parse().unwrap_or(1),
            "--keep" => keep = Some(value().into()),
            _ => files.push(PathBuf::from(a)),
        }
    }
    let models: Vec<Vec<u8>> =
        files.iter().filter_map(|f| std::fs::read(f).ok()).filter(|t| t.len() < 40_000).collect();
    if models.is_empty() {
        eprintln!("name at least one model to damage");
        return ExitCode::from(2);
    }
    std::panic::set_hook(Box::new(|_| {}));
    let (start, mut random) = (Instant::now(), Random(seed));
    let (mut inputs, mut accepted, mut bad) = (0u64, 0u64, 0u64);
    while start.elapsed() < Duration::from_secs(seconds) {
        let text = damaged(&mut random, &models);
        inputs += 1;
        match try_one(&text) {
            Ok(fine) => accepted += u64::from(fine),
            Err(what) => {
                bad += 1;
                println!("input {inputs} of seed {seed}: {what}");
                if let Some(dir) = &keep {
                    save(dir, seed, inputs, &text);
                }
            }
        }
    }
    println!("{inputs} inputs, {accepted} accepted, {bad} panics or hangs, seed {seed}");
    ExitCode::from(u8::from(bad > 0))
}

fn save(dir: &Path, seed: u64, number: u64, text: &str) {
    let _ = std::fs::create_dir_all(dir);
    let path = dir.join(format!("fuzz-{seed}-{number}.pml"));
    if let Err(e) = std::fs::write(&path, text) {
        eprintln!("cannot write {}: {e}", path.display());
    }
}

/// Compiles one input with all passes; says whether it was accepted, or what went wrong.
fn try_one(text: &str) -> Result<bool, String> {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut map = SourceMap::new();
        let main = map.add_file("fuzz.pml", text);
        let options = CompileOptions { dead_vars: true, merge: true, ..CompileOptions::default() };
        let compiled = compile(&mut map, main, &options, &NoFiles);
        // Places must be printable, whatever the input was.
        for d in &compiled.diagnostics {
            assert!(d.labels.iter().all(|l| map.locate(l.span).1.line < u32::MAX));
        }
        compiled.model.map(|m| starwheel_model::verify::verify(&m))
    }));
    match outcome {
        Err(p) => Err(format!("panic: {}", p.downcast_ref::<String>().cloned().unwrap_or_default())),
        Ok(_) if start.elapsed() > TOO_LONG => Err(format!("took {:?}", start.elapsed())),
        Ok(Some(broken)) if !broken.is_empty() => Err(format!("broken model: {}", broken[0])),
        Ok(model) => Ok(model.is_some()),
    }
}

fn damaged(r: &mut Random, models: &[Vec<u8>]) -> String {
    let mut text = models[r.below(models.len())].clone();
    for _ in 0..1 + r.below(6) {
        let (a, b) = (r.below(text.len() + 1), r.below(text.len() + 1));
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 1 + r.below(200)));
        match r.below(8) {
            0 => drop(text.drain(from..to)),
            1 => {
                let piece = text[from..to].to_vec();
                text.splice(b..b, piece);
            }
            2 => text.insert(a, r.next() as u8),
            3 | 4 => {
                let word = format!(" {} ", WORDS[r.below(WORDS.len())]);
                text.splice(a..a, word.into_bytes());
            }
            5 => {
                let other = &models[r.below(models.len())];
                let (x, y) = (r.below(other.len() + 1), r.below(other.len() + 1));
                let piece = other[x.min(y)..x.max(y).min(x.min(y) + 300)].to_vec();
                text.splice(a..a, piece);
            }
            6 => take_token(&mut text, a),
            _ => {
                let word = WORDS[r.below(WORDS.len())].to_string();
                take_token(&mut text, a);
                let at = a.min(text.len());
                text.splice(at..at, word.into_bytes());
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Removes the word at a place.
fn take_token(text: &mut Vec<u8>, at: usize) {
    let end = (at..text.len()).find(|&i| !text[i].is_ascii_alphanumeric()).unwrap_or(text.len());
    text.drain(at.min(end)..end);
}
