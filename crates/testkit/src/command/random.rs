//! `testkit random`: random programs through SPIN and Starwheel; differences are shrunk and kept.

use super::{failed, in_parallel, starwheel};
use crate::args::Args;
use crate::ast::Program;
use crate::compare::{Contest, Difference, Trial};
use crate::generate::{self, claims, features};
use crate::ours::Starwheel;
use crate::print;
use crate::shrink::shrink;
use crate::spin::Automata;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// What the command was asked to do.
struct Order {
    contest: Contest,
    seed: u64,
    count: usize,
    jobs: usize,
    time: Option<Duration>,
    keep: Option<PathBuf>,
    with: Vec<features::Feature>,
    without: Vec<features::Feature>,
    automata: Vec<Automata>,
    tries: u32,
    /// How many differences may still be shrunk: the same cause often shows in many seeds.
    to_shrink: AtomicI64,
}

const NAMES: &[&str] = &[
    "starwheel",
    "count",
    "seed",
    "time",
    "keep",
    "jobs",
    "timeout",
    "with",
    "without",
    "optset",
    "cc",
    "tries",
    "spin-timeout",
    "shrink",
];

/// Runs the contest; true if nothing differed.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, NAMES, &["strict", "ltl"])?;
    let (ours, _copy) = starwheel(&args, 60)?.unzip();
    let order = read_order(&args, ours)?;
    let start = Instant::now();
    let results = in_parallel(order.count, order.jobs, |index| {
        let over = order.time.is_some_and(|limit| start.elapsed() > limit);
        (!over).then(|| one_seed(&order, order.seed + index as u64))
    });
    let mut tally = Tally::default();
    for (seed, result) in results {
        tally.add(seed, result?);
    }
    tally.print(start.elapsed());
    Ok(tally.differing == 0)
}

fn read_order(args: &Args, ours: Option<Starwheel>) -> Result<Order, String> {
    let spin_limit = Duration::from_millis(args.number("spin-timeout", 1000)?);
    let time = args.number("time", 0u64)?;
    Ok(Order {
        contest: Contest {
            ours,
            compiler: compiler(args),
            limit: spin_limit,
            strict: args.flag("strict"),
            infinite: args.flag("ltl"),
        },
        seed: args.number("seed", 0)?,
        count: args.number("count", if time > 0 { usize::MAX / 2 } else { 100 })?,
        jobs: args.number("jobs", 1)?,
        time: (time > 0).then(|| Duration::from_secs(time)),
        keep: args.path("keep")?,
        with: feature_list(args, "with")?,
        without: feature_list(args, "without")?,
        automata: automata_list(args)?,
        tries: args.number("tries", 400)?,
        to_shrink: AtomicI64::new(args.number("shrink", 10)?),
    })
}

/// The compiler by its name or path; paths are made absolute since compilers are started in other folders.
fn compiler(args: &Args) -> String {
    let name = args.text("cc").unwrap_or("gcc");
    match std::path::absolute(name) {
        Ok(path) if name.contains('/') => path.display().to_string(),
        _ => name.to_string(),
    }
}

fn feature_list(args: &Args, name: &str) -> Result<Vec<features::Feature>, String> {
    let names = args.text(name).unwrap_or("");
    let each = |n: &str| features::by_name(n).ok_or_else(|| format!("`--{name}`: no feature is called `{n}`"));
    names.split(',').filter(|n| !n.is_empty()).map(each).collect()
}

fn automata_list(args: &Args) -> Result<Vec<Automata>, String> {
    let Some(names) = args.text("optset") else { return Ok(Automata::ALL.to_vec()) };
    let each = |n: &str| {
        let found = Automata::ALL.into_iter().find(|a| a.name().eq_ignore_ascii_case(n));
        found.ok_or_else(|| format!("`--optset`: `{n}` is unknown; known are FULL_PURE, FULL_NOMERGE, FULL_MERGE"))
    };
    names.split(',').map(each).collect()
}

fn program_of(order: &Order, seed: u64) -> Program {
    let infinite = order.contest.infinite;
    let mut chosen = if infinite { claims::features_of(seed) } else { generate::features_of(seed) };
    order.with.iter().for_each(|f| chosen.set(*f, true));
    chosen.settle();
    order.without.iter().for_each(|f| chosen.set(*f, false));
    if infinite { claims::program(seed, chosen) } else { generate::program_with(seed, chosen) }
}

/// The trial of a seed. A difference is printed at once, shrunk and kept.
fn one_seed(order: &Order, seed: u64) -> (u64, Result<Trial, String>) {
    let program = program_of(order, seed);
    let trial = careful_trial(order, &print::program(&program));
    if let Ok(Trial::Differs(differences)) = &trial
        && let Err(message) = report(order, seed, &program, differences)
    {
        eprintln!("seed {seed}: {message}");
    }
    (seed, trial)
}

