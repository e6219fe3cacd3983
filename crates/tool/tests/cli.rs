//! The binary as users meet it: exit status, verdicts, JSON, trails and bad input of every kind.

mod common;

use common::{Folder, json, run};

const GOOD: &str = "byte x;\nactive proctype P() { x = 1; assert(x == 1) }\n";
const BAD: &str = "byte x;\nactive proctype P() { x = 1; x = 2; assert(x == 1) }\n";
const STUCK: &str =
    "chan c = [0] of { byte };\nactive proctype P() { c!1; c!2 }\nactive proctype Q() { byte v; c?v }\n";
const ENDLESS: &str = "int i;\nactive proctype P() { do :: i >= 0 -> i++ od }\n";
const BOUNDS: &str = "byte a[2]; byte i = 7;\ninit { a[i] = 1 }\n";

#[test]
fn a_model_without_errors_holds() {
    let f = Folder::new();
    let out = run(&["check", &f.file("m.pml", GOOD)]);
    assert_eq!(out.status, 0, "{out:?}");
    assert!(out.stdout.starts_with("HOLDS:"), "{out:?}");
    assert!(!f.path("m.pml.trail.json").exists());
}

#[test]
fn a_failing_assertion_is_shown_with_its_trail() {
    let f = Folder::new();
    let model = f.file("m.pml", BAD);
    let out = run(&["check", &model]);
    assert_eq!(out.status, 1, "{out:?}");
    assert!(out.stdout.starts_with("VIOLATED:") && out.stdout.contains("m.pml:2"), "{out:?}");
    assert!(out.stdout.contains("starwheel replay"), "{out:?}");
    let out = run(&["replay", &model]);
    assert_eq!(out.status, 0, "{out:?}");
    assert!(out.stdout.contains("x = 2") && out.stdout.contains("At the end:"), "{out:?}");
}

#[test]
fn a_stuck_system_is_found_unless_nobody_asks() {
    let f = Folder::new();
    let model = f.file("m.pml", STUCK);
    let report = json(&["check", "--json", &model], 1);
    assert_eq!(report["findings"][0]["kind"], "invalid-end-state");
    assert_eq!(run(&["check", "--no-deadlock", &model]).status, 0);
}

#[test]
fn assertions_may_be_ignored_but_not_run_time_errors() {
    let f = Folder::new();
    assert_eq!(run(&["check", "--no-assert", &f.file("m.pml", BAD)]).status, 0);
    let report = json(&["check", "--no-assert", "--json", &f.file("n.pml", BOUNDS)], 1);
    assert_eq!(report["findings"][0]["kind"], "runtime-error");
}

