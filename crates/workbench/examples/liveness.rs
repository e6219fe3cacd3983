//! What a full check of an infinite-run property costs beside a plain visit of the same product, and beside SPIN.
//!
//!     cargo run --release -p starwheel-workbench --example liveness -- [EXAMPLES] [--only TEXT]
//!
//! EXAMPLES is the folder `Examples` of a SPIN installation; without it only our own models are measured. Every search
//! goes on after errors, so that all of them visit the whole product. The exit status is 1 if one of those that take one
//! step after the other costs more than 2.5 times the plain visit.
//!
//! The columns `all` are the search that takes all steps of a state at once, with machine code: the time on the processor
//! with one worker, and, where the formula holds, the time on the wall with one and with two workers and how many times
//! faster two are.

use starwheel_engine::{Goal, Job, Order, Report, Silent, run};
use starwheel_jit::LazySystem;
use starwheel_model::{ClaimSystem, System};
use starwheel_workbench::{Opened, Reading, open};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The file, whether it is one of SPIN's examples, a macro, and the formula.
type Entry = (&'static str, bool, Option<(&'static str, &'static str)>, &'static str);

const ENTRIES: &[Entry] = &[
    ("LTL/leader.pml", true, None, "p0"),
    ("LTL/pftp.pml", true, None, "p1"),
    ("LTL/pftp.pml", true, None, "p2"),
    ("peterson-response.pml", false, Some(("N", "3")), "response"),
    ("peterson-response.pml", false, Some(("N", "3")), "exclusion"),
];