/// A difference counts only if it is there with gcc as well: that is the compiler SPIN is used with.
fn careful_trial(order: &Order, text: &str) -> Result<Trial, String> {
    let trial = order.contest.trial(text, &order.automata).map_err(failed)?;
    if matches!(trial, Trial::Differs(_)) && order.contest.compiler != "gcc" {
        let contest = Contest { compiler: "gcc".into(), ..order.contest.clone() };
        return contest.trial(text, &order.automata).map_err(failed);
    }
    Ok(trial)
}

fn report(order: &Order, seed: u64, program: &Program, differences: &[Difference]) -> Result<(), String> {
    let first = &differences[0];
    let shrunk = order.to_shrink.fetch_sub(1, Ordering::Relaxed) > 0;
    let small = if shrunk { smallest(order, program, first) } else { program.clone() };
    let small_text = print::program(&small);
    let mut said = String::new();
    for d in differences {
        said.push_str(&format!("seed {seed}: {} {:?}: {}\n", d.automata.name(), d.what, d.detail));
    }
    let after = order.contest.trial(&small_text, &[first.automata]).map_err(failed)?;
    let now = match &after {
        Trial::Differs(now) => now.iter().find(|d| d.what == first.what).map_or("gone", |d| d.detail.as_str()),
        _ => "gone",
    };
    println!("{said}shrunk ({now}):\n{small_text}");
    if let Some(dir) = &order.keep {
        fs::create_dir_all(dir).map_err(failed)?;
        let head = format!("/* {}   shrunk: {now} */\n", said.trim_end().replace('\n', "\n   "));
        fs::write(dir.join(format!("{seed}.pml")), format!("{head}{small_text}")).map_err(failed)?;
        fs::write(dir.join(format!("{seed}.full.pml")), print::program(program)).map_err(failed)?;
    }
    Ok(())
}

/// The smallest program found that differs in the same thing with the same automata.
fn smallest(order: &Order, program: &Program, first: &Difference) -> Program {
    shrink(program, order.tries, |candidate| {
        order.contest.still_differs(&print::program(candidate), first).unwrap_or(false)
    })
}

/// The sums over all seeds.
#[derive(Default)]
struct Tally {
    programs: u64,
    refused: BTreeMap<String, u64>,
    refused_by_spin_alone: Vec<u64>,
    skipped: BTreeMap<String, u64>,
    stored: Vec<u64>,
    differing: u64,
    kinds: BTreeMap<String, Vec<u64>>,
}

impl Tally {
    fn add(&mut self, seed: u64, trial: Trial) {
        self.programs += 1;
        match trial {
            Trial::SpinRefuses(message, ours) => {
                *self.refused.entry(reason(&message)).or_default() += 1;
                if ours == Some(false) {
                    self.refused_by_spin_alone.push(seed);
                }
            }
            Trial::Skipped(message) => *self.skipped.entry(reason(&message)).or_default() += 1,
            Trial::Agreed(stored) => self.stored.push(stored),
            Trial::Differs(differences) => {
                self.differing += 1;
                for d in differences {
                    self.kinds.entry(format!("{} {:?}", d.automata.name(), d.what)).or_default().push(seed);
                }
            }
        }
    }

    fn print(&mut self, time: Duration) {
        let sum = |map: &BTreeMap<String, u64>| map.values().sum::<u64>();
        let rate = self.programs as f64 / time.as_secs_f64();
        println!("{} programs in {:.1} s, {rate:.1} programs/s", self.programs, time.as_secs_f64());
        println!("  refused by SPIN  {}", sum(&self.refused));
        self.refused.iter().for_each(|(message, n)| println!("    {n:>5}  {message}"));
        if !self.refused_by_spin_alone.is_empty() {
            println!("    accepted by Starwheel: seeds {:?}", self.refused_by_spin_alone);
        }
        println!("  skipped          {}", sum(&self.skipped));
        self.skipped.iter().for_each(|(message, n)| println!("    {n:>5}  {message}"));
        println!("  agreed           {}", self.stored.len());
        self.print_sizes();
        println!("  different        {}", self.differing);
        self.kinds.iter().for_each(|(kind, seeds)| println!("    {:>5}  {kind}: seeds {seeds:?}", seeds.len()));
    }

    fn print_sizes(&mut self) {
        self.stored.sort_unstable();
        if let Some(last) = self.stored.len().checked_sub(1) {
            let at = |percent: usize| self.stored[last * percent / 100];
            let quantiles = [at(0), at(10), at(25), at(50), at(75), at(90), at(100)];
            println!("    stored states, quantiles 0 10 25 50 75 90 100: {quantiles:?}");
        }
    }
}

/// A message without names and places, so that equal reasons are counted together.
fn reason(message: &str) -> String {
    let after = message.split_once("Error: ").map_or(message, |(_, rest)| rest);
    let after = after.split_once(") ").filter(|_| after.starts_with("error: (")).map_or(after, |(_, rest)| rest);
    let cut = after.split(['\'', '\t']).next().unwrap_or(after);
    cut.chars().filter(|c| !c.is_ascii_digit()).collect::<String>().trim().to_string()
}