#[test]
fn the_report_has_what_was_promised() {
    let f = Folder::new();
    let model = f.file("m.pml", BAD);
    let report = json(&["check", "--json", "--all-errors", &model], 1);
    assert_eq!(report["outcome"], "violated");
    assert_eq!(report["errors"], 1);
    assert_eq!(report["complete"], true);
    let finding = &report["findings"][0];
    assert_eq!((finding["kind"].as_str(), finding["line"].as_u64()), (Some("assertion"), Some(2)));
    assert_eq!(finding["trail_length"], 3);
    assert_eq!(finding["file"].as_str(), Some(model.as_str()));
    let names: Vec<_> = report["properties"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert_eq!(names, ["assertions", "invalid-end-states", "runtime-errors"]);
    assert_eq!(report["properties"][0]["outcome"], "violated");
    assert_eq!(report["properties"][1]["outcome"], "holds");
    for key in ["states_stored", "states_matched", "transitions", "max_depth", "state_bytes", "store_bytes"] {
        assert!(report["stats"][key].is_u64(), "{key}: {report}");
    }
    assert!(report["stats"]["seconds"].is_f64() && report["stats"]["peak_rss_bytes"].is_u64());
    assert_eq!(report["options"]["all-errors"], true);
    assert!(report["version"].is_u64() && report["warnings"].is_array() && report["unreached"].is_array());
}

#[test]
fn a_first_error_leaves_other_properties_open() {
    let f = Folder::new();
    let report = json(&["check", "--json", &f.file("m.pml", BAD)], 1);
    assert_eq!(report["properties"][1]["outcome"], "stopped");
    assert_eq!(report["complete"], false);
}

#[test]
fn claims_that_are_not_checked_are_named() {
    let f = Folder::new();
    let model = f.file("m.pml", &format!("{GOOD}ltl p {{ <> (x == 1) }}\n"));
    let report = json(&["check", "--json", "--no-ltl", &model], 0);
    assert_eq!(report["unchecked"][0], "p");
    assert!(run(&["check", "--no-ltl", &model]).stdout.contains("Not checked: p"));
}

#[test]
fn limits_end_a_search_without_a_verdict() {
    let f = Folder::new();
    let model = f.file("m.pml", ENDLESS);
    for option in [["--time", "100ms"], ["--memory", "1M"], ["--depth", "20"]] {
        let report = json(&["check", "--json", option[0], option[1], &model], 3);
        assert_eq!(report["outcome"], "stopped", "{option:?}");
        assert!(report["stopped_because"].is_string(), "{option:?}");
    }
    let out = run(&["check", "--memory", "1M", "--dead-vars", "off", &model]);
    assert!(out.stdout.contains("To get further: `--dead-vars`") && out.stdout.contains("--spill"), "{}", out.stdout);
    let out = run(&["check", "--memory", "1M", "--por", "off", &model]);
    assert!(!out.stdout.contains("To get further"), "{}", out.stdout);
    let out = run(&["check", "--depth", "20", &model]);
    assert!(out.stdout.starts_with("NOT CONCLUSIVE"), "{out:?}");
}

#[test]
fn breadth_first_finds_a_shortest_trail() {
    let f = Folder::new();
    let model =
        f.file("m.pml", "byte x; init { do :: x < 9 -> x++ :: x == 0 -> assert(false) :: x == 9 -> assert(false) od }");
    let report = json(&["check", "--json", "--search", "bfs", &model], 1);
    assert_eq!(report["findings"][0]["trail_length"], 2);
}

#[test]
fn macros_of_the_command_line_reach_the_model_and_its_trail() {
    let f = Folder::new();
    let model = f.file("m.pml", "init { assert(N != 3) }");
    for line in [&["check", "-D", "N=3", &model][..], &["check", "-DN=3", &model]] {
        assert_eq!(run(line).status, 1, "{line:?}");
    }
    assert_eq!(run(&["replay", &model]).status, 0);
    assert_eq!(run(&["check", "-DN=4", &model]).status, 0);
    assert_eq!(run(&["check", &model]).status, 2);
    assert_eq!(run(&["check", "-DN=3", "-U", "N", &model]).status, 2);
}

#[test]
fn included_files_are_looked_for_beside_the_model_and_in_folders() {
    let f = Folder::new();
    let model = f.file("m.pml", "#include \"part.h\"\ninit { assert(LIMIT == 1) }\n");
    assert_eq!(run(&["check", &model]).status, 2);
    f.file("inc/part.h", "#define LIMIT 1\n");
    let folder = f.path("inc").display().to_string();
    assert_eq!(run(&["check", "-I", &folder, &model]).status, 0);
    f.file("part.h", "#define LIMIT 2\n");
    assert_eq!(run(&["check", "-I", &folder, &model]).status, 1);
}

#[test]
fn bad_models_get_a_place_and_exit_status_two() {
    let f = Folder::new();
    let bad = [
        ("empty.pml", ""),
        ("comment.pml", "/* nothing */"),
        ("nobody.pml", "proctype P() { skip }"),
        ("unknown.pml", "init { y = 1 }"),
        ("cut.pml", "init { do :: "),
        ("noise.pml", "\u{1}\u{2} @@ $$ }{"),
        ("include.pml", "#include \"nowhere.h\"\ninit { skip }"),
    ];
    for (name, text) in bad {
        let out = run(&["check", &f.file(name, text)]);
        assert_eq!(out.status, 2, "{name}: {out:?}");
        assert!(out.stderr.contains("error") && out.stdout.is_empty(), "{name}: {out:?}");
        let report = json(&["check", "--json", &f.file(name, text)], 2);
        assert_eq!(report["outcome"], "error", "{name}");
        let first = &report["diagnostics"][0];
        assert!(
            first["message"].is_string() && first["code"].is_string() && first["line"].is_u64(),
            "{name}: {report}"
        );
    }
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    let f = Folder::new();
    std::fs::write(f.path("binary.pml"), [0xff, 0xfe, 0x00]).unwrap();
    let folder = f.path("").display().to_string();
    for path in [f.path("missing.pml"), f.path("binary.pml"), folder.into(), "/dev/zero".into()] {
        let path = path.display().to_string();
        assert_eq!(run(&["check", &path]).status, 2, "{path}");
        assert_eq!(json(&["check", "--json", &path], 2)["outcome"], "error", "{path}");
    }
}

#[test]
fn bad_commands_are_refused() {
    let f = Folder::new();
    let model = f.file("m.pml", GOOD);
    let lines: [&[&str]; 14] = [
        &[],
        &["check"],
        &["fly"],
        &["check", "--fly", &model],
        &["check", &model, &model, "--trail", "t.json"],
        &["check", "--memory", "lots", &model],
        &["check", "--time", "-5", &model],
        &["check", "--depth", "0", &model],
        &["check", "--search", "sideways", &model],
        &["check", "-D", "3=4", &model],
        &["check", "--json", "--json", &model],
        &["check", "network.hoa"],
        &["explore", &model],
        &["simulate", "--interactive", "--seed", "3", &model],
    ];
    for line in lines {
        assert_eq!(run(line).status, 2, "{line:?}");
    }
    assert_eq!(json(&["check", "--json", "--fly", &model], 2)["outcome"], "error");
}

#[test]
fn features_that_do_not_exist_yet_are_refused_by_name() {
    let f = Folder::new();
    let model = f.file("m.pml", GOOD);
    let options: [&[&str]; 1] = [&["--seed", "3"]];
    for option in options {
        let line: Vec<_> = ["check", "--json"].iter().chain(option).copied().chain([model.as_str()]).collect();
        let report = json(&line, 2);
        assert_eq!(report["diagnostics"][0]["code"], "not-built", "{option:?}: {report}");
        let message = report["diagnostics"][0]["message"].as_str().unwrap();
        assert!(message.contains(option[0]), "{message}");
    }
    assert_eq!(run(&["check", "--por", "off", "--workers", "1", "--store", "flat", &model]).status, 0);
}

#[test]
fn a_trail_that_cannot_be_written_changes_no_verdict() {
    let f = Folder::new();
    let trail = f.path("no/such/folder/t.json").display().to_string();
    let report = json(&["check", "--json", "--trail", &trail, &f.file("m.pml", BAD)], 1);
    assert_eq!(report["warnings"][0]["code"], "trail-not-written");
    assert!(report.get("trail").is_none());
}

#[test]
fn trails_are_believed_only_if_they_fit() {
    let f = Folder::new();
    let model = f.file("m.pml", BAD);
    let trail = f.path("t.json").display().to_string();
    assert_eq!(run(&["check", "--trail", &trail, &model]).status, 1);
    assert_eq!(run(&["replay", &model, &trail]).status, 0);
    let text = std::fs::read_to_string(&trail).unwrap();
    let code = |text: &str| {
        let path = f.file("broken.json", text);
        let report = json(&["replay", "--json", &model, &path], 2);
        report["diagnostics"][0]["code"].as_str().unwrap().to_string()
    };
    assert_eq!(code(&text[..text.len() / 2]), "damaged-trail");
    assert_eq!(code("-4:-4:-4\n1:0:77\n"), "trail-misfit", "SPIN's trails are followed, too");
    assert_eq!(code("-4:-4:-4\n1:0\n"), "damaged-trail");
    assert_eq!(code(&text.replace("\"trans\": 0", "\"trans\": 1")), "trail-misfit");
    assert_eq!(code(&text.replace("\"trans\": 0", "\"trans\": 4000000000")), "trail-misfit");
    assert_eq!(code(&text.replace("\"pid\": 0", "\"pid\": 77")), "trail-misfit");
    f.file("m.pml", &BAD.replace("x = 2", "x = 3"));
    assert_eq!(json(&["replay", "--json", &model, &trail], 2)["diagnostics"][0]["code"], "stale-trail");
}

#[test]
fn a_replay_can_be_data_or_a_chart() {
    let f = Folder::new();
    let model = f.file("m.pml", STUCK);
    assert_eq!(run(&["check", &model]).status, 1);
    let replay = json(&["replay", "--json", &model], 0);
    assert_eq!(replay["moves"][0]["message"]["fields"][0], "1");
    let picture = f.path("c.svg").display().to_string();
    let out = run(&["replay", &model, "--chart", "--svg", &picture]);
    assert!(out.status == 0 && out.stdout.contains('▶'), "{out:?}");
    assert!(std::fs::read_to_string(picture).unwrap().starts_with("<svg"));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let f = Folder::new();
    let model = f.file("m.pml", "active [4] proctype P() { byte i; do :: i < 5 -> i++ :: break od }");
    let one = run(&["simulate", "--seed", "7", &model]);
    assert_eq!(one.status, 0, "{one:?}");
    assert_eq!(one.stdout, run(&["simulate", "--seed", "7", &model]).stdout);
    let short = run(&["simulate", "--seed", "7", "--steps", "3", "--brief", &model]);
    assert!(short.stdout.contains("after 3 steps"), "{short:?}");
}

#[test]
fn printf_is_heard_in_a_simulation() {
    let f = Folder::new();
    let out = run(&["simulate", &f.file("m.pml", "init { printf(\"hello %d\\n\", 42) }")]);
    assert!(out.stdout.contains("hello 42"), "{out:?}");
}

#[test]
fn a_user_may_choose_and_go_back() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x; init { if :: x = 1 :: x = 2 fi }");
    let out = common::run_with(&["simulate", "--interactive", &model], "2\ns\nb\n1\ns\n9\nz\n?\nh\nq\n");
    assert_eq!(out.status, 0, "{out:?}");
    assert!(out.stdout.contains("x = 2") && out.stdout.contains("x = 1"), "{out:?}");
    assert_eq!(common::run_with(&["simulate", "--interactive", &model], "").status, 0);
}

