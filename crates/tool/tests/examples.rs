//! Every model in `examples/` and `corpus/` is held to what its head says, with every search and every automaton.

mod collection;

use collection::run::{Run, check};
use collection::{for_each, models, root, stem};
use starwheel_workbench::expect::Head;
use std::path::Path;

/// The whole space, whatever is wrong with its states.
const WHOLE: [&str; 4] = ["--plain", "--all-errors", "--no-assert", "--no-deadlock"];
/// All errors of all states.
const ALL: [&str; 2] = ["--plain", "--all-errors"];
/// Automata that may have other states, but no other errors.
const AUTOMATA: [&[&str]; 3] = [&["--dead-vars"], &["--merge"], &["--dead-vars", "--merge"]];

#[test]
fn examples_are_what_their_heads_say() {
    for_each(&models("examples"), examine);
}

#[test]
fn the_corpus_is_what_its_heads_say() {
    for_each(&models("corpus"), examine);
}

/// A model of our own collection says what SPIN makes of it, and why that is another answer if it is one.
#[test]
fn the_corpus_tells_where_spin_differs() {
    let page = std::fs::read_to_string(root().join("docs/differences.md")).expect("the page of differences");
    for_each(&models("corpus"), |model| Head::read(model).map_or_else(|why| vec![why], |head| excuse(&head, &page)));
}

fn excuse(head: &Head, page: &str) -> Vec<String> {
    let complaint = match (head.agrees_with_spin(), &head.differs) {
        _ if head.spin.is_none() => "the head has no line `spin: …`".to_string(),
        (true, Some(_)) => "SPIN's answer is the same, but a line `differs: …` says otherwise".to_string(),
        (false, None) => "SPIN's answer is another one, but no line `differs: …` says why".to_string(),
        (false, Some(why)) if !is_explained(why, page) => format!("docs/differences.md does not explain `{why}`"),
        _ => return vec![],
    };
    vec![complaint]
}

/// The reason starts with the letters of a section, as in `(a) …` or `(aa) …`.
fn is_explained(why: &str, page: &str) -> bool {
    let letters = why.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    letters.is_some_and(|(letters, _)| page.contains(&format!("\n### ({letters}) ")))
}

fn examine(model: &Path) -> Vec<String> {
    match Head::read(model) {
        Err(why) => vec![why],
        Ok(head) if head.expect == "refused" => refusal(model, &head),
        Ok(head) if stem(model).starts_with("benchmark-") => once(model, &head),
        Ok(head) => [by_head(model, &head), searches(model), automata(model, &head)].concat(),
    }
}

/// A big model is searched once only.
fn once(model: &Path, head: &Head) -> Vec<String> {
    let run = check(model, &ALL);
    [verdict(&run, head), figures(&run, head)].concat()
}

fn refusal(model: &Path, head: &Head) -> Vec<String> {
    let run = check(model, &[]);
    let mut complaints: Vec<String> = run.complaint().into_iter().collect();
    if run.outcome() != "error" {
        complaints.push(format!("is not refused: {}", run.outcome()));
    }
    complaints.extend(missing_codes(&run, head));
    complaints
}

fn missing_codes(run: &Run, head: &Head) -> Vec<String> {
    let missing = head.codes.difference(&run.codes()).cloned().collect::<Vec<_>>();
    missing.iter().map(|code| format!("`{}` does not say `{code}`", run.line)).collect()
}

/// Verdict, kinds of findings, figures and warnings are those of the head.
fn by_head(model: &Path, head: &Head) -> Vec<String> {
    let all = check(model, &ALL);
    let mut complaints = verdict(&all, head);
    complaints.extend(verdict(&check(model, &["--all-errors"]), head));
    complaints.extend(missing_codes(&all, head));
    if let Some(errors) = head.errors.filter(|e| *e != all.errors()) {
        complaints.push(format!("`{}` counts {} errors, the head says {errors}", all.line, all.errors()));
    }
    complaints.extend(all.replay(model));
    complaints.extend(figures(&check(model, &WHOLE), head));
    complaints
}

fn verdict(run: &Run, head: &Head) -> Vec<String> {
    let mut complaints: Vec<String> = run.complaint().into_iter().collect();
    if run.outcome() != head.expect {
        complaints.push(format!("`{}` says {}, the head says {}", run.line, run.outcome(), head.expect));
    } else if run.kinds() != head.findings {
        complaints.push(format!("`{}` finds {:?}, the head says {:?}", run.line, run.kinds(), head.findings));
    }
    complaints
}

fn figures(run: &Run, head: &Head) -> Vec<String> {
    let pairs = [("states_stored", head.states), ("transitions", head.transitions)];
    let wrong = pairs.iter().filter(|(name, said)| said.is_some_and(|n| n != run.stat(name)));
    let tell = |(name, said): &(&str, Option<u64>)| {
        format!("`{}` counts {} {name}, the head says {}", run.line, run.stat(name), said.unwrap_or_default())
    };
    wrong.map(tell).collect()
}

/// Depth first and breadth first see the same space; the trail of breadth first is not longer.
fn searches(model: &Path) -> Vec<String> {
    let (dfs, bfs) = (both(model, "dfs"), both(model, "bfs"));
    let mut complaints = Vec::new();
    for name in ["states_stored", "transitions"] {
        let (a, b) = (dfs.1.stat(name), bfs.1.stat(name));
        if a != b {
            complaints.push(format!("{name}: {a} depth first, {b} breadth first"));
        }
    }
    if (dfs.1.outcome(), dfs.1.errors()) != (bfs.1.outcome(), bfs.1.errors()) {
        complaints.push(format!("{} errors depth first, {} breadth first", dfs.1.errors(), bfs.1.errors()));
    }
    if dfs.0.outcome() != bfs.0.outcome() {
        complaints.push(format!("{} depth first, {} breadth first", dfs.0.outcome(), bfs.0.outcome()));
    }
    let (a, b) = (dfs.0.trail_length(), bfs.0.trail_length());
    if b > a {
        complaints.push(format!("the trail has {a} steps depth first and {b} breadth first"));
    }
    for run in [dfs.0, bfs.0] {
        complaints.extend(run.complaint());
        complaints.extend(run.replay(model));
    }
    complaints
}

/// The run to the first error and the run through the whole space.
fn both(model: &Path, search: &str) -> (Run, Run) {
    let whole = ["--search", search, "--plain"];
    (check(model, &whole), check(model, &[&whole[..], &["--all-errors"]].concat()))
}

/// Merged steps and reset variables change the states, never what is found.
fn automata(model: &Path, head: &Head) -> Vec<String> {
    let examine = |options: &&[&str]| {
        let all = check(model, &[options, &["--all-errors"][..]].concat());
        let first = check(model, options);
        let mut complaints = verdict(&all, head);
        complaints.extend(all.replay(model));
        complaints.extend(first.complaint());
        complaints.extend(first.replay(model));
        complaints
    };
    AUTOMATA.iter().flat_map(examine).collect()
}
