//! Partial-order reduction on the command line.

mod common;

use common::{Folder, json, run};

/// Two pairs of processes; each pair shares a variable.
const PAIRS: &str = "byte a[2]; proctype P(byte k; byte v) { byte l; l = v; a[k] = l; l = 0; assert(a[k] < 3) }
init { atomic { run P(0, 1); run P(0, 2); run P(1, 1); run P(1, 2) } }";

/// A deadlock and no other way to go wrong.
const STUCK: &str = "byte f; byte g; active proctype A() { do :: f == 0 -> f = 1; g == 0 -> g = 1; f = 0; g = 0 od }
active proctype B() { do :: g == 0 -> g = 1; f == 0 -> f = 1; g = 0; f = 0 od }";

fn states(model: &str, options: &[&str], status: i32) -> u64 {
    let line: Vec<_> = ["check", "--json", model].iter().chain(options).copied().collect();
    json(&line, status)["stats"]["states_stored"].as_u64().unwrap()
}

#[test]
fn each_method_leaves_out_at_least_as_much_as_the_one_before() {
    let f = Folder::new();
    let model = f.file("m.pml", PAIRS);
    let counts = ["off", "ample", "cluster", "stubborn"].map(|m| states(&model, &["--por", m], 0));
    assert!(counts[0] > counts[1] && counts[1] > counts[2] && counts[2] >= counts[3], "{counts:?}");
    assert_eq!(states(&model, &[], 0), counts[1], "that is what happens if nobody says anything");
    let short = [states(&model, &["--search", "bfs"], 0), states(&model, &["--depth", "1000"], 0)];
    assert_eq!(short, [counts[0]; 2], "a reduction that nobody asked for makes no trail longer");
}

#[test]
fn deadlocks_are_found_by_every_method_and_search() {
    let f = Folder::new();
    let model = f.file("m.pml", STUCK);
    for method in ["off", "ample", "cluster", "stubborn"] {
        let ways: [&[&str]; 6] = [
            &["--search", "bfs"],
            &["--depth", "1000"],
            &["--engine", "jit", "--workers", "2"],
            &["--engine", "interp", "--store", "flat"],
            &["--store", "dfa"],
            &["--store", "compact", "--workers", "2"],
        ];
        for way in ways {
            let line: Vec<_> = ["check", "--json", "--por", method, &model].iter().chain(way).copied().collect();
            assert_eq!(json(&line, 1)["findings"][0]["kind"], "invalid-end-state", "{method} {way:?}");
        }
    }
    // Where nothing else can go wrong, statements may be left out for good: none is called unreached.
    let report = json(&["check", "--json", "--por", "stubborn", "--no-deadlock", &model], 0);
    assert_eq!(report["reductions"][0]["deadlocks_only"], true);
    assert_eq!(report["unreached"].as_array().map(Vec::len), Some(0));
}

