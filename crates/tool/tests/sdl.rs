//! SDL and IF on the command line: translated, checked directly, and told in their own lines.

mod common;

use common::{Folder, json, run};
use std::fs;
use std::path::PathBuf;

fn example(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/sdl");
    root.join(name).display().to_string()
}

/// The lines `-- word: …` of a text.
fn head(text: &str, word: &str) -> Vec<String> {
    let of =
        |line: &str| Some(line.trim().strip_prefix("-- ")?.strip_prefix(word)?.strip_prefix(':')?.trim().to_string());
    text.lines().filter_map(of).collect()
}

#[test]
fn the_examples_are_what_their_heads_say() {
    let f = Folder::new();
    let trail = f.path("t.json").display().to_string();
    for entry in fs::read_dir(example("")).expect("a folder").flatten() {
        let (path, text) = (entry.path(), fs::read_to_string(entry.path()).expect("a text"));
        let (path, options) = (path.display().to_string(), head(&text, "options").join(" "));
        let also = head(&text, "also").into_iter().map(|line| {
            let (more, verdict) = line.split_once('=').expect("options = verdict");
            (format!("{options} {more}"), verdict.trim().to_string())
        });
        let expected = head(&text, "expect").into_iter().map(|verdict| (options.clone(), verdict)).chain(also);
        for (options, verdict) in expected {
            let mut line = vec!["check", "--json", "--plain", &path, "--trail", &trail];
            line.extend(options.split_whitespace());
            let mut words = verdict.split_whitespace();
            let report = json(&line, i32::from(words.next() != Some("holds")));
            if let Some((states, transitions)) = words.next().and_then(|counts| counts.split_once('/')) {
                let stats = &report["stats"];
                let counts = (stats["states_stored"].to_string(), stats["transitions"].to_string());
                assert_eq!(counts, (states.to_string(), transitions.to_string()), "{line:?}");
            }
        }
    }
}

#[test]
fn findings_speak_of_lines_of_the_source() {
    let f = Folder::new();
    let (path, trail) = (example("light-broken.pr"), f.path("t.json").display().to_string());
    let report = json(&["check", "--json", &path, "--trail", &trail], 1);
    let finding = &report["findings"][0];
    let text = fs::read_to_string(&path).expect("a text");
    let line = finding["line"].as_u64().expect("a line") as usize;
    assert!(finding["file"].as_str().is_some_and(|file| file.ends_with("light-broken.pr")), "{finding}");
    assert!(line >= 1 && line <= text.lines().count(), "{finding}");
    let out = run(&["replay", &path, &trail]);
    assert!(out.status == 0 && out.stdout.contains("light-broken.pr"), "{out:?}");
}

#[test]
fn a_translation_is_written_with_its_header_and_checks_the_same() {
    let f = Folder::new();
    let (path, out) = (example("light.pr"), f.path("light.pml").display().to_string());
    assert_eq!(run(&["translate", &path, "-o", &out]).status, 0);
    assert!(f.path("dtime.h").exists());
    let states = |model: &str| json(&["check", "--json", "--plain", model], 0)["stats"]["states_stored"].clone();
    assert_eq!(states(&out), states(&path));
    // Again, over its own; but not over somebody else's.
    assert_eq!(run(&["translate", &path, "-o", &out]).status, 0);
    let other = f.file("mine.pml", "active proctype P() { skip }");
    assert_eq!(run(&["translate", &path, "-o", &other]).status, 2);
    assert!(run(&["translate", &path]).stdout.contains("proctype"));
}

#[test]
fn a_folder_is_one_system_and_promela_is_no_sdl() {
    let f = Folder::new();
    let text = fs::read_to_string(example("light.pr")).expect("a text");
    fs::create_dir(f.path("system")).expect("a folder");
    fs::write(f.path("system/light.pr"), text).expect("a file");
    let folder = f.path("system").display().to_string();
    json(&["check", "--json", &folder], 0);
    let promela = f.file("m.pml", "active proctype P() { skip }");
    let refused = |line: &[&str]| json(line, 2)["diagnostics"][0]["code"].clone();
    assert_eq!(refused(&["check", "--json", &promela, "--queue", "2"]), "only-for-sdl");
    assert_eq!(refused(&["check", "--json", &example("light.pr"), &promela]), "too-many-files");
    assert_eq!(run(&["translate", &promela]).status, 2);
}

