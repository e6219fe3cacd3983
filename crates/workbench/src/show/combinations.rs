//! The page on what goes together, made from what the searches say about themselves.

use crate::assemble::methods;
use starwheel_engine::facts::{Crew, Facts, Method, Sequence, Sought, Stance};
use starwheel_engine::fit::{Reduction, Shared, Wanted, Wish, fit};
use starwheel_engine::{Fairness, Store};
use std::fmt::Write;

/// An option, and what it changes in a wish.
type Asking = (&'static str, fn(&mut Wish));

/// The options that decide about the search. A new dimension is one more row.
const OPTIONS: &[Asking] = &[
    ("`--search dfs`", |w| w.sequence = Some(Sequence::DepthFirst)),
    ("`--search bfs`", |w| w.sequence = Some(Sequence::ShortestFirst)),
    ("`--depth`", |w| w.depth = true),
    ("`--workers`", |w| w.workers = Wanted::asked(2)),
    ("`--engine jit`", |w| w.machine_code = true),
    ("`--engine scc`", |w| w.components = true),
    ("`--store flat`", |w| w.store = Wanted::asked(Store::Flat)),
    ("`--store dfa`", |w| w.store = Wanted::asked(Store::Dfa)),
    ("`--store compact`", |w| w.store = Wanted::asked(Store::Compact)),
    ("`--store bitstate`", |w| w.store = Wanted::asked(Store::Bitstate { bytes: 1 << 20 })),
    ("`--por ample`", |w| w.reduction = Wanted::asked(Reduction::One)),
    ("`--por cluster`, `stubborn`", |w| w.reduction = Wanted::asked(Reduction::Several)),
    ("`--fair weak`", |w| w.fairness = Some(Fairness::Weak)),
    ("`--fair strong`", |w| w.fairness = Some(Fairness::Strong)),
    ("`--all-errors`", |w| w.all_errors = true),
    ("`--different`", |w| (w.all_errors, w.counts_nth) = (true, true)),
    ("`--prefer`", |w| w.switches = true),
    ("`--audit`, `--explain-reduction`", |w| (w.audited, w.reduction) = (true, Wanted::asked(Reduction::One))),
    ("`--merge`", |w| w.merged = true),
    ("`--symmetry`", |w| w.renamed = true),
    ("`--decouple`", |w| w.decoupled = true),
    ("`--spill`", |w| w.spill = true),
    ("`--checkpoint`", |w| w.save = true),
    ("`--resume`", |w| w.resume = true),
    ("`--processes`", |w| w.shared = Shared::Processes),
    ("`--hosts`", |w| w.shared = Shared::Machines),
    ("`--timers jump`", |w| w.jump = true),
];

/// The whole page.
pub fn combinations() -> String {
    let mut out = String::from(
        "# What goes together\n\n\
         This page is made from the facts that the searches state about themselves (`crates/engine/src/facts.rs`); a test keeps\n\
         it current, and `engine/tests/matrix.rs` carries the combinations out. What is not marked is refused with a message.\n\
         The system itself is searched beside formulas and claims: what is said about errors alone, such as `--prefer`, is asked of\n\
         that search, and what is said about runs without end, such as `--fair`, of the other.\n\n\
         ## The searches\n\n",
    );
    searches(&mut out);
    for (title, sought) in [
        ("Errors in single steps: assertions, deadlocks, run-time errors", Sought::Errors),
        ("Runs without end that break a formula (`--ltl`)", Sought::Formula),
        ("Runs without end that a claim accepts (`--claim`, `--never`)", Sought::Claim),
    ] {
        let _ = write!(out, "\n## {title}\n\n");
        pairs(sought, &mut out);
    }
    out.push_str("\n## Why not\n\n");
    reasons(&mut out);
    out
}

/// One row for each search.
fn searches(out: &mut String) {
    out.push_str("Of those that fit, the first one is taken.\n\n");
    out.push_str(
        "| search | looks for | stores; with many workers in **bold** | cycle proviso of its reduction | besides |\n",
    );
    out.push_str("| --- | --- | --- | --- | --- |\n");
    let networks = starwheel_nba::Engine::METHODS.map(|m| m.0);
    for Method { name, title, facts, .. } in methods().into_iter().chain(networks) {
        let looks = kinds(facts);
        let stores = facts.stores.iter().map(|(kind, crew)| match crew {
            Crew::One => kind.name().to_string(),
            Crew::Many | Crew::Several => format!("**{}**", kind.name()),
        });
        let stores: Vec<_> = stores.collect();
        let provisos: Vec<_> = facts.provisos.iter().map(|p| p.name()).collect();
        let provisos = if provisos.is_empty() { "takes all steps".to_string() } else { provisos.join(", ") };
        let (looks, stores, more) = (looks.join(", "), stores.join(", "), besides(facts).join(", "));
        let _ = writeln!(out, "| `{name}`: {title} | {looks} | {stores} | {provisos} | {more} |");
    }
}

/// What a search looks for, in few words.
fn kinds(facts: &Facts) -> Vec<&'static str> {
    let out = facts.looks_for.iter().map(|s| match s {
        Sought::Errors => "errors",
        Sought::ClaimErrors => "ends of claims",
        Sought::Formula if facts.looks_for == Sought::CYCLES => "runs without end",
        Sought::Formula => "formulas",
        Sought::Claim | Sought::Automaton | Sought::Acceptance | Sought::Progress => "runs without end",
        Sought::Together => "runs of networks that accept together",
        Sought::Each => "each on its own",
    });
    let mut out: Vec<_> = out.collect();
    out.dedup();
    out
}