#[test]
fn what_cannot_be_reduced_is_refused_by_name() {
    let f = Folder::new();
    let last = f.file("last.pml", "active proctype A() { byte x; x = _last } active proctype B() { skip }");
    let report = json(&["check", "--json", "--por", "ample", &last], 2);
    assert_eq!(report["diagnostics"][0]["code"], "no-reduction");
    let message = report["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.contains("`--por ample`") && message.contains("`_last`"), "{message}");
    let next = f.file("next.pml", "byte x; active proctype A() { x = 1 } ltl p { X (x == 0) } never { true; x == 1 }");
    for wish in [["--ltl", "p"], ["--claim", "never_0"]] {
        let report = json(&["check", "--json", "--por", "cluster", wish[0], wish[1], &next], 2);
        assert_eq!(report["diagnostics"][0]["code"], "no-reduction", "{wish:?}: {report}");
    }
    let report = json(&["check", "--json", "--por", "cluster", "--fair", "--ltl", "<> (x == 1)", &next], 2);
    assert_eq!(report["diagnostics"][0]["code"], "no-reduction", "{report}");
    let report = json(&["check", "--json", "--audit", &last], 2);
    assert_eq!(report["diagnostics"][0]["code"], "no-reduction", "{report}");
    let report = json(&["check", "--json", "--audit", "--por", "off", &last], 2);
    assert_eq!(report["diagnostics"][0]["code"], "contradiction");
    // What is only a default is left out, and one line says why.
    for (wish, model, why) in [(&[][..], &last, "`_last`"), (&["--ltl", "p"], &next, "`p`")] {
        let line: Vec<_> = ["check", "--json"].iter().chain(wish).copied().chain([&model[..]]).collect();
        let report = json(&line, if wish.is_empty() { 0 } else { 1 });
        let told = report["warnings"].as_array().unwrap().iter().filter(|w| w["code"] == "no-reduction");
        let told: Vec<_> = told.map(|w| w["message"].as_str().unwrap()).collect();
        assert!(told.len() == 1 && told[0].contains(why), "{told:?}");
    }
}

#[test]
fn reductions_are_explained_and_audited() {
    let f = Folder::new();
    let model = f.file("m.pml", PAIRS);
    let report = json(&["check", "--json", "--por", "ample", "--audit", "--explain-reduction", &model], 0);
    let reduction = &report["reductions"][0];
    assert_eq!(reduction["method"], "ample");
    assert!(reduction["audited"].as_u64().unwrap() > 0, "{reduction}");
    let places = reduction["explained"]["places"].as_array().unwrap();
    let because = places.iter().flat_map(|p| p["because"].as_array().unwrap()).map(|b| b[0].as_str().unwrap());
    assert!(because.clone().any(|b| b.contains("`P` may come in the way")), "{:?}", because.collect::<Vec<_>>());
    let text = run(&["check", "--por", "cluster", "--explain-reduction", &model]).stdout;
    assert!(text.contains("Reduced by partial order (cluster)") && text.contains("assert"), "{text}");
}

#[test]
fn clusters_are_drawn() {
    let f = Folder::new();
    let text = run(&["graph", "--clusters", &f.file("m.pml", PAIRS)]).stdout;
    assert!(text.contains("share a[0]") && text.contains("share a[1]") && text.contains("process 4 (P)"), "{text}");
}

#[test]
fn the_report_says_when_the_default_reduction_is_left_out() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x; active [2] proctype P() { byte y; y = 1; x = y }");
    let saved = f.path("saved").display().to_string();
    let remarks = |more: &[&str]| {
        let out = run(&[&["check", &model][..], more].concat());
        assert_eq!(out.status, 0, "{out:?}");
        out.stdout.lines().filter(|line| line.starts_with("Not reduced")).map(str::to_string).collect::<Vec<_>>()
    };
    for left_out in [&["--search", "bfs"][..], &["--depth", "99"], &["--spill"], &["--checkpoint", &saved]] {
        let found = remarks(left_out);
        assert!(found.len() == 1 && found[0].contains(left_out[0]), "{left_out:?}: {found:?}");
        assert_eq!(json(&[&["check", "--json", &model][..], left_out].concat(), 0)["options"]["por"], "off");
    }
    for asked in [&[][..], &["--search", "bfs", "--por", "off"], &["--search", "bfs", "--por", "ample"]] {
        assert_eq!(remarks(asked), [""; 0], "{asked:?}");
    }
}

/// A process that works for itself, two that do not, and a variable that nobody reads.
const LOCALS: &str = "byte g; byte log;
active [2] proctype P() { byte a, b; if :: a = 1 :: a = 2 fi; log = a; a = 2; b = a; g = b }
ltl next { [] X (g < 9) }
ltl low { [] (g < 9) }
";

fn stored(line: &[&str], model: &str) -> u64 {
    json(&[&["check", "--json", "--no-ltl", model][..], line].concat(), 0)["stats"]["states_stored"]
        .as_u64()
        .expect("a number")
}