#[test]
fn formulas_name_processes_states_and_variables_of_the_text() {
    let (light, watch) = (example("light.pr"), example("watch.pr"));
    for (path, formula, status) in [
        (&light, "[] (CONTROL@ns -> <> Control@EW)", 0),
        (&light, "[] !control@Ew", 1),
        // An observer has no label to stand at, and a variable that it reads is no local one.
        (&watch, "[] !Guard@Flooded", 0),
        (&watch, "[] (Operator:Rounds < 2)", 1),
    ] {
        let f = Folder::new();
        let trail = f.path("t.json").display().to_string();
        let report = json(&["check", "--json", path, "--ltl", formula, "--trail", &trail], status);
        if status == 1 {
            assert_eq!(run(&["replay", path, &trail]).status, 0, "{report}");
        }
    }
}

#[test]
fn trails_and_unreached_statements_are_told_in_words_of_the_text() {
    let f = Folder::new();
    let (path, trail) = (example("light-broken.pr"), f.path("t.json").display().to_string());
    run(&["check", &path, "--trail", &trail]);
    let shown = run(&["replay", &path, &trail]).stdout;
    assert!(shown.contains("Control in ns: timer phase -> "), "{shown}");
    let report = run(&["check", &example("watch.pr")]).stdout;
    assert!(report.contains("pump in idle: input halt (discarded)"), "{report}");
}

#[test]
fn one_system_in_three_languages_has_one_verdict() {
    let hand = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/time/abp.pml").display().to_string();
    let f = Folder::new();
    let trail = f.path("t.json").display().to_string();
    let counts = |path: &str| {
        let stats = json(&["check", "--json", "--plain", path], 0)["stats"].clone();
        (stats["states_stored"].clone(), stats["transitions"].clone())
    };
    assert_eq!(counts(&example("abp.pr")), counts(&example("abp.if")));
    json(&["check", "--json", &hand], 0);
    for broken in [example("abp-broken.pr"), example("abp-broken.if")] {
        json(&["check", "--json", &broken, "--trail", &trail, "--force"], 1);
    }
    json(&["check", "--json", &hand, "-DBROKEN", "--trail", &trail, "--force"], 1);
}

#[test]
fn an_alarm_of_abstract_timers_is_told_to_be_false_or_not() {
    let f = Folder::new();
    let trail = f.path("t.json").display().to_string();
    let codes = |path: &str| {
        let report = json(&["check", "--json", path, "--timers", "abstract", "--trail", &trail, "--force"], 1);
        report["warnings"].as_array().cloned().unwrap_or_default().iter().map(|w| w["code"].clone()).collect::<Vec<_>>()
    };
    json(&["check", "--json", &example("order.pr")], 0);
    let order = codes(&example("order.pr"));
    assert!(order.iter().any(|c| c == "false-alarm"), "{order:?}");
    let broken = codes(&example("abp-broken.pr"));
    assert!(broken.iter().any(|c| c == "real-error"), "{broken:?}");
}

#[test]
fn what_goes_wrong_is_told_in_words_of_the_text() {
    let f = Folder::new();
    let trail = f.path("t.json").display().to_string();
    let full = "system s; signal a; block b; signalroute r from p to q with a;\n\
        process p; start; output a; output a; stop; endprocess;\n\
        process q; start; nextstate w; state w; save a; endstate; endprocess; endblock; endsystem;";
    let path = f.file("full.pr", full);
    let report = json(&["check", "--json", &path, "--queue", "1", "--trail", &trail], 1);
    let message = report["findings"][0]["message"].as_str().unwrap_or("").to_string();
    assert_eq!(message, "`a` finds the queue of `q` full (`--queue 1`)");
}

#[test]
fn charts_show_signals_and_timers_on_the_lines_of_processes() {
    let f = Folder::new();
    let (path, trail) = (example("abp-broken.pr"), f.path("t.json").display().to_string());
    run(&["check", &path, "--trail", &trail]);
    let chart = run(&["replay", &path, &trail, "--chart"]).stdout;
    for part in ["Msg(0,0) ▷", "▷ Got(0,0)", "set again (1)", "again expires", "time passes: 1"] {
        assert!(chart.contains(part), "{part}: {chart}");
    }
}

