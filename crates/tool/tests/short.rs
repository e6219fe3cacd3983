//! Counterexamples are short without being asked to be, end where they are decided, and show nobody's bookkeeping.

mod common;

use common::{Folder, json, run};
use serde_json::Value;

/// The bounded buffer whose wake-up can be lost: a shortest run to its deadlock has 47 steps.
const BUFFER: &str = include_str!("models/buffer.pml");
/// An election: a shortest run to its deadlock has 81 steps.
const RAFT: &str = include_str!("models/raft.pml");

fn length(report: &Value) -> u64 {
    report["findings"][0]["trail_length"].as_u64().expect("a length")
}

#[test]
fn the_first_trail_is_nearly_a_shortest_one() {
    let folder = Folder::new();
    let model = folder.file("buffer.pml", BUFFER);
    let report = json(&["check", "--json", "--no-ltl", &model], 1);
    assert!(length(&report) <= 56, "{report}");
    assert!(report["findings"][0]["shortened_from"].as_u64() > Some(length(&report)));
    let shortest = json(&["check", "--json", "--no-ltl", "--search", "bfs", &model], 1);
    assert_eq!((length(&shortest), &shortest["findings"][0]["shortest"]), (47, &Value::Bool(true)));
    // What was found was found in another reading of the model, and can be replayed all the same.
    assert_eq!(run(&["replay", &model]).status, 0);
    let text = run(&["check", "--no-ltl", &model]).stdout;
    assert!(text.contains("How it comes to that (47 steps, no run to such an error is shorter)"), "{text}");
    assert!(!text.contains("not shown"), "a page is shown as a whole: {text}");
}

#[test]
fn shortest_is_said_only_of_what_was_searched_by_breadth_with_all_steps() {
    let folder = Folder::new();
    let model = folder.file("buffer.pml", BUFFER);
    for options in [&["--search", "bfs", "--por", "ample"][..], &["--search", "bfs", "--merge"], &["--all-errors"]] {
        let report = json(&[&["check", "--json", "--no-ltl", &model][..], options].concat(), 1);
        assert_eq!(report["findings"][0]["shortest"], Value::Null, "{options:?}");
    }
}

#[test]
fn a_longer_search_is_shortened_as_far_as_time_goes() {
    let folder = Folder::new();
    let model = folder.file("raft.pml", RAFT);
    let report = json(&["check", "--json", "--no-ltl", &model], 1);
    // At most 1.2 times as long as a shortest one, also where there was no time to make it shorter.
    let first = report["findings"][0]["shortened_from"].as_u64().unwrap_or(length(&report));
    assert!(length(&report) <= first && length(&report) <= 97, "{report}");
}

#[test]
fn a_formula_about_states_ends_where_it_is_decided() {
    let folder = Folder::new();
    let text = "byte x;\nactive proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }\nltl small { [] (x < 2) }\n";
    let model = folder.file("m.pml", text);
    let shown = run(&["check", &model]).stdout;
    assert!(shown.contains("this decides it") && !shown.contains("for ever:"), "{shown}");
    let own = |l: &str| l.contains(" small ") && l.contains("m.pml:3");
    assert!(!shown.lines().skip(1).any(own), "no step of the automaton: {shown}");
    let all = run(&["check", "--claim-steps", &model]).stdout;
    assert!(all.contains("for ever") && all.lines().skip(1).any(own), "{all}");
    let replayed = run(&["replay", &model]).stdout;
    assert!(replayed.contains("this decides it") && !replayed.contains("for ever:"), "{replayed}");
    assert!(run(&["replay", "--claim-steps", &model]).stdout.contains("for ever"));
}

#[test]
fn a_system_that_has_stopped_is_said_to_have_stopped() {
    let folder = Folder::new();
    let model = folder.file("stopped.pml", "bool p;\nactive proctype A() { skip }\nltl f { <> p }\n");
    for line in [&["check", &model][..], &["replay", &model]] {
        let shown = run(line).stdout;
        assert!(shown.contains("nothing can happen any more: the system stays here for ever"), "{shown}");
        assert!(!shown.contains("repeats for ever"), "{shown}");
    }
}

#[test]
fn never_claims_written_by_hand_keep_their_steps() {
    let folder = Folder::new();
    let text = "byte x;\nactive proctype P() { do :: x = 1 - x od }\nnever { do :: x == 1 -> break :: else od }\n";
    let model = folder.file("n.pml", text);
    let shown = run(&["check", &model]).stdout;
    assert!(shown.lines().any(|l| l.contains("never_0") && l.contains("n.pml:3")), "{shown}");
}

#[test]
fn a_long_run_is_shown_with_its_beginning_and_its_end() {
    let folder = Folder::new();
    let text = "byte x;\nactive proctype P() { do :: x < 100 -> x++ :: x == 100 -> assert(false) od }\n";
    let model = folder.file("long.pml", text);
    let shown = run(&["check", &model]).stdout;
    assert!(shown.contains("not shown)") && shown.contains("  1  P(0)"), "{shown}");
}

#[test]
fn several_counterexamples_differ_in_more_than_order() {
    let folder = Folder::new();
    // Whoever comes first decides; the end is the same, and the ways are two, each in many orders.
    let text = "byte x, y, z;\nactive proctype P() { if :: x = 1 :: y = 1 fi; z++ }\nactive proctype Q() { z++; z++ }\n\
                active proctype R() { z == 3; assert(false) }\n";
    let model = folder.file("two.pml", text);
    let report = json(&["check", "--json", "--plain", "--different", "5", &model], 1);
    let trails: Vec<_> =
        report["findings"].as_array().expect("findings").iter().filter_map(|f| f["trail"].as_str()).collect();
    assert_eq!(trails.len(), 2, "{report}");
    let mut steps: Vec<Vec<String>> = Vec::new();
    for trail in trails {
        let shown = json(&["replay", "--json", &model, trail], 0);
        let moves = shown["moves"].as_array().expect("moves");
        let mut own: Vec<String> = moves.iter().map(|m| format!("{}{}", m["pid"], m["text"])).collect();
        own.sort();
        steps.push(own);
    }
    assert_ne!(steps[0], steps[1]);
    let text = run(&["check", "--plain", "--different", "5", &model]).stdout;
    assert!(text.contains("trail: ") && text.contains("two.pml.trail.2.json"), "only trails tell them apart: {text}");
    assert_eq!(json(&["check", "--json", "--different", "1", &model], 1)["findings"].as_array().map(Vec::len), Some(1));
    let refused = json(&["check", "--json", "--different", "2", "--search", "bfs", &model], 2);
    assert!(refused["diagnostics"][0]["message"].as_str().is_some_and(|m| m.contains("--different")), "{refused}");
}