/// What a search can do besides.
fn besides(facts: &Facts) -> Vec<&'static str> {
    let can = |stance: Stance| stance != Stance::No;
    let all = [
        ("limit of depth", can(facts.depth)),
        ("weak fairness", facts.fairness.contains(&Fairness::Weak)),
        ("strong fairness", facts.fairness.contains(&Fairness::Strong)),
        ("n-th error", facts.counts_nth),
        ("saved and resumed", facts.resumes),
        ("on the disk", can(facts.spill)),
        ("machine code", facts.machine_code),
    ];
    all.into_iter().filter(|a| a.1).map(|a| a.0).collect()
}

fn asking(sought: Sought, options: &[&Asking]) -> Wish {
    let mut wish = Wish::new(sought);
    options.iter().for_each(|(_, change)| change(&mut wish));
    wish
}

/// What can be asked for alone.
fn alone(sought: Sought) -> Vec<&'static Asking> {
    OPTIONS.iter().filter(|o| fit(&asking(sought, &[o]), &methods()).is_ok()).collect()
}

/// Options that answer the same question in two ways.
const ALTERNATIVES: [(&str, &str); 2] = [("`--all-errors`", "`--different`"), ("`--processes`", "`--hosts`")];

/// Whether two options are two values of one, or answer the same question.
fn alternatives(one: &Asking, other: &Asking) -> bool {
    one.0.split(' ').next() == other.0.split(' ').next()
        || ALTERNATIVES.contains(&(one.0, other.0))
        || ALTERNATIVES.contains(&(other.0, one.0))
}

/// A square of what goes together in twos.
fn pairs(sought: Sought, out: &mut String) {
    let options = alone(sought);
    let numbers: Vec<_> = (1..=options.len()).map(|n| n.to_string()).collect();
    let _ = writeln!(out, "| | | {} |", numbers.join(" | "));
    let _ = writeln!(out, "| --- | --- |{}", " --- |".repeat(options.len()));
    for (i, one) in options.iter().enumerate() {
        let cell = |(j, other): (usize, &&Asking)| match i == j {
            true => "·",
            false if alternatives(one, other) => " ",
            false if fit(&asking(sought, &[one, other]), &methods()).is_ok() => "yes",
            false => " ",
        };
        let cells: Vec<_> = options.iter().enumerate().map(cell).collect();
        let _ = writeln!(out, "| {} | {} | {} |", i + 1, one.0, cells.join(" | "));
    }
}

/// The sentences on what does not go together.
fn reasons(out: &mut String) {
    let mut known = Vec::new();
    for sought in [Sought::Errors, Sought::Formula] {
        let options = alone(sought);
        for (i, one) in options.iter().enumerate() {
            for other in options.iter().skip(i + 1) {
                if alternatives(one, other) {
                    continue;
                }
                if let Err(misfit) = fit(&asking(sought, &[one, other]), &methods()) {
                    let line = format!("- {} and {}: {}.\n", one.0, other.0, misfit.why);
                    if !known.contains(&line) {
                        out.push_str(&line);
                        known.push(line);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_engine::facts::Axis;

    #[test]
    fn every_dimension_has_an_option() {
        // The order of pan is for `starwheel spin`, and what is looked for has a table of its own.
        let left = |axis: &Axis| !matches!(axis, Axis::PanOrder | Axis::Sought);
        let asked = |axis| OPTIONS.iter().any(|o| asking(Sought::Errors, &[o]).wants(axis).is_some());
        let missing: Vec<Axis> = Axis::ALL.into_iter().filter(left).filter(|&axis| !asked(axis)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