#[test]
fn the_search_is_cut_where_an_observer_has_lost_interest() {
    let f = Folder::new();
    let trail = f.path("t.json").display().to_string();
    let text = "system s; signal a(Integer), b; block k; signalroute r from p to q with a; from q to p with b;\n\
        process p; dcl n Integer := 0; start; output a(1); nextstate w; state w; input b; task n := n + 1;\n\
        decision n > 3; (true): call assert(false, 'far'); nextstate w; (false): output a(2); nextstate w; enddecision;\n\
        endstate; endprocess;\n\
        process q; dcl x Integer; start; nextstate one; state one; input a(x); output b; nextstate one; endstate;\n\
        endprocess; endblock; endsystem;\n\
        system o; signal seen(Integer) renames input a from p to q;\n\
        block o; process o; monitor st System_State; dcl k Integer := 0; MARK start; nextstate ok;\n\
        state ok; input seen(v); task k := k + 1; decision k > 1; (true): nextstate dull; (false): nextstate ok; enddecision;\n\
        endstate; state dull; endstate; endprocess; endblock; endsystem;";
    let all = f.file("all.pr", &text.replace("MARK", ""));
    json(&["check", "--json", &all, "--trail", &trail], 1);
    let cut = f.file("cut.pr", &text.replace("MARK", "ignorestates dull;"));
    json(&["check", "--json", &cut], 0);
}

#[test]
fn channels_that_delay_keep_their_order_and_let_others_pass() {
    let f = Folder::new();
    let (path, trail) = (example("delay.pr"), f.path("t.json").display().to_string());
    let verdict = |state: &str, options: &[&str]| {
        let formula = format!("[] !Desk@{state}");
        let out = run(&[&["check", &path, "--ltl", &formula, "--trail", &trail, "--force"], options].concat());
        (out.status, out.stdout)
    };
    for (state, with, without) in [("in_order", 1, 1), ("alarm_first", 1, 0), ("silence", 1, 0), ("wrong", 0, 0)] {
        let delayed = verdict(state, &["--delay", "channels"]);
        assert_eq!(delayed.0, with, "{state}: {}", delayed.1);
        assert_eq!(verdict(state, &[]).0, without, "{state} without delays");
    }
    verdict("alarm_first", &["--delay", "channels"]);
    let shown = run(&["replay", &path, &trail, "--chart"]).stdout;
    assert!(shown.contains("Slow") && shown.contains("Reading(1)"), "{shown}");
}

#[test]
fn a_signal_passes_several_channels_in_the_name_of_its_sender() {
    // The receiver answers whoever sent, by number; the answer finds its way back over the same channels.
    let text = "system s; signal ask(Integer), say(Integer);\n\
        channel c from a to b with ask; from b to a with say; endchannel;\n\
        block a; signalroute r from p to env with ask; from env to p with say; connect c and r;\n\
        process p(2,2); dcl n Integer; start; output ask(7); nextstate w;\n\
        state w; input say(n); call assert(n = 8, 'wrong'); call assert(sender /= self, 'me'); nextstate done; endstate;\n\
        state done; input say(n); call assert(false, 'twice'); nextstate done; endstate; endprocess; endblock;\n\
        block b; channel d from env to inner with ask; from inner to env with say; endchannel; connect c and d;\n\
        block inner; signalroute q from env to q with ask; from q to env with say; connect d and q;\n\
        process q(1,1); dcl n Integer; start; nextstate w;\n\
        state w; input ask(n); output say(n + 1) to sender; nextstate w; endstate; endprocess; endblock; endblock; endsystem;";
    let f = Folder::new();
    let (path, trail) = (f.file("far.pr", text), f.path("t.json").display().to_string());
    for options in [&["--delay", "none"][..], &["--delay", "channels"], &["--delay", "channels", "--queues", "signal"]]
    {
        let report = json(&[&["check", "--json", &path, "--trail", &trail, "--force"], options].concat(), 0);
        assert_eq!(report["outcome"], "holds", "{options:?}");
    }
}

#[test]
fn every_command_takes_the_texts_of_a_system_one_by_one() {
    let f = Folder::new();
    let system = f.file("s.pr", "system s; signal a(T); block b referenced; endsystem;");
    let block = f.file(
        "b.pr",
        "block b; signalroute r from p to p with a; process p(1, 1); dcl x T; start; output a(3); nextstate w;
         state w; input a(x); call assert(x = 2, ''); stop; endstate; endprocess; endblock;",
    );
    let types = f.file("t.asn", "M DEFINITIONS AUTOMATIC TAGS ::= BEGIN T ::= INTEGER (0..3) END");
    let trail = f.path("t.json").display().to_string();
    json(&["check", "--json", &system, &block, &types, "--trail", &trail], 1);
    for command in ["simulate", "graph", "translate"] {
        let out = run(&[command, &system, &block, &types]);
        assert!(out.status < 2 && out.stderr.is_empty(), "{command}: {out:?}");
        assert_eq!(run(&[command, &system, &block]).status, 2, "{command}");
    }
    // The trail knows the others; who has moved them says so.
    for line in [vec!["replay", &system, &trail], vec!["replay", &system, &types, &block, &trail]] {
        let out = run(&line);
        assert!(out.status == 0 && out.stdout.contains("input a"), "{out:?}");
    }
    let out = run(&["replay", &system, &trail, &trail]);
    assert!(out.status == 2 && out.stderr.contains("one trail is replayed at a time"), "{out:?}");
}