#[test]
fn graphs_have_three_forms() {
    let f = Folder::new();
    let model = f.file("m.pml", GOOD);
    assert!(run(&["graph", &model]).stdout.contains("proctype P"));
    assert!(run(&["graph", "--dot", "--proctype", "P", &model]).stdout.starts_with("digraph"));
    assert_eq!(json(&["graph", "--json", &model], 0)["proctypes"][0]["name"], "P");
    assert_eq!(run(&["graph", "--proctype", "X", &model]).status, 2);
}

#[test]
fn help_teaches() {
    for line in
        [&["--help"][..], &["help"], &["check", "--help"], &["help", "replay"], &["simulate", "--help"], &["--version"]]
    {
        let out = run(line);
        assert_eq!(out.status, 0, "{line:?}");
        assert!(!out.stdout.is_empty() && out.stderr.is_empty(), "{line:?}");
    }
    assert!(run(&["check", "--help"]).stdout.contains("Examples:"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_a_clean_end() {
    let f = Folder::new();
    let model = f.file("m.pml", ENDLESS);
    let child = common::start(&["check", "--json", "--memory", "4G", "--time", "60s", &model]);
    std::thread::sleep(std::time::Duration::from_millis(400));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.is_ok_and(|s| s.success()));
    let out = common::finish(child);
    assert_eq!(out.status, 3, "{out:?}");
    let report: serde_json::Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(report["outcome"], "stopped");
}