#[test]
fn steps_are_merged_and_variables_reset_unless_told_otherwise() {
    let f = Folder::new();
    let model = f.file("m.pml", LOCALS);
    let merged = stored(&["--por", "off"], &model);
    let reset = stored(&["--por", "off", "--merge", "off"], &model);
    let every = stored(&["--plain"], &model);
    assert!(merged < reset && reset < every, "{merged} {reset} {every}");
    assert_eq!(stored(&["--por", "off", "--dead-vars", "off", "--merge", "off"], &model), every);
    // What is typed beside `--plain` holds, before it and behind it.
    assert_eq!(stored(&["--plain", "--dead-vars"], &model), reset);
    assert_eq!(stored(&["--dead-vars", "on", "--merge", "--plain"], &model), merged);
    assert!(stored(&[], &model) < merged);
    // Where steps are counted, they are single ones.
    assert_eq!(stored(&["--search", "bfs"], &model), reset);
    assert_eq!(stored(&["--depth", "100"], &model), reset);
    assert_eq!(stored(&["--search", "bfs", "--merge"], &model), merged);
}

#[test]
fn steps_are_not_merged_where_a_property_counts_them() {
    let f = Folder::new();
    let model = f.file("m.pml", LOCALS);
    let warned = |line: &[&str]| {
        let report = json(&[&["check", "--json", "--por", "off", &model][..], line].concat(), 0);
        report["warnings"].as_array().expect("a list").iter().any(|w| w["code"] == "not-merged")
    };
    assert!(warned(&["--ltl", "next"]) && warned(&["--ltl", "all"]));
    assert!(
        !warned(&["--ltl", "low"])
            && warned(&[])
            && !warned(&["--no-ltl"])
            && !warned(&["--ltl", "next", "--merge", "off"])
    );
    json(&["check", "--json", "--ltl", "next", "--merge", &model], 2);
    // A formula that nobody asked for does not refuse what was typed.
    let report = json(&["check", "--json", "--merge", &model], 0);
    assert_eq!(report["unchecked"], serde_json::json!(["next", "low"]));
    assert!(report["warnings"].to_string().contains("not-checked"), "{report}");
    for uses in ["_last == 0", "enabled(0)", "pc_value(0) == 1"] {
        let text = format!("byte g; active [2] proctype P() {{ byte a; a = 1; g = a }} never {{ do :: !({uses}) od }}");
        let model = f.file("u.pml", &text);
        let report = json(&["check", "--json", &model, "--no-deadlock"], 0);
        assert!(report["warnings"].to_string().contains("tells single steps apart"), "{uses}: {report}");
    }
}

/// A step that goes wrong behind one that the formula sees, both in one merged chain: the run ends in the middle of it.
#[test]
fn a_formula_does_not_hold_by_an_error_inside_merged_statements() {
    let f = Folder::new();
    let model = |body: &str| {
        let text =
            format!("byte x = 1, i = 2, a[2]; active proctype P() {{ atomic {{ {body} }} }} ltl p {{ [] (x == 1) }}");
        f.file("m.pml", &text)
    };
    let outcome = |line: &[&str], model: &str, status| {
        let report = json(&[&["check", "--json", model][..], line].concat(), status);
        let all = report["properties"].as_array().expect("a list").clone();
        let formula = all.iter().find(|p| p["name"] == "p").expect("the formula");
        let warned = report["warnings"].to_string().contains("not-refuted");
        (formula["outcome"].as_str().expect("a word").to_string(), warned)
    };
    let seen = model("x = 2; a[i] = 1; x = a[0]");
    for line in [&[][..], &["--merge", "off"], &["--engine", "interp"], &["--engine", "scc"], &["--plain"]] {
        assert_eq!(outcome(line, &seen, 1), ("violated".to_string(), false), "{line:?}");
    }
    // Nothing that the formula sees is done before the error, or there is none.
    let unseen = model("i++; a[i] = 1; i = a[0]");
    assert_eq!(outcome(&[], &unseen, 1), ("holds".to_string(), false));
    let fine = model("x = 2; a[i - 1] = 1; x = 1");
    assert_eq!(outcome(&[], &fine, 0), ("holds".to_string(), false));
}