/// The most that a full check may cost, in plain visits.
const MOST: f64 = 2.5;
/// Each of our searches runs again until it has used so many seconds; the fastest run counts.
const SECONDS: f64 = 4.0;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (mut examples, mut only) = (None, String::new());
    while let Some(word) = words.next() {
        match word.as_str() {
            "--only" => only = words.next().unwrap_or_default(),
            folder => examples = Some(PathBuf::from(folder)),
        }
    }
    println!(
        "{:<32} {:>9} {:>9} | {:>7} {:>7} {:>5} {:>7} {:>5} | all {:>6} {:>6} {:>6} {:>5} | SPIN {:>6} {:>6} {:>5}",
        "model, formula",
        "states",
        "trans",
        "plain s",
        "ndfs s",
        "ratio",
        "scc s",
        "ratio",
        "cpu s",
        "one s",
        "two s",
        "times",
        "plain",
        "-a",
        "ratio"
    );
    let mut fine = true;
    for entry in ENTRIES.iter().filter(|e| e.0.contains(&only)) {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/models");
        let Some(folder) = (if entry.1 { examples.clone() } else { Some(own) }) else { continue };
        match line(&folder.join(entry.0), entry) {
            Ok((text, good)) => {
                println!("{text}");
                fine &= good;
            }
            Err(why) => {
                println!("{:<32} {why}", entry.0);
                fine = false;
            }
        }
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// One line of the table, and whether our part of it is fast enough.
fn line(model: &Path, &(file, _, define, formula): &Entry) -> Result<(String, bool), String> {
    let defines = define.map(|(n, v)| (n.to_string(), Some(v.to_string()))).into_iter().collect();
    let reading = Reading { defines, ltl: vec![formula.to_string()], ..Reading::default() };
    let opened = open(model, &reading).map_err(|f| f.problems.iter().map(|p| p.message.clone()).collect::<String>())?;
    let plain = fastest(&opened, Order::Dfs)?;
    let (ndfs, scc) = (fastest(&opened, Order::Ndfs)?, fastest(&opened, Order::Scc)?);
    let all = fastest(&opened, Order::Cndfs)?;
    let counts = |r: &Report| (r.stats.states_stored, r.stats.states_matched);
    if [&ndfs, &scc, &all].iter().any(|r| counts(r) != counts(&plain)) {
        return Err(format!("{:?} differ", [&plain, &ndfs, &scc, &all].map(counts)));
    }
    let walls = walls(&opened, counts(&plain))?;
    let ratio = |r: &Report| r.stats.seconds / plain.stats.seconds;
    let name = define.map_or(format!("{file} {formula}"), |(n, v)| format!("{file} {n}={v} {formula}"));
    let mut text = format!(
        "{name:<32} {:>9} {:>9} | {:>7.3} {:>7.3} {:>5.2} {:>7.3} {:>5.2} |",
        plain.stats.states_stored,
        plain.stats.transitions,
        plain.stats.seconds,
        ndfs.stats.seconds,
        ratio(&ndfs),
        scc.stats.seconds,
        ratio(&scc),
    );
    text.push_str(&format!("     {:>6.3} ", all.stats.seconds));
    text.push_str(&match walls {
        Some([one, two]) => format!("{one:>6.3} {two:>6.3} {:>5.2} |", one / two),
        None => format!("{:>6} {:>6} {:>5} |", "-", "-", "-"),
    });
    text.push_str(&match spin(model, define, formula) {
        Ok((plain, full)) => format!("      {plain:>6.2} {full:>6.2} {:>5.2}", full / plain.max(0.01)),
        Err(why) => format!(" {why}"),
    });
    Ok((text, ratio(&ndfs) <= MOST && ratio(&scc) <= MOST))
}

fn fastest(opened: &Opened, search: Order) -> Result<Report, String> {
    let (_, claim) = opened.formulas.first().ok_or("there is no formula")?;
    let system = ClaimSystem::new(&opened.model, *claim).own_labels();
    let goal = Goal { stutter: false, ..Goal::default() };
    let lazy = LazySystem::with_claim(system);
    let whole: &dyn System = if search == Order::Cndfs { &lazy } else { &system };
    let job = Job { search, all_errors: true, goal, ..Job::new(whole) };
    let timed = || {
        let before = cpu_seconds();
        let mut report = run(&job, &Silent).unwrap();
        if let (Some(before), Some(after)) = (before, cpu_seconds()) {
            report.stats.seconds = after - before;
        }
        report
    };
    let mut best = timed();
    let mut used = best.stats.seconds;
    while used < SECONDS {
        let next = timed();
        used += next.stats.seconds.max(0.1);
        if next.stats.seconds < best.stats.seconds {
            best = next;
        }
    }
    if best.complete.is_some() { Ok(best) } else { Err("the search was not complete".to_string()) }
}

/// The fastest times on the wall with one and with two workers; none if the formula does not hold.
fn walls(opened: &Opened, counts: (u64, u64)) -> Result<Option<[f64; 2]>, String> {
    let (_, claim) = opened.formulas.first().ok_or("there is no formula")?;
    let system = LazySystem::with_claim(ClaimSystem::new(&opened.model, *claim).own_labels());
    let goal = Goal { stutter: false, ..Goal::default() };
    let mut best = [f64::INFINITY; 2];
    for _ in 0..3 {
        for (workers, best) in [1, 2].into_iter().zip(&mut best) {
            let job = Job { search: Order::Cndfs, workers, goal: goal.clone(), ..Job::new(&system) };
            let report = run(&job, &Silent).unwrap();
            if report.errors > 0 {
                return Ok(None);
            }
            if (report.stats.states_stored, report.stats.states_matched) != counts {
                return Err(format!("{workers} workers count {:?}", report.stats));
            }
            *best = best.min(report.stats.seconds);
        }
    }
    Ok(Some(best))
}

/// The time that this thread has had on a processor, where the machine tells it: other programs do not count.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// The times of SPIN's verifier: plain and with acceptance cycles.
fn spin(model: &Path, define: Option<(&str, &str)>, formula: &str) -> Result<(f64, f64), String> {
    let dir = std::env::temp_dir().join(format!("starwheel-liveness-{}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
    let model = std::path::absolute(model).map_err(|e| e.to_string())?;
    let mut times = Vec::new();
    let define = define.map(|(n, v)| format!("-D{n}={v}"));
    let mut generate = Command::new("spin");
    generate.args(["-o1", "-o2", "-o3"]).args(define).arg("-a").arg(model);
    let outcome = finish(generate.current_dir(&dir)).and_then(|_| {
        for (flag, search) in [("-DSAFETY", None), ("-DFULL", Some("-a"))] {
            let compile = ["-O2", "-w", "-DNOREDUCE", flag, "-o", "pan", "pan.c"];
            finish(Command::new("gcc").args(compile).current_dir(&dir))?;
            let mut pan = Command::new("./pan");
            pan.args(["-m10000000", "-w24", "-n", "-E", "-A", "-c0", "-N", formula]).args(search);
            let before = children_seconds();
            let time = elapsed(&finish(pan.current_dir(&dir))?).ok_or("no time in SPIN's report")?;
            times.push(before.zip(children_seconds()).map_or(time, |(before, after)| after - before));
        }
        Ok(())
    });
    // A folder that cannot be removed is no reason to fail.
    let _ = std::fs::remove_dir_all(&dir);
    outcome?;
    Ok((times[0], times[1]))
}

/// What a program that ends well prints.
fn finish(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{:?}: {e}", command.get_program()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(format!("{:?} fails", command.get_program())) }
}

/// The time that programs started from here have had on a processor, in hundredths.
fn children_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}

fn elapsed(report: &str) -> Option<f64> {
    let line = report.lines().find_map(|l| l.strip_prefix("pan: elapsed time "))?;
    line.split(' ').next()?.parse().ok()
}
