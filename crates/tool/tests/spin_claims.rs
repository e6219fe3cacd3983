//! SPIN's command lines for claims, cycles and many errors, and SPIN's trail files.

mod common;

use common::{Folder, run};

const COUNT: &str = "byte x;
active proctype P() { do :: x < 5 -> x++; assert(x != 3) :: x > 0 -> x--; assert(x != 2) od }
";
const LIGHT: &str = "bool lit, pressed;
active proctype P() { byte i; do :: i = 1; i = 2; pressed = 1 :: pressed -> lit = 1 od }
never { do :: true :: pressed && !lit -> break od;
accept: do :: !lit od }
";
const FORMULAS: &str = "byte x;
active proctype P() { do :: x < 5 -> x++ :: x > 0 -> x-- od }
ltl low { [] (x < 3) }
ltl small { [] (x < 9) }
";

fn spin(line: &[&str]) -> common::Ran {
    let args: Vec<_> = ["spin"].iter().chain(line).copied().collect();
    run(&args)
}

#[test]
fn a_model_with_a_claim_is_searched_with_it() {
    let f = Folder::new();
    let model = f.file("m.pml", LIGHT);
    for line in [&["-run", &model][..], &["-run", "-a", &model]] {
        let out = spin(line);
        assert_eq!(out.status, 1, "{out:?}");
        for text in [
            "pan:1: acceptance cycle (at depth ",
            "\tnever claim         \t+ (never_0)\n",
            "\tassertion violations\t+ (if within scope of claim)\n",
            "\tacceptance   cycles \t+ (fairness disabled)\n",
            "\tinvalid end states\t- (disabled by never claim)\n",
            "m.pml.trail\n",
        ] {
            assert!(out.stdout.contains(text), "{text:?} in {}", out.stdout);
        }
    }
    assert_eq!(spin(&["-run", "-noclaim", &model]).status, 0);
    let out = spin(&["-run", "-DSAFETY", &model]);
    assert_eq!(out.status, 0, "{out:?}");
    assert!(out.stdout.contains("cycle checks       \t- (disabled by -DSAFETY)"), "{out:?}");
    assert_eq!(spin(&["-run", "-bfs", &model]).status, 0);
}

#[test]
fn claims_are_chosen_by_name() {
    let f = Folder::new();
    let model = f.file("m.pml", FORMULAS);
    assert_eq!(spin(&["-run", &model]).status, 1, "the first formula");
    for line in [&["-run", "-N", "low"][..], &["-run", "-ltl", "low"], &["-search", "-a", "-N1"]] {
        let out = spin(&[line, &[&model]].concat());
        assert_eq!(out.status, 1, "{line:?}: {out:?}");
        assert!(out.stdout.contains("never claim         \t+ (low)"), "{out:?}");
    }
    for line in [&["-run", "-N", "small"][..], &["-run", "-ltl", "small"], &["-run", "-N0"]] {
        let out = spin(&[line, &[&model]].concat());
        assert_eq!(out.status, 0, "{line:?}: {out:?}");
        assert!(out.stdout.contains("never claim         \t+ (small)"), "{out:?}");
    }
    let out = spin(&["-run", "-N", "other", &model]);
    assert!(out.status == 2 && out.stderr.contains("`low`, `small`"), "{out:?}");
    // SPIN's -f describes what must not happen.
    let plain = f.file("p.pml", FORMULAS.split("ltl").next().unwrap_or(""));
    assert_eq!(spin(&["-f", "<> (x == 5)", "-run", &plain]).status, 1);
    assert_eq!(spin(&["-f", "<> (x == 6)", "-run", &plain]).status, 0);
    let claim = f.file("c.pml", "never { do :: true :: x == 4 -> break od }");
    assert_eq!(spin(&["-N", &claim, "-run", &plain]).status, 1);
}

#[test]
fn labels_and_progress_are_looked_at() {
    let f = Folder::new();
    let model = f.file("m.pml", "active proctype P() { do :: skip; accept: skip od }\n");
    for line in [&["-run"][..], &["-run", "-a"], &["-run", "-l"], &["-run", "-DNP"]] {
        assert_eq!(spin(&[line, &[&model]].concat()).status, 1, "{line:?}");
    }
    assert_eq!(spin(&["-run", "-safety", &model]).status, 0);
    let out = spin(&["-run", "-np", &model]);
    assert!(out.stdout.contains("pan:1: non-progress cycle") && out.stdout.contains("+ (:np_:)"), "{out:?}");
    let model = f.file("p.pml", "active proctype P() { do :: skip; progress: skip od }\n");
    assert_eq!(spin(&["-run", "-l", &model]).status, 0);
}