/// The run that ends in the error sees the first state for ever; in the others the first step sets `x`.
#[test]
fn nobody_moves_after_an_error() {
    let f = Folder::new();
    let text = "byte x, a[2], i = 5; active proctype P() { a[i] = 1 } active proctype Q() { x = 1 }
ltl p { (X (x == 0)) -> (X X (x == 0)) }";
    let model = f.file("m.pml", text);
    for line in [&[][..], &["--plain"], &["--engine", "interp"], &["--engine", "scc"], &["--fair"]] {
        let report = json(&[&["check", "--json", &model][..], line].concat(), 1);
        let all = report["properties"].as_array().expect("a list");
        let formula = all.iter().find(|p| p["name"] == "p").expect("the formula");
        assert_eq!(formula["outcome"], "holds", "{line:?}");
    }
}

/// A condition with a guard in front of it, and one without a value that is asked for however often a state is repeated.
#[test]
fn conditions_that_may_have_no_value_are_no_obstacle() {
    let f = Folder::new();
    let text = "byte i, a[2]; active proctype P() { do :: i = 1 - i od }
active [2] proctype Q() { byte k; do :: k < 5 -> k++ :: else -> break od }
ltl guarded { [] ((i > 0) -> (a[i - 1] == 0)) } ltl bare { [] (a[i - 1] == 0 || i == 0) }";
    let model = f.file("m.pml", text);
    let asked = |name: &str, por: &str, status| {
        json(&["check", "--json", "--plain", &model, "--ltl", name, "--por", por], status)
    };
    let own = |report: &serde_json::Value| {
        let all = report["properties"].as_array().unwrap();
        all.iter().find(|p| p["kind"] == "formula").unwrap()["stats"]["states_stored"].as_u64().unwrap()
    };
    let all = own(&asked("guarded", "off", 0));
    for method in ["ample", "cluster", "stubborn"] {
        let report = asked("guarded", method, 0);
        assert!(own(&report) < all, "{method}: {} of {all}", own(&report));
        assert_eq!(asked("bare", method, 1)["findings"][0]["kind"], "runtime-error");
    }
    let report = json(&["check", "--json", &model, "--ltl", "guarded"], 0);
    assert!(!report["warnings"].to_string().contains("no-reduction"), "{}", report["warnings"]);
}

/// Each search has the automata that are right for it: the system's own merged ones, the formula's single steps.
#[test]
fn a_formula_that_counts_steps_does_not_keep_the_system_from_being_merged() {
    let f = Folder::new();
    let next = "ltl next { X (x == 0) }\nltl some { <> (x == 2) }\n";
    for (body, status) in [("assert(x < 2)", 1), ("assert(x < 3)", 0)] {
        let text = format!(
            "byte x;\nactive [2] proctype P() {{ byte i; i = 1; i = i + 1; i = i * 2; x++; i = x; {body};\n\
             if :: x > 4 -> x = 9 :: else fi }}\n{next}"
        );
        let model = f.file("m.pml", &text);
        let check =
            |more: &[&str], status| json(&[&["check", "--json", "--workers", "1", &model][..], more].concat(), status);
        let (single, alone) = (check(&["--no-ltl", "--merge", "off"], status), check(&["--no-ltl"], status));
        let both = check(&[], status);
        assert_eq!(both["stats"]["states_stored"], alone["stats"]["states_stored"], "{both}");
        assert!(alone["stats"]["states_stored"].as_u64() < single["stats"]["states_stored"].as_u64(), "{alone}");
        for key in ["message", "line", "trail_length", "steps", "shortest"] {
            assert_eq!(both["findings"][0][key], alone["findings"][0][key], "{key}: {both}");
        }
        if status == 1 {
            assert_eq!(run(&["replay", &model]).status, 0);
        } else {
            assert_eq!(both["unreached"], alone["unreached"], "{both}");
            assert!(both["unreached"].as_array().is_some_and(|u| !u.is_empty()), "{both}");
        }
        for name in ["next", "some"] {
            let alone = check(&["--ltl", name, "--merge", "off"], status);
            let outcome = |report: &serde_json::Value| {
                let all = report["properties"].as_array().expect("a list");
                all.iter()
                    .find(|p| p["name"] == name)
                    .map(|p| (p["outcome"].clone(), p["stats"]["states_stored"].clone()))
            };
            assert_eq!(outcome(&both), outcome(&alone), "{name}: {both}");
        }
        let said = both["warnings"].to_string();
        assert!(said.contains("steps are merged for the system itself only"), "{said}");
    }
}
