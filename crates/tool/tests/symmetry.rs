//! `--symmetry` as users meet it: the same classes in every search, real trails, and `graph --symmetry`.

mod common;

use common::{Folder, json, run};

/// Where the symmetric models are.
fn model(name: &str) -> String {
    format!("{}/../symmetry/tests/models/{name}.pml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_search_store_and_engine_visits_the_same_classes() {
    let (peterson, dbm) = (model("peterson_atomic"), model("dbm"));
    let ways: [&[&str]; 12] = [
        &[],
        &["--workers", "1"],
        &["--workers", "4"],
        &["--search", "bfs"],
        &["--search", "dfs", "--workers", "1"],
        &["--engine", "jit"],
        &["--engine", "interp"],
        &["--store", "tree"],
        &["--store", "flat", "--workers", "1"],
        &["--store", "dfa", "--workers", "1"],
        &["--memory", "200M", "--spill"],
        &["--audit", "--workers", "1"],
    ];
    for way in ways {
        for strategy in ["auto", "full", "segmented", "pc-segmented"] {
            for (file, n, states, transitions) in [(&peterson, "-DN=3", 633, 1651), (&dbm, "-DN=7", 31, 129)] {
                let words = [&["check", "--json", "--plain", "--symmetry", strategy, n][..], way, &[file]].concat();
                let stats = &json(&words, 0)["stats"];
                assert_eq!(
                    (&stats["states_stored"], &stats["transitions"]),
                    (&states.into(), &transitions.into()),
                    "{words:?}"
                );
            }
        }
    }
}

#[test]
fn families_and_what_is_in_the_way_are_shown() {
    let f = Folder::new();
    let text = "byte owner = 9;\nbool flag[3];\nproctype P(byte me) { end: do :: owner == 9 -> owner = me; flag[me] = 1 od }\n\
                init { atomic { run P(0); run P(1); run P(2) } }\nltl one { [] !flag[1] }\n";
    let file = f.file("m.pml", text);
    let shown = run(&["graph", "--symmetry", "--ltl", "one", &file]).stdout;
    for line in ["family P: 3 members", "called     0, 1, 2", "alike      processes 1, 2, 3", "owner: holds P"] {
        assert!(shown.contains(line), "{shown}");
    }
    assert!(shown.contains("flag: indexed by P") && shown.contains("for `one`"), "{shown}");
    assert!(shown.contains("apart      process 2") && shown.contains("in the way"), "{shown}");
    let report = json(&["graph", "--symmetry", "--json", "--ltl", "one", &file], 0);
    assert_eq!(report["searches"][0]["group_order"], 6);
    assert_eq!(report["searches"][1]["group_order"], 2);
    assert_eq!(report["searches"][0]["families"][0]["blocks"], serde_json::json!([[1, 2, 3]]));
    let broken = f.file("broken.pml", &text.replace("owner = me;", "owner = me + 1;"));
    let shown = run(&["graph", "--symmetry", &broken]).stdout;
    assert!(shown.starts_with("no processes are interchangeable") && shown.contains("line 3"), "{shown}");
    assert_eq!(run(&["graph", "--symmetry", "--star", &file]).status, 2);
}

#[test]
fn timers_go_with_their_owners() {
    let f = Folder::new();
    // Whoever is late breaks the assertion: its timer has run out.
    let text = |limit: u8| {
        format!(
            "#include \"dtime.h\"\ntimer t[3] = OFF;\nbyte late;\nproctype P(byte me)\n{{\nend:\tdo\n\t:: !on(t[me]) -> set(t[me], 2)\n\
             \t:: expire(t[me]) -> atomic {{ reset(t[me]); late++; assert(late < {limit}); late = 0 }}\n\tod\n}}\n\
             init {{ atomic {{ run P(0); run P(1); run P(2) }} }}\n"
        )
    };
    let sound = f.file("m.pml", &text(2));
    let stored = |symmetry: &str| {
        let report = json(&["check", "--json", "--plain", "--symmetry", symmetry, &sound], 0);
        report["stats"]["states_stored"].as_u64().expect("a number")
    };
    let (all, names) = (stored("off"), stored("auto"));
    assert!(names < all && names * 6 >= all, "{names} of {all}");
    let broken = f.file("broken.pml", &text(1));
    for symmetry in ["off", "auto", "pc-sorted"] {
        let trail = f.path("trail").display().to_string();
        assert_eq!(run(&["check", "--plain", "--symmetry", symmetry, "--trail", &trail, &broken]).status, 1);
        assert_eq!(run(&["replay", &broken, &trail]).status, 0);
    }
}

#[test]
fn a_token_that_is_passed_round_closes_after_as_many_rounds_as_there_are_processes() {
    let f = Folder::new();
    let text = "byte at = 9; byte been[3] = 9; byte n;\n\
        proctype P(byte me) { end: do :: at == 9 && n == 0 -> at = me; n = 1\n\
        :: atomic { at == me -> if :: at = 0 :: at = 1 :: at = 2 fi } od }\n\
        init { atomic { run P(0); run P(1); run P(2) } }\nltl rests { <> [] (n == 0) }\n";
    let file = f.file("m.pml", text);
    for strategy in ["off", "auto", "pc-sorted", "full"] {
        let trail = f.path("trail").display().to_string();
        let ran = run(&["check", "--plain", "--symmetry", strategy, "--ltl", "rests", "--trail", &trail, &file]);
        assert_eq!(ran.status, 1, "{strategy}: {ran:?}");
        assert_eq!(run(&["replay", &file, &trail]).status, 0, "{strategy}");
    }
}

#[test]
fn a_formula_for_all_is_one_for_each_process_and_one_is_enough_if_they_are_alike() {
    let f = Folder::new();
    let text = "byte owner = 9;\nproctype P(byte me) { end: do :: atomic { owner == 9 -> owner = me }; if :: owner == me -> cs: skip :: else fi;\n\
                if :: owner == me -> owner = 9 :: else fi od }\ninit { atomic { run P(0); run P(1); run P(2) } }\n";
    let file = f.file("m.pml", text);
    let trail = f.path("trail.json").display().to_string();
    let verdicts = |file: &str, formula: &str, symmetry: &str, status| {
        let report = json(
            &["check", "--json", "--symmetry", symmetry, "--ltl", formula, file, "--trail", &trail, "--force"],
            status,
        );
        let all = report["properties"].as_array().expect("a list").clone();
        let formulas = all.iter().filter(|p| p["name"].as_str().is_some_and(|n| n.starts_with("formula")));
        formulas.map(|p| p["outcome"].as_str().unwrap_or("").to_string()).collect::<Vec<_>>()
    };
    let leaves = "forall i in P: [] (P[i]@cs -> <> !P[i]@cs)";
    assert_eq!(verdicts(&file, leaves, "off", 0), ["holds"; 3]);
    assert_eq!(verdicts(&file, leaves, "auto", 0), ["holds"]);
    let enters = "forall i in P: <> P[i]@cs";
    assert_eq!(verdicts(&file, enters, "off", 1), ["violated"; 3]);
    assert_eq!(verdicts(&file, enters, "auto", 1), ["violated"]);
    // One of them is kept apart, by the formula or by the model.
    assert_eq!(verdicts(&file, "forall i in P: [] (P[i]@cs -> !P[1]@cs || owner != 9)", "auto", 0).len(), 2);
    let odd = f.file("odd.pml", &text.replace("else fi od", "me == 2 -> goto cs :: else fi od"));
    assert_eq!(verdicts(&odd, "forall i in P: [] <> !P[i]@cs", "auto", 0), ["holds"; 2]);
    assert_eq!(run(&["check", "--ltl", "forall i in Q: <> Q[i]@cs", &file]).status, 2);
    assert_eq!(run(&["check", "--ltl", "forall i P: <> P[i]@cs", &file]).status, 2);
}

#[test]
fn like_processes_are_taken_for_each_other_unless_something_else_is_said() {
    let (f, peterson) = (Folder::new(), model("peterson_atomic"));
    let search = |options: &[&str]| json(&[&["check", "--json", "-DN=3"][..], options, &[&peterson]].concat(), 0);
    let alone = |options: &[&str]| search(&[options, &["--workers", "1"]].concat());
    let usual = search(&[]);
    assert_eq!(usual["options"]["symmetry"], "auto");
    assert_eq!(usual["symmetry"][0]["group_order"], 6);
    let off = search(&["--symmetry", "off"]);
    assert!(off["stats"]["states_stored"].as_u64() > usual["stats"]["states_stored"].as_u64());
    assert_eq!((&off["options"]["symmetry"], off.get("symmetry")), (&"off".into(), None));
    let save = f.path("save").display().to_string();
    let all = |options: &[&str]| {
        let report = alone(options);
        assert_eq!(report["options"]["symmetry"], "off", "{options:?}");
        assert!(report.get("symmetry").is_none(), "{options:?}");
        report["stats"]["states_stored"].as_u64()
    };
    // Counts that are promised stay what they are.
    assert_eq!(all(&["--plain"]), Some(3407));
    for options in [
        &["--por", "off"][..],
        &["--por", "off", "--dead-vars", "on", "--merge", "off"],
        &["--por", "ample"],
        &["--merge", "off"],
        &["--dead-vars", "off"],
        &["--decouple"],
        &["--search", "bfs"],
        &["--depth", "9999"],
        &["--checkpoint", &save, "--force"],
        &["--spill"],
        &["--all-errors"],
        &["--different", "2"],
        &["--audit"],
        &["--explain-reduction"],
        &["--fair", "--ltl", "[] (inside < 2)"],
    ] {
        let said = [options, &["--symmetry", "off"][..]].concat();
        assert_eq!(all(options), all(&said), "{options:?}");
    }
    assert_eq!(search(&["--processes", "2"])["options"]["symmetry"], "off");
    // Where nothing is alike, nothing is said.
    let single = f.file("m.pml", "byte x; active proctype P() { x = 1 } active proctype Q() { assert(x < 2) }\n");
    let report = json(&["check", "--json", &single], 0);
    assert_eq!((&report["options"]["symmetry"], &report["warnings"]), (&"off".into(), &serde_json::json!([])));
}

#[test]
fn a_reset_within_a_merged_step_keeps_nobody_apart() {
    // Nobody reads `o` any more once it was compared; that it is set to 0, which is a member, lies in the middle of a merged step.
    let text = "byte owner = 9;\nbyte n;\nproctype P(byte me)\n{ byte o = 9, k;\nend: do\n:: owner == 9 -> owner = me\n\
                :: atomic { owner == me -> o = owner; owner = 9; if :: owner == o -> k = 1 :: else -> k = 2 fi;\n\
                k = k + 1; n = k; o = 9 }\nod }\ninit { atomic { run P(0); run P(1); run P(2) } }\n";
    let f = Folder::new();
    let file = f.file("m.pml", text);
    let order = |options: &[&str]| {
        let report = json(&[&["check", "--json"][..], options, &[&file]].concat(), 0);
        report["symmetry"][0]["group_order"].as_u64()
    };
    assert_eq!(order(&["--symmetry", "auto", "--dead-vars", "off"]), Some(6));
    assert_eq!(order(&["--symmetry", "auto"]), Some(6));
    assert_eq!(order(&[]), Some(6));
}

#[test]
fn cycles_that_are_found_without_names_are_no_longer_than_others() {
    for name in ["readers-writers-broken", "test-and-set-broken"] {
        let file = format!("{}/../../examples/{name}.pml", env!("CARGO_MANIFEST_DIR"));
        let f = Folder::new();
        let trail = f.path("trail").display().to_string();
        let length = |symmetry: &[&str]| {
            let words = [&["check", "--json", "--workers", "1", "--trail", &trail, "--force"][..], symmetry, &[&file]];
            let report = json(&words.concat(), 1);
            let found = report["findings"].as_array().expect("findings");
            let cycle = found.iter().find(|f| f.get("cycle_start").is_some()).expect("a cycle");
            (cycle["trail_length"].as_u64(), report.get("symmetry").is_some())
        };
        let ((with, renamed), (without, _)) = (length(&[]), length(&["--symmetry", "off"]));
        assert!(renamed && with <= without, "{name}: {with:?} {without:?}");
    }
}

#[test]
fn an_intention_that_does_not_hold_is_told_and_with_the_option_refused() {
    let f = Folder::new();
    let text = "byte x;\n/*@ symmetric */ proctype P(byte me) { end: do :: x = me + 1 od }\n\
                init { atomic { run P(0); run P(1) } }\n";
    let file = f.file("m.pml", text);
    let report = json(&["check", "--json", &file], 0);
    let told = report["warnings"].as_array().expect("warnings");
    assert!(told.iter().any(|w| w["code"] == "no-symmetry" && w["severity"] == "warning"), "{report}");
    assert_eq!(run(&["check", "--symmetry", "auto", &file]).status, 2);
    let plain = json(&["check", "--json", "--plain", &file], 0);
    assert!(plain["warnings"].as_array().expect("warnings").iter().all(|w| w["code"] != "no-symmetry"), "{plain}");
}
