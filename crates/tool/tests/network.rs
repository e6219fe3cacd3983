//! Networks of automata on the command line.

mod common;

use common::{Folder, json, run};

fn made(folder: &Folder, name: &str, args: &[&str]) -> String {
    let path = folder.path(name).display().to_string();
    let ran = run(&[&["generate", "nba"], args, &["--output", &path]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    path
}

/// The figures of Gnad, Eisenhut, Lluch Lafuente and Hoffmann, CAV 2021, Fig. 10.
#[test]
fn published_counts() {
    let folder = Folder::new();
    for (count, states) in [("3", 36), ("4", 97), ("5", 272), ("6", 783)] {
        let net = made(&folder, "p.hoa", &["philosophers", count]);
        let report = json(&["check", &net, "--engine", "split", "--json"], 0);
        assert_eq!(report["outcome"], "holds");
        assert_eq!(report["stats"]["decoupled_states"], states);
        assert_eq!(report["network"]["components"].as_u64(), count.parse::<u64>().ok().map(|n| 2 * n));
    }
    let net = made(&folder, "r.hoa", &["ring", "20"]);
    assert_eq!(json(&["check", &net, "--engine", "split", "--json"], 0)["stats"]["decoupled_states"], 22);
}

#[test]
fn an_accepting_run_is_a_violation() {
    let folder = Folder::new();
    let net = made(&folder, "p.hoa", &["philosophers", "3"]);
    for engine in ["auto", "explicit", "split", "scc"] {
        let report = json(&["check", &net, "--acceptance", "each", "--engine", engine, "--json"], 1);
        assert_eq!(report["outcome"], "violated");
        let finding = &report["findings"][0];
        assert_eq!(finding["kind"], "acceptance-cycle");
        assert!(finding["trail_length"].as_u64() > finding["cycle_start"].as_u64(), "{report}");
        assert_eq!(report["stats"].get("decoupled_states").is_none(), engine == "explicit");
        let trail = std::fs::read_to_string(format!("{net}.trail.json")).unwrap();
        let trail: serde_json::Value = serde_json::from_str(&trail).unwrap();
        assert_eq!(trail["steps"].as_array().map(|s| s.len() as u64), finding["trail_length"].as_u64());
    }
    let ran = run(&["check", &net, "--acceptance", "each"]);
    assert!(ran.status == 1 && ran.stdout.contains("for ever:") && ran.stdout.starts_with("VIOLATED"), "{ran:?}");
    // The philosophers alone, in a file of their own, are not held up by forks.
    let text = std::fs::read_to_string(&net).unwrap();
    let parts: Vec<String> = text.split_inclusive("--END--\n").map(String::from).collect();
    let (people, forks) =
        (folder.file("people.hoa", &parts[..3].concat()), folder.file("forks.hoa", &parts[3..].concat()));
    assert_eq!(json(&["check", &people, "--json"], 1)["network"]["components"], 3);
    assert_eq!(json(&["check", &people, &forks, "--json"], 0)["network"]["components"], 6);
}

#[test]
fn limits_are_kept() {
    let folder = Folder::new();
    let net = made(&folder, "big.hoa", &["philosophers", "40"]);
    for engine in ["explicit", "split", "scc"] {
        let report = json(&["check", &net, "--engine", engine, "--time", "300ms", "--json"], 3);
        assert_eq!(report["outcome"], "stopped");
        assert!(report["stopped_because"].as_str().unwrap().contains("time limit"), "{report}");
    }
    let report = json(&["check", &net, "--engine", "explicit", "--memory", "1M", "--json"], 3);
    assert!(report["stopped_because"].as_str().unwrap().contains("memory limit"), "{report}");
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let folder = Folder::new();
    let net = made(&folder, "p.hoa", &["philosophers", "3"]);
    let model = folder.file("m.pml", "active proctype P() { skip }");
    for (args, words) in [
        (vec!["check", &net, "--por", "off"], "`--por` has no meaning"),
        (vec!["check", &net, "--ltl", "p"], "`--ltl` has no meaning"),
        (vec!["check", &net, "-D", "N=3"], "`-D` has no meaning"),
        (vec!["check", &net, "--engine", "jit"], "`--engine` needs"),
        (vec!["check", &net, &model], "does not end in `.hoa`"),
        (vec!["check", &model, &net], "a Promela model is one file"),
        (vec!["check", &model, "--acceptance", "each"], "`--acceptance` is for networks"),
        (vec!["check", &model, "--engine", "split"], "`--engine split` is for networks"),
        (vec!["replay", &net], "only `check` understands networks"),
    ] {
        let ran = run(&args);
        assert!(ran.status == 2 && ran.stderr.contains(words), "{args:?}: {ran:?}");
    }
}

#[test]
fn mistakes_in_a_network_have_a_place() {
    let folder = Folder::new();
    let text = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[!0] 0\n--END--\n";
    let report = json(&["check", &folder.file("n.hoa", text), "--json"], 2);
    assert_eq!(
        (report["diagnostics"][0]["line"].as_u64(), report["diagnostics"][0]["column"].as_u64()),
        (Some(8), Some(2))
    );
    let ran = run(&["check", &folder.file("empty.hoa", "")]);
    assert!(ran.status == 2 && ran.stderr.contains("holds no automaton"), "{ran:?}");
    let ran = run(&["check", &folder.path("none.hoa").display().to_string()]);
    assert!(ran.status == 2 && ran.stderr.contains("does not exist"), "{ran:?}");
}

#[test]
fn a_seed_means_the_same_network() {
    let [one, again, other] = ["7", "7", "8"].map(|seed| run(&["generate", "nba", "random", "--seed", seed]).stdout);
    assert!(one == again && one != other && one.starts_with("HOA: v1"));
}
