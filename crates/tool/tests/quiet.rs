//! Timers that nobody looks at, and searches for runs without end in timed models: the same verdicts with less to do.

mod collection;

use collection::root;
use collection::run::{Run, check};
use std::fs;
use std::path::{Path, PathBuf};

fn written(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("quiet-{name}-{}.pml", std::process::id()));
    fs::write(&path, format!("#include \"dtime.h\"\n{text}")).expect("the folder for tests can be written to");
    path
}

fn run(name: &str, text: &str, options: &str) -> Run {
    let path = written(name, text);
    let run = check(&path, &options.split_whitespace().collect::<Vec<_>>());
    assert_eq!(run.replay(&path), None, "{name} {options}");
    run
}

fn example(name: &str, options: &[&str]) -> Run {
    check(&root().join("examples/time").join(name).with_extension("pml"), options)
}

/// States of the search for a property of its own.
fn stored(run: &Run, property: &str) -> u64 {
    let all = run.report["properties"].as_array().cloned().unwrap_or_default();
    let own = all.iter().find(|p| p["name"] == property).unwrap_or_else(|| panic!("{property}: {}", run.report));
    own["stats"]["states_stored"].as_u64().unwrap_or(0)
}

/// Nobody looks at `d` any more once `l` has expired.
const DEAD: &str = "byte n; active proctype P() { timer d; timer l; set(d,9); set(l,2); if :: expire(l) :: expire(d) fi; n = 1; set(d,7); end: n == 2 }";

#[test]
fn dead_timers_are_switched_off_where_nobody_counts() {
    let ticks = |options: &str| {
        let run = run("dead", DEAD, options);
        assert_eq!(run.outcome(), "holds", "{options}");
        run.stat("ticks")
    };
    let all = ticks("--plain");
    assert_eq!(all, 2 + 8, "two slices to the first expiry, eight until the dead timer is off");
    for options in ["", "--merge off", "--por off", "--timers exact --store flat", "--engine interp"] {
        assert!(ticks(options) < all, "{options}");
    }
    for options in ["--dead-vars off", "--search bfs", "--depth 90"] {
        assert_eq!(ticks(options), all, "{options}");
    }
    for formula in ["X (n == 0)", "X X (n == 0)"] {
        let run = check(&written("dead", DEAD), &["--ltl", formula]);
        assert_eq!((run.outcome(), run.stat("ticks")), ("holds", all), "{formula}");
    }
    let divergent = check(&written("dead", DEAD), &["--divergent", "--ltl", "<> (n == 1)"]);
    assert_eq!((divergent.outcome(), divergent.stat("ticks")), ("holds", all));
}

#[test]
fn a_run_that_gets_stuck_is_stuck_with_dead_timers_off() {
    let text = DEAD.replace("end: ", "");
    for options in ["--plain", "", "--timers jump", "--merge off"] {
        let run = run("stuck", &text, options);
        assert!(run.kinds().contains("invalid-end-state"), "{options}: {}", run.report);
    }
}

#[test]
fn time_that_stops_is_found_with_fewer_steps() {
    for method in ["ample", "cluster", "stubborn"] {
        let found = example("zeno", &["--zeno", "--por", method]);
        assert_eq!(found.kinds().into_iter().collect::<Vec<_>>(), ["time-stops"], "{method}");
        assert_eq!(example("zeno", &["--zeno", "-DPATIENT", "--por", method]).outcome(), "holds", "{method}");
        let (all, some) =
            (example("gate", &["--zeno", "--plain"]), example("gate", &["--zeno", "--plain", "--por", method]));
        assert_eq!((all.outcome(), some.outcome()), ("holds", "holds"), "{method}");
        assert!(stored(&some, "time") < stored(&all, "time"), "{method}");
    }
}

