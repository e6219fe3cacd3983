//! Peterson's algorithm for 3 to 6 processes: decoupled search beside SPIN, in the same run on the same machine.
//!
//!     cargo run --release -p starwheel-decouple --example peterson -- --spin-up-to 5 --up-to 6
//!
//! The figures are those of the paper (Gnad, Dubbert, Lluch Lafuente, Hoffmann: Star-Topology Decoupling in SPIN, SPIN 2018):
//! dead variables are reset, decoupled states are compared by equality, SPIN visits all states (`-DSAFETY -DNOREDUCE`). For 5
//! processes they are too many, and SPIN runs with its partial-order reduction, as in the paper; the table says so. Times are
//! times on a processor. The last column says how many states SPIN visits in the time of one decoupled state;
//! where SPIN was not run, its speed at the largest size that it did run counts.

use starwheel_base::SourceMap;
use starwheel_decouple::{Request, run};
use starwheel_engine::{Checks, Silent};
use starwheel_promela::preprocess::Loader;
use starwheel_promela::{CompileOptions, compile};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The published numbers of decoupled states for 3 and 4 processes, and ours for 5 and 6, by number of processes.
const EXPECTED: [(u32, u64); 4] = [(3, 274), (4, 6698), (5, 153_548), (6, 3_503_908)];

/// The algorithm, with a condition that waits for one process after the other.
const MODEL: &str = include_str!("../tests/peterson.pml");

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str, _: &str, _: bool) -> Result<(String, String), String> {
        Err(format!("no file `{path}` here"))
    }
}

fn text(n: u32) -> String {
    format!("#define N {n}\n{MODEL}")
}

/// States, seconds and MiB of one run.
struct Figures {
    states: u64,
    seconds: f64,
    mib: f64,
}

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, default: u32| {
        let place = args.iter().position(|a| a == name);
        place.and_then(|p| args.get(p + 1)).map_or(Ok(default), |v| v.parse().map_err(|e| format!("{name}: {e}")))
    };
    match number("--only", 0)? {
        0 => table(number("--up-to", 6)?, number("--spin-up-to", 4)?, number("--workers", 1)?),
        n => only(n, number("--workers", 1)?),
    }
}

fn table(up_to: u32, spin_up_to: u32, workers: u32) -> Result<(), String> {
    println!(
        "N |  decoupled states       s     MiB  us/state |      SPIN states       s     MiB  us/state |  SPIN's states for one"
    );
    let mut speed = None;
    let mut wrong = 0;
    for (n, expected) in EXPECTED.into_iter().filter(|e| e.0 <= up_to) {
        let ours = child(n, workers)?;
        let cost = 1e6 * ours.seconds / ours.states as f64;
        print!("{n} | {:>17} {:>7.2} {:>7.0} {cost:>9.2} |", ours.states, ours.seconds, ours.mib);
        wrong += u32::from(ours.states != expected);
        if n <= spin_up_to {
            let spin = spin(n)?;
            let each = 1e6 * spin.seconds / spin.states as f64;
            print!(" {:>16} {:>7.2} {:>7.0} {each:>9.2} |", spin.states, spin.seconds, spin.mib);
            speed = Some((n, each));
        } else {
            print!(" {:>16} {:>7} {:>7} {:>9} |", "-", "-", "-", "-");
        }
        let note = if speed.is_some_and(|(n, _)| reduced(n)) { "reduced" } else { "all states" };
        match speed {
            Some((size, each)) => println!(" {:>7.2} (SPIN at {size}, {note})", cost / each),
            None => println!(),
        }
    }
    if wrong > 0 { Err(format!("{wrong} numbers of decoupled states are not the published ones")) } else { Ok(()) }
}

/// Runs one size in this process and prints what `child` reads.
fn only(n: u32, workers: u32) -> Result<(), String> {
    let mut map = SourceMap::new();
    let main = map.add_file("peterson.pml".to_string(), text(n));
    let options = CompileOptions { dead_vars: true, ..CompileOptions::default() };
    let model = compile(&mut map, main, &options, &NoFiles).model.ok_or("the model is wrong")?;
    let request = Request { checks: Checks::default(), workers: workers as usize, ..Request::default() };
    let report = run(&model, &request, &Silent).map_err(|misfit| misfit.to_string())?;
    let peak =
        field(&std::fs::read_to_string("/proc/self/status").unwrap_or_default(), "VmHWM:").unwrap_or(0.0) / 1024.0;
    println!("{} {} {peak}", report.stats.decoupled_states.unwrap_or(0), processor_seconds());
    Ok(())
}

fn child(n: u32, workers: u32) -> Result<Figures, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let (n, workers) = (n.to_string(), workers.to_string());
    let out = Command::new(own).args(["--only", &n, "--workers", &workers]).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut numbers = text.split_whitespace().filter_map(|w| w.parse::<f64>().ok());
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(states), Some(seconds), Some(mib)) => Ok(Figures { states: states as u64, seconds, mib }),
        _ => Err(format!("no figures: {text} {}", String::from_utf8_lossy(&out.stderr))),
    }
}

/// The time that this process has spent on processors.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let rest = text.rsplit(')').next().unwrap_or("");
    let ticks = |n: usize| rest.split_whitespace().nth(n).and_then(|t| t.parse::<f64>().ok()).unwrap_or(0.0);
    // User and system time, in hundredths of a second.
    (ticks(11) + ticks(12)) / 100.0
}

/// The number behind a word.
fn field(text: &str, word: &str) -> Option<f64> {
    let rest = &text[text.find(word)? + word.len()..];
    rest.split_whitespace().next()?.parse().ok()
}

/// The number before a word.
fn before(text: &str, word: &str) -> Option<f64> {
    text[..text.find(word)?].split_whitespace().last()?.parse().ok()
}

/// True if SPIN needs its reduction for this size.
fn reduced(n: u32) -> bool {
    n > 4
}

fn spin(n: u32) -> Result<Figures, String> {
    let dir: PathBuf = std::env::temp_dir().join(format!("peterson-{}-{n}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
    std::fs::write(dir.join("p.pml"), text(n)).map_err(|e| e.to_string())?;
    let sh = |dir: &Path, command: &str| Command::new("sh").args(["-c", command]).current_dir(dir).output();
    let all = if reduced(n) { "" } else { "-DNOREDUCE" };
    let made = format!("spin -a -o3 p.pml && gcc -O2 -DSAFETY {all} -DNOCLAIM -w -o pan pan.c");
    let made = sh(&dir, &made).map_err(|e| e.to_string())?;
    if !made.status.success() {
        return Err(format!("SPIN made no verifier: {}", String::from_utf8_lossy(&made.stdout)));
    }
    // The table of SPIN fits the number of states, as far as memory allows.
    let (depth, table) = if n > 4 { (30_000_000, 26) } else { (4_000_000, 24) };
    let command = format!("exec bash -c 'TIMEFORMAT=\"%U %S processor\"; time ./pan -m{depth} -w{table}' 2>&1");
    let out = sh(&dir, &command).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let _ = std::fs::remove_dir_all(&dir);
    let states = before(&text, "states, stored").ok_or(format!("SPIN's verifier says:\n{text}"))?;
    let mib = before(&text, "total actual memory usage").unwrap_or(0.0);
    let line = text.lines().find_map(|l| l.strip_suffix("processor")).unwrap_or("");
    let seconds = line.split_whitespace().filter_map(|w| w.parse::<f64>().ok()).sum();
    Ok(Figures { states: states as u64, seconds, mib })
}
