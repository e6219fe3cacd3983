//! `testkit wires`: what the ways in which states travel between processes cost, beside threads of one process.

use super::{failed, starwheel};
use crate::args::Args;
use crate::family::{self, Used};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const WIRES: [&str; 5] = ["vector", "local", "global", "tree", "auto"];

/// One run of the binary.
struct Ran {
    report: Value,
    used: Used,
}

impl Ran {
    fn number(&self, name: &str) -> u64 {
        self.report["stats"][name].as_u64().unwrap_or(0)
    }

    fn net(&self, name: &str) -> f64 {
        self.report["stats"]["net"][name].as_f64().unwrap_or(0.0)
    }
}

/// Prints the table; false if a search by several processes counted something else.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, &["starwheel", "models", "processes", "wires", "timeout"], &[])?;
    let (ours, _copy) = starwheel(&args, 120)?.ok_or("`--starwheel` is needed")?;
    let models: Vec<PathBuf> =
        args.text("models").ok_or("`--models A,B` is needed")?.split(',').map(PathBuf::from).collect();
    let counts: Vec<&str> = args.text("processes").unwrap_or("2,4,8").split(',').collect();
    let wires: Vec<&str> = args.text("wires").map_or(WIRES.to_vec(), |wires| wires.split(',').collect());
    let mut same = true;
    println!(
        "bytes: on the line for each transition to another process, with where it comes from; cpu: seconds of all processes,"
    );
    println!(
        "and how often that of `--workers 2`; store: bytes of all stores; memory: the most of all processes, summed"
    );
    println!(
        "model              wire    processes     states    messages  bytes      cpu  ratio    store MB  memory MB  balance"
    );
    for model in &models {
        let name = model.file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let base = one(&ours.binary, model, &["--workers", "2"], ours.limit)?;
        line(&name, "-", "threads 2", &base, &base);
        for count in &counts {
            for wire in &wires {
                let ran = one(&ours.binary, model, &["--processes", count, "--wire", wire], ours.limit)?;
                line(&name, wire, count, &ran, &base);
                let all = ["states_stored", "states_matched", "transitions"];
                same &= all.iter().all(|n| ran.number(n) == base.number(n));
            }
        }
    }
    println!("{}", if same { "all counts are those of one process" } else { "COUNTS DIFFER" });
    Ok(same)
}

fn line(model: &str, wire: &str, count: &str, ran: &Ran, base: &Ran) {
    let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    println!(
        "{model:18} {wire:7} {count:>9} {:>10} {:>11} {:>6.2} {:>8.2} {:>6.2} {:>11.1} {:>10.1} {:>8.4}",
        ran.number("states_stored"),
        ran.net("messages"),
        ran.net("bytes_per_remote"),
        ran.used.seconds,
        ran.used.seconds / base.used.seconds.max(0.01),
        megabytes(ran.number("store_bytes")),
        megabytes(ran.used.memory),
        ran.net("balance"),
    );
}

/// Runs the binary, and looks at what it and its children use until it ends.
fn one(binary: &Path, model: &Path, options: &[&str], limit: Duration) -> Result<Ran, String> {
    let out = std::env::temp_dir().join(format!("testkit-wires-{}", std::process::id()));
    let mut child = Command::new(binary)
        .args(["check", "--json", "--no-ltl", "--plain", "--all-errors", "--memory", "4G"])
        .args(options)
        .arg(model)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&out).map_err(failed)?)
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let (started, mut used) = (Instant::now(), Used::default());
    while child.try_wait().map_err(failed)?.is_none() {
        let now = family::used(child.id());
        used = Used { seconds: used.seconds.max(now.seconds), memory: used.memory.max(now.memory) };
        if started.elapsed() > limit {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(format!("{} {options:?}: no answer in time", model.display()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let text = std::fs::read_to_string(&out).map_err(failed)?;
    _ = std::fs::remove_file(&out);
    let report = serde_json::from_str(&text).map_err(|e| format!("{} {options:?}: {e}", model.display()))?;
    Ok(Ran { report, used })
}
