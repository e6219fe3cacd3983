//! Runs without end in text, JSON, trail file and picture.

mod common;

use common::{Folder, json, run};

const MODEL: &str = "\
bool want, served;
active proctype client() { do :: atomic { !want -> want = true } :: served -> served = false; want = false :: want -> skip od }
active proctype server() { do :: want && !served -> served = true od }
ltl response { [] (want -> <> served) }
";

#[test]
fn the_text_reads_from_the_start_to_the_cycle() {
    let f = Folder::new();
    let model =
        f.file("m.pml", "byte x;\nactive proctype P() { x = 1; do :: x = 3 - x od }\nltl low { <> [] (x == 1) }\n");
    let checked = run(&["check", "--ltl", "low", &model]);
    assert_eq!(checked.status, 1);
    let text = &checked.stdout;
    assert!(text.contains("     at first false: x == 1\n"), "{text}");
    assert!(text.contains("     now true: x == 1\n"), "{text}");
    assert!(text.contains("steps repeat for ever; here true: x == 1:\n"), "{text}");
    assert!(text.contains("  └── and so on for ever, from step "), "{text}");
    assert!(text.contains("\nlow: <> [] (x == 1); an automaton with "), "{text}");
    let replayed = run(&["replay", &model]);
    assert!(replayed.stdout.contains("The formula: <> [] (x == 1)\n"), "{replayed:?}");
    assert!(replayed.stdout.contains("now true: x == 1"), "{replayed:?}");
    assert!(!run(&["replay", "--brief", &model]).stdout.contains("now true"));
}

#[test]
fn both_engines_show_the_same_short_lasso() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let mut lengths = Vec::new();
    for engine in ["auto", "scc"] {
        let report = json(&["check", "--json", "--engine", engine, "--ltl", "response", &model], 1);
        let finding = &report["findings"][0];
        lengths.push((finding["trail_length"].clone(), finding["cycle_start"].clone()));
        let property = report["properties"].as_array().unwrap().iter().find(|p| p["name"] == "response").unwrap();
        assert_eq!(property["formula"], "[] (want -> <> served)");
        assert!(property["automaton"]["states"].as_u64().unwrap() >= 2);
        assert!(property["automaton"]["transitions"].as_u64().unwrap() >= 3);
    }
    assert_eq!(lengths[0], lengths[1]);
}

#[test]
fn data_and_pictures_tell_where_conditions_hold() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    assert_eq!(run(&["check", "--ltl", "response", &model]).status, 1);
    let trail: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(format!("{model}.trail.json")).unwrap()).unwrap();
    assert_eq!(trail["formula"], "[] (want -> <> served)");
    assert_eq!(trail["propositions"], serde_json::json!({ "served": false, "want": false }));
    assert_eq!(trail["cycle_propositions"], serde_json::json!({ "served": false, "want": true }));
    let changes: Vec<_> = trail["steps"].as_array().unwrap().iter().map(|s| &s["propositions"]).collect();
    assert!(changes.contains(&&serde_json::json!({ "want": true })), "{changes:?}");
    let picture = f.path("m.svg").display().to_string();
    let replayed = json(&["replay", "--json", "--svg", &picture, &model], 0);
    assert_eq!(replayed["cycle_propositions"], trail["cycle_propositions"]);
    assert_eq!(replayed["formula"], trail["formula"]);
    let moves = replayed["moves"].as_array().unwrap();
    assert!(moves.iter().any(|m| m["propositions"]["want"] == true), "{replayed}");
    let svg = std::fs::read_to_string(picture).unwrap();
    for part in [
        "class=\"c\"",
        "class=\"p\"",
        ">want</text>",
        ">served</text>",
        "repeat for ever.</text>",
        ">The formula: [] (want -&gt; &lt;&gt; served)</text>",
        "automaton with 2 states",
    ] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
    let chart = run(&["replay", "--chart", &model]).stdout;
    assert!(chart.contains("repeats for ever"), "{chart}");
}

const AUTOMATON: &str = r#"HOA: v1
States: 2
Start: 0
AP: 2 "want" "served && want"
Alias: @w 0
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
[@w & !1] 1
State: 1 {0}
[!1] 1
--END--
"#;

#[test]
fn automata_and_claims_tell_where_their_conditions_hold() {
    let f = Folder::new();
    let claim = "never bad { do :: want && !served -> break :: true od; accept: do :: !served od }\n";
    let model = f.file("m.pml", &format!("{MODEL}{claim}"));
    let automaton = f.file("a.hoa", AUTOMATON);
    let asked: [(&[&str], &str, &str); 2] =
        [(&["--automaton", &automaton], "served && want", "a.hoa:1"), (&["--claim", "bad"], "served", "m.pml:5")];
    for (options, condition, place) in asked {
        let checked = run(&[&["check", &model], options].concat());
        assert_eq!(checked.status, 1, "{checked:?}");
        let text = &checked.stdout;
        assert!(text.contains(&format!("     at first false: {condition}, want\n")), "{text}");
        assert!(text.contains("     now true: want\n"), "{text}");
        assert!(text.contains(&format!("steps repeat for ever; here true: want; false: {condition}:\n")), "{text}");
        assert!(text.contains(place), "where the claim is: {text}");
        let replayed = json(&["replay", "--json", &model], 0);
        assert_eq!(replayed["cycle_propositions"], serde_json::json!({ condition: false, "want": true }));
        assert!(replayed["moves"].as_array().unwrap().iter().any(|m| m["claim"] == true && m["state"].is_u64()));
        let trail = std::fs::read_to_string(format!("{model}.trail.json")).unwrap();
        assert!(trail.contains("cycle_propositions"), "{trail}");
    }
}

#[test]
fn it_is_told_when_nothing_can_make_up_for_a_violation() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x;\nactive proctype P() { do :: x = (x + 1) % 3 od }\n");
    for (formula, told) in [("[] (x != 1)", true), ("[] <> (x > 4)", false)] {
        let text = run(&["check", "--ltl", formula, &model]).stdout;
        assert_eq!(text.matches("this decides it").count(), usize::from(told), "{text}");
    }
    let lines = run(&["check", "--claim-steps", "--ltl", "[] (x != 1)", &model]).stdout;
    let after = lines.split("this decides it").next().unwrap().lines().rev().nth(1).unwrap().to_string();
    assert!(after.contains("(!((x!=1)))"), "the step of the formula that sees it comes before: {lines}");
}
