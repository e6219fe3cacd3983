//! `testkit symmetric`: random programs with like processes, the search of names against the search of all states.

use super::campaign::Campaign;
use super::reductions::{self, Tally};
use super::{failed, starwheel};
use crate::args::Args;
use crate::reductions::{Checker, Rival, Trial, WHOLE, Way, drawn};
use crate::symmetric::with_formula;

/// How the truth is found, and the ways that must find the same. Each program is tried in the first way of each row, and in one
/// of all the others, by turns. The truth is found by the interpreter: machine code takes longer to make than most of these
/// programs to search.
const ROWS: [(&[&str], &[Way]); 5] = [
    (
        WHOLE,
        &[
            Way::new("auto", &["--symmetry", "auto", "--plain", "--all-errors"]).thorough(),
            Way::new("auto, ample", &["--symmetry", "auto", "--por", "ample", "--all-errors"]).thorough(),
            Way::new("default", &[]),
            Way::new("auto, cluster", &["--symmetry", "auto", "--por", "cluster"]),
            Way::new("auto, stubborn", &["--symmetry", "auto", "--por", "stubborn", "--all-errors"]).thorough(),
            Way::new("pc-sorted", &["--symmetry", "pc-sorted", "--all-errors"]).thorough(),
            Way::new("sorted", &["--symmetry", "sorted", "--plain", "--all-errors"]).thorough(),
            Way::new("pc-segmented", &["--symmetry", "pc-segmented", "--plain", "--engine", "jit"]),
            Way::new("auto, components", &["--symmetry", "auto", "--engine", "scc", "--all-errors"]).thorough(),
        ],
    ),
    (
        &["--plain", "--search", "bfs", "--engine", "interp"],
        &[Way::new("auto, bfs", &["--symmetry", "auto", "--plain", "--search", "bfs"]).shortest()],
    ),
    (
        WHOLE,
        &[
            Way::new("auto, decoupled", &["--symmetry", "auto", "--decouple", "--plain", "--all-errors"]),
            Way::new("auto, decoupled, bfs", &["--symmetry", "auto", "--decouple", "--search", "bfs", "--all-errors"]),
            Way::new(
                "auto, decoupled, all",
                &["--symmetry", "auto", "--decouple", "--dominance", "off", "--all-errors"],
            ),
        ],
    ),
    (
        &["--plain", "--all-errors", "--fair", "weak", "--engine", "interp"],
        &[
            Way::new("auto, weakly fair", &["--symmetry", "auto", "--plain", "--all-errors", "--fair", "weak"])
                .thorough(),
            Way::new("pc-sorted, weakly fair", &["--symmetry", "pc-sorted", "--all-errors", "--fair", "weak"])
                .thorough(),
        ],
    ),
    (
        &["--plain", "--all-errors", "--fair", "strong", "--engine", "interp"],
        &[
            Way::new("auto, strongly fair", &["--symmetry", "auto", "--plain", "--all-errors", "--fair", "strong"])
                .thorough(),
            Way::new("sorted, strongly fair", &["--symmetry", "sorted", "--all-errors", "--fair", "strong"]).thorough(),
        ],
    ),
];

/// Tries the programs with the binary; true if no search of names did anything wrong.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = reductions::read(words)?;
    let (ours, _copy) = starwheel(&args, 20)?.ok_or("`--starwheel` is needed")?;
    compare(&args, &ours)
}

/// Tries the programs with a checker of the same process.
pub fn run_with(words: &[String], ours: &dyn Checker) -> Result<bool, String> {
    compare(&reductions::read(words)?, ours)
}

fn compare(args: &Args, ours: &dyn Checker) -> Result<bool, String> {
    // The limit of time is for those that the limit of states does not see: on a busy machine it must not be short.
    let (rival, campaign) = (Rival { most: MOST, ..reductions::rival(args, ours, "300ms") }, Campaign::read(args)?);
    let (results, time) = campaign.each(|seed| one_seed(&rival, seed));
    let (mut tally, mut fair) = (Tally::default(), Fair::default());
    for (seed, result) in results {
        let trial = result?;
        fair.add(&trial);
        tally.add(seed, trial);
    }
    tally.print(time);
    println!("  formulas with a verdict on weakly and on strongly fair runs {}", fair.both);
    println!("    {:>5}  violated by weakly fair runs, and by strongly fair ones", fair.violated);
    println!("    {:>5}  violated by weakly fair runs, and by no strongly fair one", fair.differ);
    Ok(tally.wrong.is_empty())
}

/// Programs with more states are left aside.
const MOST: u64 = 2500;

/// The rows of weak and of strong fairness.
const FAIR: [usize; 2] = [3, 4];

/// How often the two kinds of fairness tell runs apart: where they never do, one of them is not tested.
#[derive(Default)]
struct Fair {
    both: u64,
    violated: u64,
    differ: u64,
}

impl Fair {
    fn add(&mut self, trial: &Trial) {
        let Trial::Compared { truths, .. } = trial else { return };
        let [Some(Some(weak)), Some(Some(strong))] = FAIR.map(|row| truths.get(row)) else { return };
        for (name, weakly) in weak {
            let Some((_, strongly)) = strong.iter().find(|s| s.0 == *name) else { continue };
            self.both += 1;
            self.violated += u64::from(weakly == "violated" && strongly == "violated");
            self.differ += u64::from(weakly == "violated" && strongly == "holds");
        }
    }
}

fn one_seed(rival: &Rival<'_>, seed: u64) -> Result<Trial, String> {
    let text = with_formula(seed);
    let others: usize = ROWS.iter().map(|(_, ways)| ways.len() - 1).sum();
    let mut turn = drawn(seed, others);
    let mut row = |(truth, ways): &(&'static [&'static str], &[Way])| {
        let (first, others) = ways.split_at(1);
        let mine = others.get(turn);
        turn = turn.wrapping_sub(others.len());
        (*truth, first.iter().chain(mine).copied().collect())
    };
    let trial = rival.rows(&ROWS.iter().map(&mut row).collect::<Vec<_>>(), &text).map_err(failed)?;
    if let Trial::Compared { found, .. } = &trial
        && !found.is_empty()
    {
        let each = |f: &crate::reductions::Found| format!("{:?} ({}): {}\n", f.fault, f.way, f.detail);
        println!("seed {seed}: {}{text}", found.iter().map(each).collect::<String>());
    }
    Ok(trial)
}