#[test]
fn formulas_about_time_that_goes_on_are_reduced() {
    let served = ["-DLTL", "--ltl", "served", "--divergent", "--plain"];
    let all = example("gate", &served);
    let some = example("gate", &[&served[..], &["--por", "ample"]].concat());
    assert_eq!((all.outcome(), some.outcome()), ("holds", "holds"));
    assert!(stored(&some, "served") < stored(&all, "served"));
    let beat = ["--ltl", "[] <> (u == 0)", "--por", "ample"];
    assert_eq!(example("zeno", &beat).outcome(), "violated");
    assert_eq!(example("zeno", &[&beat[..], &["--divergent"]].concat()).outcome(), "holds");
}

#[test]
fn fairness_is_about_processes_and_not_about_the_clock() {
    let busy = "timer t; bit x, y; active proctype P() { do :: x = 1 - x od }\n";
    let waiting = format!("{busy} active proctype Q() {{ y = 1; delay(t,1) }}");
    let now_and_then = format!("{busy} active proctype Q() {{ x == 1 -> y = 1; delay(t,1) }}");
    let verdict = |text: &str, options: &[&str]| {
        check(&written("fair", text), &[&["--ltl", "<> (y == 1)"], options].concat()).outcome().to_string()
    };
    assert_eq!(verdict(&waiting, &[]), "violated");
    assert_eq!(verdict(&waiting, &["--fair"]), "holds");
    assert_eq!(verdict(&now_and_then, &["--fair"]), "violated");
    assert_eq!(verdict(&now_and_then, &["--fair=strong"]), "holds");
    // Where time passes, every process waits: who is patient is treated fairly.
    let patient = "timer t; bit y; active proctype P() { do :: delay(t,1) od } active proctype Q() { y = 1 }";
    assert_eq!(verdict(patient, &[]), "holds");
    let progress = "timer t; active proctype P() { do :: delay(t,1); progress: skip od }";
    assert_eq!(check(&written("progress", progress), &["--progress"]).outcome(), "holds");
}

#[test]
fn every_store_and_many_workers_count_the_same_ticks() {
    let counts = |options: &str| {
        let run = example("gate", &[&["--plain"], &options.split_whitespace().collect::<Vec<_>>()[..]].concat());
        assert_eq!(run.outcome(), "holds", "{options}");
        (run.stat("states_stored"), run.stat("transitions"), run.stat("ticks"))
    };
    let all = counts("");
    assert_eq!((all.0, all.1), (1330, 2440));
    for options in [
        "--store tree",
        "--store flat",
        "--store dfa",
        "--workers 2",
        "--search bfs",
        "--engine interp",
        "--engine jit",
    ] {
        assert_eq!(counts(options), all, "{options}");
    }
}

#[test]
fn lazy_steps_take_the_place_of_idle_loops() {
    let model = root().join("bench/models/fischer-lazy.pml");
    for timers in ["exact", "jump"] {
        assert_eq!(check(&model, &["--timers", timers, "-DN=2"]).outcome(), "holds", "{timers}");
        let broken = check(&model, &["--timers", timers, "-DN=2", "-DD1=2", "-DD2=2"]);
        assert_eq!(broken.outcome(), "violated", "{timers}");
    }
    let idle = example("fischer", &["--plain"]).stat("states_stored");
    assert!(check(&model, &["--plain", "-DN=2"]).stat("states_stored") < idle);
}

#[test]
fn local_timers_have_the_states_of_global_ones_and_can_be_dead() {
    for (n, states, transitions) in [("-DN=2", 424, 770), ("-DN=3", 5481, 14137)] {
        let all = example("fischer-local", &[n, "--plain"]);
        assert_eq!((all.stat("states_stored"), all.stat("transitions")), (states, transitions), "{n}");
        let [dead, global] = ["fischer-local", "fischer"].map(|name| example(name, &[n, "--por", "off"]));
        assert_eq!((dead.outcome(), global.outcome()), ("holds", "holds"));
        assert!(dead.stat("states_stored") < global.stat("states_stored"), "{n}");
    }
}
