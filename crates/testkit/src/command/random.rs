//! `testkit random`: random programs through SPIN and Starwheel; differences are shrunk and kept.

use super::campaign::{self, Campaign};
use super::{failed, starwheel};
use crate::args::Args;
use crate::ast::Program;
use crate::compare::{Contest, Difference, Trial};
use crate::generate::{self, claims};
use crate::ours::Starwheel;
use crate::print;
use crate::spin::Automata;
use std::collections::BTreeMap;
use std::time::Duration;

/// What the command was asked to do.
struct Order {
    campaign: Campaign,
    contest: Contest,
    automata: Vec<Automata>,
}

const NAMES: [&str; 5] = ["starwheel", "timeout", "optset", "cc", "spin-timeout"];

/// Runs the contest; true if nothing differed.
pub fn run(words: &[String]) -> Result<bool, String> {
    let names = [&campaign::NAMES[..], &NAMES].concat();
    let args = Args::read(words, &names, &["strict", "ltl"])?;
    let (ours, _copy) = starwheel(&args, 60)?.unzip();
    let order = read_order(&args, ours)?;
    let (results, time) = order.campaign.each(|seed| one_seed(&order, seed));
    let mut tally = Tally::default();
    for (seed, result) in results {
        tally.add(seed, result?);
    }
    tally.print(time);
    Ok(tally.differing == 0)
}

fn read_order(args: &Args, ours: Option<Starwheel>) -> Result<Order, String> {
    let spin_limit = Duration::from_millis(args.number("spin-timeout", 1000)?);
    Ok(Order {
        campaign: Campaign::read(args)?,
        contest: Contest {
            ours,
            compiler: compiler(args),
            limit: spin_limit,
            strict: args.flag("strict"),
            lenient: false,
            infinite: args.flag("ltl"),
        },
        automata: automata_list(args)?,
    })
}

/// The compiler by its name or path; paths are made absolute since compilers are started in other folders.
pub(super) fn compiler(args: &Args) -> String {
    let name = args.text("cc").unwrap_or("gcc");
    match std::path::absolute(name) {
        Ok(path) if name.contains('/') => path.display().to_string(),
        _ => name.to_string(),
    }
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
    let chosen = if infinite { claims::features_of(seed) } else { generate::features_of(seed) };
    let chosen = order.campaign.features(chosen);
    if infinite { claims::program(seed, chosen) } else { generate::program_with(seed, chosen) }
}

/// The trial of a seed. A difference is printed at once, shrunk and kept.
fn one_seed(order: &Order, seed: u64) -> Result<Trial, String> {
    let program = program_of(order, seed);
    let trial = careful_trial(order, &print::program(&program));
    if let Ok(Trial::Differs(differences)) = &trial
        && let Err(message) = report(order, seed, &program, differences)
    {
        eprintln!("seed {seed}: {message}");
    }
    trial
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
    let small = order
        .campaign
        .smallest(program, |candidate| order.contest.still_differs(&print::program(candidate), first).unwrap_or(false));
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
    order.campaign.keep(seed, &format!("{}   shrunk: {now}", said.trim_end()), &small_text, &print::program(program))
}

/// The sums over all seeds.
#[derive(Default)]
struct Tally {
    programs: u64,
    refused: BTreeMap<String, u64>,
    refused_by_spin_alone: Vec<u64>,
    skipped: BTreeMap<String, u64>,
    stored: Vec<u64>,
    /// Those of them whose counts differ where SPIN's optimisations are known to be wrong.
    explained: Vec<u64>,
    differing: u64,
    kinds: BTreeMap<String, Vec<u64>>,
}

impl Tally {
    fn add(&mut self, seed: u64, trial: Trial) {
        self.programs += 1;
        match trial {
            Trial::SpinRefuses(message, ours) => {
                *self.refused.entry(super::reason(&message)).or_default() += 1;
                if ours == Some(false) {
                    self.refused_by_spin_alone.push(seed);
                }
            }
            Trial::Skipped(message) => *self.skipped.entry(super::reason(&message)).or_default() += 1,
            Trial::Agreed(stored) => self.stored.push(stored),
            Trial::Explained(stored) => {
                self.stored.push(stored);
                self.explained.push(seed);
            }
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
        super::print_sizes(&mut self.stored);
        if !self.explained.is_empty() {
            println!(
                "    {:>5}  counts as docs/differences.md explains: seeds {:?}",
                self.explained.len(),
                self.explained
            );
        }
        println!("  different        {}", self.differing);
        self.kinds.iter().for_each(|(kind, seeds)| println!("    {:>5}  {kind}: seeds {seeds:?}", seeds.len()));
    }
}