#[test]
fn a_number_of_errors_is_enough() {
    let f = Folder::new();
    let model = f.file("m.pml", COUNT);
    let errors = |n: u64| format!("errors: {n}\n");
    assert!(spin(&["-run", &model]).stdout.contains(&errors(1)));
    let all = spin(&["-o3", "-run", "-c0", &model]);
    assert!(all.stdout.contains(&errors(2)), "{all:?}");
    let two = spin(&["-o3", "-run", "-c2", &model]);
    assert!(two.stdout.contains(&errors(2)) && two.stdout.contains("pan:2: "), "{two:?}");
    assert!(two.stdout.contains("Search not completed"), "{two:?}");
    assert!(spin(&["-run", "-bfs", "-c0", &model]).status == 1);
    assert_eq!(spin(&["-run", "-bfs", "-c2", &model]).status, 2);
}

#[test]
fn every_error_has_a_trail() {
    let f = Folder::new();
    let model = f.file("m.pml", COUNT);
    let out = spin(&["-run", "-e", &model]);
    assert_eq!(out.stdout.matches("pan: wrote ").count(), 2, "{out:?}");
    for (n, text) in [("-t1", "assert((x!=3))"), ("-t2", "assert((x!=2))")] {
        let out = spin(&[n, "-p", &model]);
        assert!(out.status == 0 && out.stdout.contains(text), "{n}: {out:?}");
    }
    let out = run(&["check", "--all-errors", &model]);
    assert_eq!(out.status, 1);
    for (name, place) in [("m.pml.trail.json", "x != 3"), ("m.pml.trail.2.json", "x != 2")] {
        let out = run(&["replay", &model, &f.path(name).display().to_string()]);
        assert!(out.status == 0 && out.stdout.contains(place), "{name}: {out:?}");
    }
}

#[test]
fn channels_must_be_empty_if_asked() {
    let f = Folder::new();
    let model = f.file("m.pml", "chan q = [1] of { byte };\nactive proctype P() { q!1 }\n");
    assert_eq!(spin(&["-run", &model]).status, 0);
    let out = spin(&["-run", "-q", &model]);
    assert!(out.status == 1 && out.stdout.contains("invalid end state"), "{out:?}");
    let out = run(&["check", "--empty-channels", &model]);
    assert!(out.status == 1 && out.stdout.contains("the channel `q` is not empty"), "{out:?}");
    assert_eq!(run(&["replay", &model]).status, 0);
}

#[test]
fn a_claim_moves_in_a_replay_as_in_spin() {
    let f = Folder::new();
    let model = f.file("m.pml", LIGHT);
    assert_eq!(spin(&["-run", &model]).status, 1);
    let out = spin(&["-t", "-p", &model]);
    for text in [
        "starting claim 1\n",
        "Never claim moves to line 3\t[(1)]\n",
        "  <<<<<START OF CYCLE>>>>>\n",
        "proc  - (never_0:1)",
    ] {
        assert!(out.stdout.contains(text), "{text:?} in {}", out.stdout);
    }
    // The parts of a merged step have their own states.
    for text in ["(state 1)\t[i = 1]\n", "(state 2)\t[i = 2]\n"] {
        assert!(out.stdout.contains(text), "{text:?} in {}", out.stdout);
    }
    assert!(!out.stdout.contains("255"), "{out:?}");
    assert!(spin(&["-t", "-p", "-v", &model]).stdout.contains("proc  - (never_0:1) "));
    // What stands in SPIN's own file is the same run.
    let other = spin(&["-p", "-k", &f.path("m.pml.trail").display().to_string(), &model]);
    assert_eq!(other.stdout, out.stdout, "{other:?}");
    let text = std::fs::read_to_string(f.path("m.pml.trail")).unwrap();
    assert!(text.starts_with("-2:1:-2\n-4:-4:-4\n1:0:") && text.contains("\n-1:-1:-1\n"), "{text}");
    assert_eq!(run(&["replay", &model, &f.path("m.pml.trail").display().to_string()]).status, 0);
}
