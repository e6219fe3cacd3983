//! `testkit reductions`: random programs through our own binary alone, each reduction against the search of all states.

use super::campaign::{self, Campaign};
use super::{failed, starwheel};
use crate::args::Args;
use crate::ast::Program;
use crate::generate::claims;
use crate::print;
use crate::reductions::{Checker, Fault, Found, Rival, Trial, rows};
use std::collections::BTreeMap;
use std::time::Duration;

/// Tries the programs with the binary; true if no reduction did anything wrong.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = read(words)?;
    let (ours, _copy) = starwheel(&args, 20)?.ok_or("`--starwheel` is needed")?;
    compare(&args, &ours)
}

/// Tries the programs with a checker of the same process.
pub fn run_with(words: &[String], ours: &dyn Checker) -> Result<bool, String> {
    compare(&read(words)?, ours)
}

/// The options of this command.
pub(super) fn read(words: &[String]) -> Result<Args, String> {
    Args::read(words, &[&campaign::NAMES[..], &["starwheel", "timeout", "limit"]].concat(), &[])
}

/// The checker under test, with its limit of time, unless another one is given.
pub(super) fn rival<'a>(args: &Args, ours: &'a dyn Checker, limit: &str) -> Rival<'a> {
    Rival { ours, time: args.text("limit").unwrap_or(limit).to_string(), most: u64::MAX }
}

fn compare(args: &Args, ours: &dyn Checker) -> Result<bool, String> {
    let (rival, campaign) = (rival(args, ours, "1s"), Campaign::read(args)?);
    let (results, time) = campaign.each(|seed| one_seed(&rival, &campaign, seed));
    let mut tally = Tally::default();
    for (seed, result) in results {
        tally.add(seed, result?);
    }
    tally.print(time);
    Ok(tally.wrong.is_empty())
}

fn one_seed(rival: &Rival<'_>, campaign: &Campaign, seed: u64) -> Result<Trial, String> {
    let program = claims::questioned(seed, |features| campaign.features(features));
    let text = print::program(&program);
    let trial = rival.rows(&rows(seed, &text), &text).map_err(failed)?;
    if let Trial::Compared { found, .. } = &trial
        && let Some(first) = worst(found)
    {
        report(rival, campaign, seed, &program, found, first)?;
    }
    Ok(trial)
}

/// The fault to shrink by: a wrong verdict says more than a failed audit.
fn worst(found: &[Found]) -> Option<&Found> {
    found.iter().min_by_key(|f| f.fault)
}

fn report(
    rival: &Rival<'_>,
    campaign: &Campaign,
    seed: u64,
    program: &Program,
    found: &[Found],
    first: &Found,
) -> Result<(), String> {
    let small = campaign.smallest(program, |candidate| rival.still(&print::program(candidate), first).unwrap_or(false));
    let each = |f: &Found| format!("seed {seed}: {:?} ({}): {}\n", f.fault, f.way, f.detail);
    let said: String = found.iter().map(each).collect();
    let text = print::program(&small);
    println!("{said}shrunk by {:?} ({}):\n{text}", first.fault, first.way);
    campaign.keep(seed, &said, &text, &print::program(program))
}

/// The sums over all seeds.
#[derive(Default)]
pub(super) struct Tally {
    programs: u64,
    skipped: BTreeMap<String, u64>,
    states: Vec<u64>,
    silent: BTreeMap<String, u64>,
    /// The seeds with faults.
    pub(super) wrong: Vec<u64>,
    faults: BTreeMap<(Fault, &'static str), Vec<u64>>,
}

impl Tally {
    pub(super) fn add(&mut self, seed: u64, trial: Trial) {
        self.programs += 1;
        let (states, found, silent) = match trial {
            Trial::Skipped(why) => {
                *self.skipped.entry(super::reason(&why)).or_default() += 1;
                return;
            }
            Trial::Compared { states, found, silent, .. } => (states, found, silent),
        };
        self.states.push(states);
        for why in silent {
            *self.silent.entry(super::reason(&why)).or_default() += 1;
        }
        if !found.is_empty() {
            self.wrong.push(seed);
        }
        for f in found {
            let seeds = self.faults.entry((f.fault, f.way)).or_default();
            if seeds.last() != Some(&seed) {
                seeds.push(seed);
            }
        }
    }

    /// The seeds with a fault of some kind in any way.
    fn seeds(&self, fault: Fault) -> usize {
        let all = self.faults.iter().filter(|((f, _), _)| *f == fault).flat_map(|(_, seeds)| seeds);
        all.collect::<std::collections::BTreeSet<_>>().len()
    }

    pub(super) fn print(&mut self, time: Duration) {
        let sum = |map: &BTreeMap<String, u64>| map.values().sum::<u64>();
        let rate = self.programs as f64 / time.as_secs_f64();
        println!("{} programs in {:.1} s, {rate:.1} programs/s", self.programs, time.as_secs_f64());
        println!("  skipped            {}", sum(&self.skipped));
        self.skipped.iter().for_each(|(why, n)| println!("    {n:>5}  {why}"));
        println!("  compared           {}", self.states.len());
        super::print_sizes(&mut self.states);
        println!("  ways left out      {}", sum(&self.silent));
        self.silent.iter().for_each(|(why, n)| println!("    {n:>5}  {why}"));
        println!("  programs with faults {}", self.wrong.len());
        for fault in [Fault::WrongHolds, Fault::FalseAlarm, Fault::Audit, Fault::Counts, Fault::Length, Fault::Broken] {
            println!("    {:>5}  {fault:?}", self.seeds(fault));
        }
        for ((fault, way), seeds) in &self.faults {
            println!("    {:>5}  {fault:?} ({way}): seeds {seeds:?}", seeds.len());
        }
    }
}
