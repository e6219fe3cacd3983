//! `testkit mutants DIR…`: models of folders with random changes through SPIN and Starwheel; what differs is shortened and kept.

use super::campaign::{self, Campaign};
use super::random::compiler;
use super::{failed, print_sizes, reason, starwheel};
use crate::args::Args;
use crate::compare::Contest;
use crate::exec::{self, Scratch};
use crate::mutants::{Fate, Judges, Wrong};
use crate::mutate::shorten::shorten;
use crate::mutate::{Mutant, mutant};
use crate::peers::files;
use crate::reductions::Rival;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const NAMES: [&str; 5] = ["starwheel", "timeout", "limit", "cc", "spin-timeout"];

/// Longer models take longer to mutate and to read than to check.
const LONGEST: usize = 60_000;

/// A model, expanded.
struct Parent {
    name: String,
    text: String,
    /// Its head says that SPIN is wrong about it.
    known: bool,
}

struct Order<'a> {
    campaign: Campaign,
    judges: Judges<'a>,
    parents: Vec<Parent>,
    unchanged: bool,
}

/// Tries the mutants; true if nothing differed.
pub fn run(words: &[String]) -> Result<bool, String> {
    let folders = words.iter().take_while(|w| !w.starts_with("--")).count();
    if folders == 0 {
        return Err("a folder with models is needed: `testkit mutants DIR --starwheel BIN`".into());
    }
    let names = [&campaign::NAMES[..], &NAMES].concat();
    let args = Args::read(&words[folders..], &names, &["unchanged"])?;
    let (ours, _copy) = starwheel(&args, 10)?.ok_or("`--starwheel` is needed")?;
    let limit = Duration::from_millis(args.number("spin-timeout", 1000)?);
    let contest = Contest {
        ours: Some(ours.clone()),
        compiler: compiler(&args),
        limit,
        strict: true,
        lenient: true,
        infinite: false,
    };
    let rival = Rival { ours: &ours, time: args.text("limit").unwrap_or("1s").to_string(), most: u64::MAX };
    let order = Order {
        campaign: Campaign::read(&args)?,
        judges: Judges { contest, rival },
        parents: parents(&words[..folders])?,
        unchanged: args.flag("unchanged"),
    };
    println!("{} models", order.parents.len());
    let (results, time) = order.campaign.each(|seed| one_seed(&order, seed));
    let mut tally = Tally::default();
    for (seed, result) in results {
        tally.add(seed, result?);
    }
    tally.print(time);
    Ok(tally.wrong.is_empty())
}

/// The models of the folders, as the preprocessor leaves them: then no change breaks a macro, and constants are in place.
fn parents(folders: &[String]) -> Result<Vec<Parent>, String> {
    let mut all = Vec::new();
    for folder in folders {
        let folder = std::path::absolute(folder).map_err(failed)?;
        let found: Vec<PathBuf> = files::models(&folder).map_err(|e| format!("`{}`: {e}", folder.display()))?;
        for path in found {
            let text = expanded(&path).map_err(failed)?;
            let foreign = ["c_code", "c_expr", "c_decl", "c_state", "c_track"];
            let fits = text.len() < LONGEST && text.contains("{") && !foreign.iter().any(|word| text.contains(word));
            if fits {
                let head = std::fs::read(&path).map_err(failed)?;
                let known = String::from_utf8_lossy(&head).lines().any(|line| line.starts_with("// differs:"));
                all.push(Parent { name: path.display().to_string(), text, known });
            }
        }
    }
    if all.is_empty() { Err("there is no model in these folders".into()) } else { Ok(all) }
}

/// What SPIN's preprocessor makes of a file; nothing if it does not like it.
fn expanded(path: &Path) -> std::io::Result<String> {
    let scratch = Scratch::new()?;
    let mut command = Command::new("gcc");
    command.args(["-E", "-P", "-w", "-x", "c"]).arg(path);
    let ended = exec::run(&mut command, scratch.path(), Duration::from_secs(20))?;
    Ok(if ended.code == Some(0) { ended.stdout } else { String::new() })
}

fn one_seed(order: &Order<'_>, seed: u64) -> Result<Fate, String> {
    let parent = &order.parents[(seed % order.parents.len() as u64) as usize];
    let mutant = match order.unchanged {
        true => Mutant { text: parent.text.clone(), changes: Vec::new() },
        false => mutant(&parent.text, seed),
    };
    let fate = order.judges.judge(&mutant.text, seed, !parent.known).map_err(failed)?;
    if let Some(first) = fate.wrong.iter().min_by_key(|w| severity(w)) {
        report(order, seed, parent, &mutant, &fate, first)?;
    }
    Ok(fate)
}

/// The fault to shorten by: our own ways say more than a difference to SPIN.
fn severity(wrong: &Wrong) -> (u8, String) {
    let rank = match wrong {
        Wrong::Way(_) => 0,
        Wrong::States(_) | Wrong::Runs(_) => 1,
        Wrong::Accepted(_) => 2,
    };
    (rank, wrong.kind())
}

fn report(
    order: &Order<'_>,
    seed: u64,
    parent: &Parent,
    mutant: &Mutant,
    fate: &Fate,
    first: &Wrong,
) -> Result<(), String> {
    let mut said = format!("seed {seed}: {} ({})\n", parent.name, mutant.changes.join(", "));
    for wrong in &fate.wrong {
        said.push_str(&format!("seed {seed}: {}: {}\n", wrong.kind(), wrong.detail()));
    }
    let still = |text: &str| order.judges.still(text, first);
    let small =
        if order.campaign.patience() { shorten(&mutant.text, order.campaign.tries, still) } else { String::new() };
    let lines: Vec<&str> = small.lines().filter(|l| !l.trim().is_empty()).collect();
    let small = lines.join("\n") + "\n";
    println!("{said}shortened by {}:\n{small}", first.kind());
    order.campaign.keep(seed, &said, &small, &mutant.text)
}

/// The sums over all seeds.
#[derive(Default)]
struct Tally {
    mutants: u64,
    refused: u64,
    stored: Vec<u64>,
    /// Why something was not compared: how often, and the first seed.
    silent: BTreeMap<String, (u64, u64)>,
    wrong: BTreeMap<String, Vec<u64>>,
}

impl Tally {
    fn add(&mut self, seed: u64, fate: Fate) {
        self.mutants += 1;
        self.refused += u64::from(fate.refused);
        self.stored.extend(fate.stored);
        for why in &fate.silent {
            // Several searches of one model stop for the same reason.
            let first = why.split("; ").next().unwrap_or(why);
            self.silent.entry(reason(first)).or_insert((0, seed)).0 += 1;
        }
        for wrong in &fate.wrong {
            let seeds = self.wrong.entry(wrong.kind()).or_default();
            if seeds.last() != Some(&seed) {
                seeds.push(seed);
            }
        }
    }

    fn print(&mut self, time: Duration) {
        let rate = self.mutants as f64 / time.as_secs_f64();
        println!("{} mutants in {:.1} s, {rate:.1} mutants/s", self.mutants, time.as_secs_f64());
        println!("  refused by both  {}", self.refused);
        println!("  agreed           {}", self.stored.len());
        print_sizes(&mut self.stored);
        println!("  not compared");
        self.silent.iter().for_each(|(why, (n, seed))| println!("    {n:>5}  {why} (seed {seed})"));
        println!("  different        {}", self.wrong.values().map(Vec::len).sum::<usize>());
        self.wrong.iter().for_each(|(kind, seeds)| println!("    {:>5}  {kind}: seeds {seeds:?}", seeds.len()));
    }
}