#[test]
fn formulas_know_literals() {
    let f = Folder::new();
    let path = f.file(
        "lamp.pr",
        "system s; newtype Col literals red, green endnewtype; signal a;
         block b; signalroute r from p to p with a; process p(1, 1); dcl lamp Col := red; start; output a; nextstate w;
         state w; input a; task lamp := green; nextstate w; endstate; endprocess; endblock; endsystem;",
    );
    for (formula, status) in
        [("<> [] (P:lamp = Green)", 0), ("[] (p:lamp == red)", 1), ("[] (p:lamp /= green -> <> p:lamp = green)", 0)]
    {
        let trail = f.path("t.json").display().to_string();
        json(&["check", "--json", "--no-deadlock", &path, "--ltl", formula, "--trail", &trail], status);
    }
}

#[test]
fn how_long_a_slice_of_time_is_stands_in_the_report() {
    let f = Folder::new();
    let path = f.file(
        "t.pr",
        "system s; block b; process p(1, 1); timer t1, t2; start; set(now + 30, t1); set(now + 50, t2); nextstate w;
         state w; input t1; nextstate -; input t2; call assert(false, ''); stop; endstate; endprocess; endblock; endsystem;",
    );
    let trail = f.path("t.json").display().to_string();
    assert_eq!(json(&["check", "--json", &path, "--trail", &trail], 1)["stats"]["tick_units"], 10);
    for line in [vec!["check", &path, "--trail", &trail], vec!["replay", &path, &trail]] {
        let out = run(&line);
        assert!(out.stdout.contains("slices of 10 units of the text"), "{out:?}");
    }
}

#[test]
fn formulas_and_graphs_speak_of_processes_and_states() {
    let f = Folder::new();
    let path = f.file("l.pr", &std::fs::read_to_string(example("light.pr")).unwrap());
    let told = |formula: &str| run(&["check", &path, "--ltl", formula]).stderr;
    let said = told("[] (Control:nothing = 1)");
    assert!(said.contains("process `Control` has no variable `nothing`"), "{said}");
    let said = told("[] (nothing = 1)");
    assert!(said.contains("`nothing` is not declared") && said.contains("named with its process"), "{said}");
    let said = told("[] Nobody@ns");
    assert!(said.contains("there is no process `Nobody`"), "{said}");
    let said = told("[] Control@nowhere");
    assert!(
        said.contains("has no state `nowhere`") && said.contains("its states are: `") && !said.contains("end_"),
        "{said}"
    );
    let graph = run(&["graph", &path]).stdout;
    assert!(graph.contains("process Control (") && graph.contains("  state ns"), "{graph}");
    assert!(!graph.contains("proctype") && !graph.contains("keeps control"), "{graph}");
}

#[test]
fn the_report_says_what_was_translated_and_how() {
    let f = Folder::new();
    let trail = f.path("t.json").display().to_string();
    let sdl = |options: &[&str]| {
        let light = example("light.pr");
        json(&[&["check", "--json", &light, "--trail", &trail], options].concat(), 0)["sdl"].clone()
    };
    let usual = sdl(&[]);
    assert_eq!(
        (&usual["system"], &usual["env"], &usual["queue"]),
        (&"Light".into(), &"none".into(), &3.into()),
        "{usual}"
    );
    assert!(usual["files"][0].as_str().is_some_and(|name| name.ends_with("light.pr")), "{usual}");
    let said = sdl(&["--queue", "5", "--queues", "signal", "--overflow", "lose", "--env", "any"]);
    let words = ["queues", "overflow", "env", "rest", "delay"].map(|k| said[k].as_str().unwrap_or("").to_string());
    assert_eq!((&said["queue"], words.join(" ")), (&5.into(), "signal lose any servers none".to_string()));
    let plain = f.file("p.pml", "active proctype p() { skip }");
    assert!(json(&["check", "--json", &plain], 0).get("sdl").is_none());
}
