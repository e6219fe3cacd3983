//! Wrong answers that other checkers are known to give, and the right ones. The models are in `corpus/`, where the
//! heads say the verdict; here is what a head cannot say. The letters are those of `docs/differences.md`.

mod collection;

use collection::run::{Run, check, starwheel};
use collection::{models, root};
use std::path::{Path, PathBuf};

fn corpus(name: &str) -> PathBuf {
    let path = root().join("corpus").join(name).with_extension("pml");
    assert!(path.is_file(), "{} is not there", path.display());
    path
}

/// Writes a model that is too small for a file in the collection.
fn model(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("pml");
    std::fs::write(&path, text).expect("a file in the folder for tests");
    path
}

/// The default options find it, a breadth-first search finds it, and the trails are real.
fn violated_by_default(name: &str, kind: &str) {
    for options in [&[][..], &["--search", "bfs"][..], &["--dead-vars", "--merge"][..]] {
        let path = corpus(name);
        let run = check(&path, options);
        assert_eq!((run.outcome(), run.status), ("violated", Some(1)), "{name} {options:?}");
        assert!(run.kinds().contains(kind), "{name} {options:?}: {:?}", run.kinds());
        assert_eq!(run.replay(&path), None, "{name}");
    }
}

fn unchecked(run: &Run) -> Vec<&str> {
    run.report["unchecked"].as_array().map_or(vec![], |all| all.iter().filter_map(|u| u.as_str()).collect())
}

/// The outcome of a property that has a search of its own.
fn own<'a>(run: &'a Run, name: &str) -> &'a str {
    let all = run.report["properties"].as_array().map_or(&[][..], Vec::as_slice);
    let found = all.iter().find(|p| p["name"] == name).and_then(|p| p["outcome"].as_str());
    found.unwrap_or_else(|| panic!("{}: nothing about {name}: {}", run.line, run.report))
}

#[test]
fn k_comparisons_bind_tighter_than_temporal_operators() {
    let path = corpus("ltl-precedence");
    let run = check(&path, &[]);
    let warnings = run.report["warnings"].as_array().expect("a list of warnings");
    assert_eq!(warnings.len(), 2);
    for (warning, (line, advice)) in warnings.iter().zip([(22, "write `[] (x != 1)`"), (23, "write `<> (x > 7)`")]) {
        assert_eq!(warning["line"], line);
        assert!(warning["advice"][0].as_str().is_some_and(|a| a.starts_with(advice)), "{warning}");
    }
    assert_eq!(unchecked(&run), ["p", "q"]);
    for name in ["p", "q"] {
        for engine in ["auto", "scc"] {
            assert_eq!(own(&check(&path, &["--ltl", name, "--engine", engine]), name), "violated", "{name}");
        }
    }
}

