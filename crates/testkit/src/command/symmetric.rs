//! `testkit symmetric`: random programs with like processes, the search of names against the search of all states.

use super::campaign::{self, Campaign};
use super::reductions::Tally;
use super::{failed, starwheel};
use crate::args::Args;
use crate::reductions::{Rival, Trial, WHOLE, Way};
use crate::symmetric::{symmetric, with_formula};

/// How the truth is found, and the ways that must find the same. Each program is tried in the first way of each row and in
/// one of the others, by turns: to start a program takes longer than to search most of these.
const ROWS: [(&[&str], &[Way]); 5] = [
    (
        WHOLE,
        &[
            Way::new("auto", &["--symmetry", "auto", "--plain", "--all-errors"]).thorough(),
            Way::new("auto, ample", &["--symmetry", "auto", "--por", "ample", "--all-errors"]).thorough(),
            Way::new("auto, default", &["--symmetry", "auto"]),
            Way::new("auto, cluster", &["--symmetry", "auto", "--por", "cluster"]),
            Way::new("auto, stubborn", &["--symmetry", "auto", "--por", "stubborn", "--all-errors"]).thorough(),
            Way::new("pc-sorted", &["--symmetry", "pc-sorted", "--all-errors"]).thorough(),
            Way::new("sorted", &["--symmetry", "sorted", "--plain", "--all-errors"]).thorough(),
            Way::new("pc-segmented", &["--symmetry", "pc-segmented", "--plain", "--engine", "jit"]),
            Way::new("auto, components", &["--symmetry", "auto", "--engine", "scc", "--all-errors"]).thorough(),
        ],
    ),
    (
        &["--plain", "--search", "bfs"],
        &[Way::new("auto, bfs", &["--symmetry", "auto", "--plain", "--search", "bfs"]).shortest()],
    ),
    (
        &["--plain", "--all-errors", "--workers", "1"],
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
        &["--plain", "--all-errors", "--fair", "weak"],
        &[
            Way::new("auto, weakly fair", &["--symmetry", "auto", "--plain", "--all-errors", "--fair", "weak"])
                .thorough(),
            Way::new("pc-sorted, weakly fair", &["--symmetry", "pc-sorted", "--all-errors", "--fair", "weak"])
                .thorough(),
        ],
    ),
    (
        &["--plain", "--all-errors", "--fair", "strong"],
        &[
            Way::new("auto, strongly fair", &["--symmetry", "auto", "--plain", "--all-errors", "--fair", "strong"])
                .thorough(),
            Way::new("sorted, strongly fair", &["--symmetry", "sorted", "--all-errors", "--fair", "strong"]).thorough(),
        ],
    ),
];

/// Tries the programs; true if no search of names did anything wrong.
pub fn run(words: &[String]) -> Result<bool, String> {
    let names = [&campaign::NAMES[..], &["starwheel", "timeout", "limit"]].concat();
    let args = Args::read(words, &names, &[])?;
    let (ours, _copy) = starwheel(&args, 20)?.ok_or("`--starwheel` is needed")?;
    let rival = Rival { ours, time: args.text("limit").unwrap_or("1s").to_string() };
    let campaign = Campaign::read(&args)?;
    let (results, time) = campaign.each(|seed| one_seed(&rival, seed));
    let mut tally = Tally::default();
    for (seed, result) in results {
        tally.add(seed, result?);
    }
    tally.print(time);
    Ok(tally.wrong.is_empty())
}

fn one_seed(rival: &Rival, seed: u64) -> Result<Trial, String> {
    let (text, alone) = (with_formula(seed), symmetric(seed).text);
    let (mut states, mut found, mut silent) = (0, Vec::new(), Vec::new());
    for (truth, ways) in ROWS {
        let (first, others) = ways.split_at(1);
        let by_turns = seed as usize % others.len().max(1);
        let ways: Vec<Way> = first.iter().chain(others.get(by_turns)).copied().collect();
        // Shortest trails are looked for in the system alone, and so are decoupled states with names.
        let single = ways.iter().any(Way::of_the_system_alone);
        let asked = if single { &alone } else { &text };
        match rival.against(truth, asked, &ways).map_err(failed)? {
            Trial::Skipped(why) if states == 0 => return Ok(Trial::Skipped(why)),
            Trial::Skipped(why) => silent.push(why),
            Trial::Compared { states: all, found: wrong, silent: without } => {
                states = states.max(all);
                found.extend(wrong);
                silent.extend(without);
            }
        }
    }
    if !found.is_empty() {
        let each = |f: &crate::reductions::Found| format!("{:?} ({}): {}\n", f.fault, f.way, f.detail);
        println!("seed {seed}: {}{text}", found.iter().map(each).collect::<String>());
    }
    Ok(Trial::Compared { states, found, silent })
}