#[test]
fn k_the_warning_is_also_for_people() {
    let path = corpus("ltl-precedence");
    let output = starwheel(&["check", "--no-ltl", &path.to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("warning[ltl-precedence]") && text.contains("[] (x != 1)"), "{text}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn l_death_is_seen_by_others() {
    for name in ["death-changes-pid", "death-changes-run", "death-changes-count"] {
        violated_by_default(name, "assertion");
    }
}

#[test]
fn m_an_escape_by_rendezvous_hides_nothing() {
    violated_by_default("unless-rendezvous", "assertion");
    let run = check(&corpus("unless-rendezvous"), &["--all-errors", "--no-assert"]);
    assert_eq!(run.kinds().into_iter().collect::<Vec<_>>(), ["invalid-end-state"]);
}

#[test]
fn n_breadth_first_finds_deadlocks_at_a_rendezvous() {
    violated_by_default("rendezvous-deadlock", "invalid-end-state");
    violated_by_default("rendezvous-with-oneself", "invalid-end-state");
    let run = check(&corpus("rendezvous-deadlock"), &["--search", "bfs"]);
    assert_eq!(run.trail_length(), 0);
}

#[test]
fn o_next_is_parsed_and_never_answered_wrongly() {
    let path = corpus("next-operator");
    assert_eq!(unchecked(&check(&path, &[])), ["p"]);
    for engine in ["auto", "scc"] {
        assert_eq!(own(&check(&path, &["--ltl", "p", "--engine", engine]), "p"), "violated");
        let refused = check(&path, &["--ltl", "p", "--engine", engine, "--por", "ample"]);
        assert!(refused.status == Some(2) && refused.codes().contains("no-reduction"), "{}", refused.report);
    }
}

#[test]
fn g_divisions_by_zero_are_errors_with_a_trail() {
    for (name, line) in [("division-by-zero", 17), ("one-by-zero", 17), ("remainder-by-zero", 17)] {
        violated_by_default(name, "runtime-error");
        // Such a step has no result, so it is an error whatever else is ignored.
        let run = check(&corpus(name), &["--no-assert", "--no-deadlock"]);
        assert_eq!(run.outcome(), "violated", "{name}");
        assert_eq!(run.lines().into_iter().collect::<Vec<_>>(), [line], "{name}");
    }
}

#[test]
fn d_an_index_out_of_bounds_is_an_error_in_every_mode() {
    for name in ["index-out-of-bounds-read", "index-out-of-bounds-write"] {
        violated_by_default(name, "runtime-error");
        let run = check(&corpus(name), &["--all-errors", "--no-assert", "--no-deadlock"]);
        assert_eq!(run.kinds().into_iter().collect::<Vec<_>>(), ["runtime-error"], "{name}");
    }
}

#[test]
fn r_the_simulator_knows_what_the_checker_knows() {
    let run = |name: &str| {
        let path = corpus(name);
        let output = starwheel(&["simulate", &path.to_string_lossy(), "--seed", "1", "--steps", "1000"]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(run("bit-array").0, Some(0));
    for (name, word) in [("trace-broken", "trace"), ("division-by-zero", "division by zero")] {
        let (status, text) = run(name);
        assert_eq!(status, Some(1), "{name}: {text}");
        assert!(text.contains(word), "{name}: {text}");
    }
}

#[test]
fn p_a_search_that_was_cut_is_not_conclusive() {
    let path = corpus("deep-assertion");
    for search in ["dfs", "bfs"] {
        let run = check(&path, &["--depth", "50", "--search", search]);
        assert_eq!((run.outcome(), run.status, run.errors()), ("stopped", Some(3), 0), "{search}");
        assert!(run.report["stopped_because"].as_str().is_some_and(|why| why.contains("50")));
        let run = check(&path, &["--depth", "300", "--search", search]);
        assert_eq!(run.outcome(), "violated", "{search}");
    }
    let output = starwheel(&["check", &path.to_string_lossy(), "--depth", "50"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("NOT CONCLUSIVE"));
}

#[test]
fn q_a_claim_hides_nothing() {
    violated_by_default("claim-hides-deadlock", "invalid-end-state");
    violated_by_default("claim-hides-assertion", "assertion");
}

#[test]
fn q_claims_that_nobody_asked_for_are_named() {
    assert_eq!(unchecked(&check(&corpus("claim-hides-deadlock"), &[])), ["fine"]);
    assert_eq!(unchecked(&check(&corpus("claim-hides-assertion"), &[])), ["never_0"]);
    let output = starwheel(&["check", "--no-ltl", &corpus("ltl-precedence").to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.lines().any(|l| l.starts_with("Not checked") && l.ends_with(": p, q")), "{text}");
}

#[test]
fn q_asking_for_a_formula_still_finds_the_deadlock() {
    let run = check(&corpus("claim-hides-deadlock"), &["--ltl", "fine"]);
    assert_eq!((run.outcome(), own(&run, "fine")), ("violated", "holds"));
    assert_eq!(own(&run, "invalid-end-states"), "violated");
}

#[test]
fn dd_a_reduction_does_not_depend_on_the_property() {
    let path = corpus("reduction-on-the-fly");
    let automaton = model("reduction-on-the-fly-automaton", EVEN_AND_ODD).to_string_lossy().to_string();
    for (engine, por) in
        ["auto", "scc"].into_iter().flat_map(|e| ["off", "ample", "cluster", "stubborn"].map(|p| (e, p)))
    {
        let options = ["--engine", engine, "--por", por];
        let asked = |what: [&str; 2]| check(&path, &[&what[..], &options].concat());
        assert_eq!(own(&asked(["--automaton", &automaton]), "automaton"), "violated", "{options:?}");
        assert_eq!(own(&asked(["--ltl", "p_later"]), "p_later"), "violated", "{options:?}");
        assert_eq!(own(&asked(["--claim", "never_0"]), "never_0"), "violated", "{options:?}");
    }
}

/// The claim of `reduction-on-the-fly` as an automaton.
const EVEN_AND_ODD: &str = r#"HOA: v1
States: 4
Start: 0
AP: 1 "p"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: stutter-invariant
--BODY--
State: 0
[!0] 1
[!0] 2
State: 1
[!0] 2
State: 2
[!0] 1
[0] 3
State: 3 {0}
[0] 3
--END--
"#;

#[test]
fn the_exit_status_tells_the_verdict() {
    for (name, status) in [("bit-array", 0), ("trace-broken", 1), ("else-two", 2)] {
        let trail = format!("{}/status.json", env!("CARGO_TARGET_TMPDIR"));
        let output = starwheel(&["check", &corpus(name).to_string_lossy(), "--trail", &trail]);
        assert_eq!(output.status.code(), Some(status), "{name}");
    }
}

#[test]
fn shortest_trails_are_shortest() {
    let text = "byte x;\nactive proctype p() { do :: x < 9 -> x++ :: x > 2 -> assert(false) od }\n";
    let run = check(&model("shortest", text), &["--search", "bfs"]);
    assert_eq!(run.trail_length(), 8, "three rounds of two steps, the guard and the assertion");
}

#[test]
fn the_collection_is_not_empty() {
    assert!(models("corpus").len() > 60);
}

#[test]
fn a_jump_into_a_d_step_is_refused() {
    let text = "byte x;\nactive proctype p() { goto in1; d_step { x = 1; in1: x = 2 } }\n";
    let run = check(&model("jump-into-d-step", text), &[]);
    assert!(run.codes().contains("jump-across-d_step"), "{}", run.outcome());
}

#[test]
fn a_second_else_that_comes_with_an_inner_selection_is_refused() {
    let text = "byte x;\nactive proctype p()\n{ if :: if :: x == 1 :: else fi :: else -> x = 2 fi }\n";
    let run = check(&model("inner-else", text), &[]);
    assert!(run.codes().contains("second-else"), "{}", run.outcome());
}

#[test]
fn a_trace_with_a_choice_is_one_error() {
    let text = "chan q = [1] of { byte };\ntrace { if :: q!1; q?1 :: q!1; q?2 fi }\nactive proctype p() { q!1 }\n";
    let run = check(&model("trace-choice", text), &["--all-errors"]);
    assert_eq!(run.errors(), 1, "{:?}", run.findings());
}
