//! The command `ltl`: what it prints, that its claims and automata say what `check --ltl` says, and how formulas are read.

mod common;

use common::{Folder, json, run};
use std::path::{Path, PathBuf};

const MODEL: &str = "\
#define two (x == 2)
byte x, y;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
active proctype Q() { do :: y == 0 -> y = 1 :: y == 1 -> y = 0 od }
ltl back { [] <> (x == 0) }
ltl not_two { [] !two }
";

fn shown(args: &[&str]) -> String {
    let ran = run(args);
    assert_eq!(ran.status, 0, "{args:?}: {}", ran.stderr);
    ran.stdout
}

/// The formula as it was understood.
fn reading(args: &[&str]) -> String {
    let report = json(&[&["ltl", "--json"], args].concat(), 0);
    report["formula"].as_str().unwrap().to_string()
}

#[test]
fn text_says_what_the_automaton_is() {
    let expected = "\
formula       [](request -> <>grant)
propositions  request, grant
automaton     2 states (1 accepting), 4 edges
stuttering    invariant: repeated states change nothing

state 0 initial accepting
    !request || grant -> 0
    request && !grant -> 1
state 1
    grant -> 0
    !grant -> 1
";
    assert_eq!(shown(&["ltl", "[] (request -> <> grant)"]), expected);
    assert_eq!(shown(&["ltl", "--text", "[] (request -> <> grant)"]), expected);
}

#[test]
fn other_forms_hold_the_same_automaton() {
    let hoa = shown(&["ltl", "[] (x != 1)", "--hoa"]);
    for line in ["AP: 1 \"x != 1\"", "Acceptance: 1 Inf(0)", "name: \"[]{x != 1}\"", "[0] 0"] {
        assert!(hoa.lines().any(|l| l == line), "{line}: {hoa}");
    }
    assert!(hoa.lines().any(|l| l.starts_with("properties:") && l.ends_with(" stutter-invariant")), "{hoa}");
    let never = shown(&["ltl", "[] (x != 1)", "--never"]);
    assert_eq!(
        never,
        "never {    /* []{x != 1} */\naccept_init:\n\tdo\n\t:: ((x != 1)) -> goto accept_init\n\tod;\n}\n"
    );
    assert!(shown(&["ltl", "[] (x != 1)", "--dot"]).contains("0 -> 0 [label=\"{x != 1}\"]"));
    let report = json(&["ltl", "--json", "p U q", "--negate"], 0);
    assert_eq!(report["propositions"], serde_json::json!(["p", "q"]));
    assert_eq!(report["stutter"], "invariant");
    assert_eq!(report["formula"], "!(p U q)");
    assert_eq!(report["automaton"].as_array().unwrap().len() as u64, report["states"].as_u64().unwrap());
    assert!(report["hoa"].as_str().unwrap().starts_with("HOA: v1"));
}

#[test]
fn next_makes_a_formula_sensitive_unless_it_does_not_matter() {
    assert!(shown(&["ltl", "X p"]).contains("stuttering    sensitive: true of"));
    assert_eq!(json(&["ltl", "--json", "X p"], 0)["stutter"], "sensitive");
    assert_eq!(json(&["ltl", "--json", "X [] <> p"], 0)["stutter"], "invariant");
}

#[test]
fn conditions_stay_whole_where_a_part_could_fail() {
    let props = |f: &str| json(&["ltl", "--json", f], 0)["propositions"].to_string();
    assert_eq!(props("[] (p && !q || x > 1)"), r#"["p","q","x > 1"]"#);
    assert_eq!(props("[] (i < N && a[i] == 1)"), r#"["i < N && a[i] == 1"]"#);
    assert_eq!(props("<> (d != 0 && 8 / d > 1)"), r#"["d != 0 && 8 / d > 1"]"#);
    // The text of a proposition is read by the rules of expressions, where `!` binds tightly.
    assert_eq!(props("[] (i < N && ! a[i] == 1)"), r#"["i < N && !(a[i] == 1)"]"#);
    assert_eq!(props("[] ! a[i] == 1"), r#"["a[i] == 1"]"#);
}

/// `spin -f` puts `&&`, `||`, `->` and `<->` on one level; `ltl` blocks do not. The readings were compared with those of
/// SPIN 6.5.2, formula by formula.
#[test]
fn formulas_are_read_sanely_or_as_spin_does() {
    let cases = [
        ("a || b && c", "a || (b && c)", "(a || b) && c"),
        ("a -> b || c", "a -> (b || c)", "(a -> b) || c"),
        ("a U b || c", "(a U b) || c", "(a U b) || c"),
        ("a U b U c", "(a U b) U c", "(a U b) U c"),
        ("! p U q", "!p U q", "!p U q"),
        ("[] ! x == 1", "[]!{x == 1}", "[]"),
    ];
    for (text, ours, spin) in cases {
        assert_eq!(reading(&[text]), ours, "{text}");
        if spin != "[]" {
            assert_eq!(reading(&[text, "--ltl-compat", "spin"]), spin, "{text}");
        }
        let warnings = json(&["ltl", "--json", text], 0)["warnings"].to_string();
        assert_eq!(warnings.contains("ltl-precedence"), ours != spin, "{text}: {warnings}");
    }
    let f = Folder::new();
    let model = f.file("m.pml", "bool a, b, c; init { skip }\nltl g { a || b && c }\nltl h { ! a == b }\n");
    assert_eq!(reading(&["g", "--model", &model, "--ltl-compat", "spin"]), "a || (b && c)");
    assert_eq!(reading(&["h", "--model", &model]), "!{a == b}");
    assert_eq!(reading(&["h", "--model", &model, "--ltl-compat", "spin"]), "{!a == b}");
    let refused = json(&["ltl", "--json", "[] x == 1", "--ltl-compat", "spin"], 2);
    assert_eq!(refused["diagnostics"][0]["code"], "temporal-operator");
}

#[test]
fn the_way_of_reading_changes_the_verdict_and_is_kept_in_the_trail() {
    let f = Folder::new();
    // At the start a holds and c does not.
    let model = f.file("m.pml", "bool a = 1, b, c; active proctype P() { c = 1; end: c = c; goto end }");
    assert_eq!(run(&["check", &model, "--ltl", "a || b && c"]).status, 0);
    assert_eq!(run(&["check", &model, "--ltl", "a || b && c", "--ltl-compat", "spin"]).status, 1);
    assert_eq!(run(&["replay", &model]).status, 0);
    assert_eq!(run(&["check", &model, "--ltl", "p", "--ltl-compat", "c"]).status, 2);
}

#[test]
fn claims_and_automata_say_what_the_formula_says() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let formulas = [
        "[] <> (x == 0)",
        "<> [] (x == 0)",
        "[] !two",
        "(x < 3) U two",
        "X X (x == 1)",
        "[] (two -> <> (y == 1))",
        "[] (two -> (x >= 2 W x == 0))",
        "(x == 0) V (y <= 1)",
        "<> (x == 7)",
        "[] <> (x == 1) -> [] <> (y == 1)",
    ];
    for formula in formulas {
        let expected = run(&["check", &model, "--ltl", formula]).status;
        let claim = f.file("c.pml", &shown(&["ltl", formula, "--model", &model, "--negate", "--never"]));
        let hoa = f.file("c.hoa", &shown(&["ltl", formula, "--model", &model, "--negate", "--hoa"]));
        for engine in ["auto", "scc"] {
            assert_eq!(run(&["check", &model, "--never", &claim, "--engine", engine]).status, expected, "{formula}");
            assert_eq!(run(&["check", &model, "--automaton", &hoa, "--engine", engine]).status, expected, "{formula}");
        }
    }
}

#[test]
fn formulas_of_examples_as_automata_get_the_same_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut models: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    models.sort();
    let (f, mut count) = (Folder::new(), 0);
    for path in models.iter().filter(|p| p.extension().is_some_and(|e| e == "pml")) {
        let text = std::fs::read_to_string(path).unwrap();
        let model = path.display().to_string();
        let heads = text.lines().filter_map(|l| l.strip_prefix("// ltl ")).filter_map(|l| l.split_once(": "));
        for (name, verdict) in heads.filter(|(name, _)| !name.contains(' ')) {
            let hoa = f.file("a.hoa", &shown(&["ltl", name, "--model", &model, "--negate", "--hoa"]));
            let trail = f.path("t.json").display().to_string();
            let ran = run(&["check", "--json", &model, "--automaton", &hoa, "--trail", &trail]);
            let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            let properties = report["properties"].as_array().cloned().unwrap_or_default();
            let own = properties.iter().find(|p| p["kind"] == "automaton").unwrap();
            assert_eq!(own["outcome"], verdict.split_whitespace().next().unwrap(), "{model} {name}");
            count += 1;
        }
    }
    assert!(count > 50, "only {count} formulas were found");
}

#[test]
fn blocks_of_a_model_are_found_by_name() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    assert_eq!(reading(&["back", "--model", &model]), "[]<>{x == 0}");
    assert_eq!(reading(&["not_two", "--model", &model]), "[]!{x == 2}");
    assert_eq!(reading(&["<> two", "--model", &model]), "<>{x == 2}");
    let code =
        |formula: &str| json(&["ltl", "--json", formula, "--model", &model], 2)["diagnostics"][0]["code"].clone();
    assert_eq!(code("other"), "no-formula");
    assert_eq!(code("all"), "no-formula");
    assert_eq!(code("[] z"), "unknown-name");
    assert_eq!(json(&["ltl", "--json", "p", "--model", "nowhere.pml"], 2)["outcome"], "error");
}

#[test]
fn graph_shows_what_watches_a_formula() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let text = shown(&["graph", &model, "--ltl", "back"]);
    assert!(
        text.starts_with("proctype back") && text.contains("(!((x==0)))") && !text.contains("proctype P"),
        "{text}"
    );
    assert_eq!(run(&["graph", &model, "--ltl", "back", "--proctype", "P"]).status, 2);
    assert_eq!(run(&["graph", &model, "--ltl", "none"]).status, 2);
}

#[test]
fn formulas_that_are_too_large_are_refused_at_their_place() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let many: Vec<String> = (0..129).map(|i| format!("<> (x == {i})")).collect();
    let many = many.join(" || ");
    let hard: Vec<String> = (0..20).map(|i| format!("<> (x == {i})")).collect();
    let hard = hard.join(" && ");
    for args in [vec!["ltl", "--json", &many], vec!["check", "--json", &model, "--ltl", &many]] {
        let report = json(&args, 2);
        let d = &report["diagnostics"][0];
        assert_eq!(d["code"], "formula-too-large");
        assert_eq!(d["message"], "this formula speaks of 129 different conditions, more than 128");
    }
    let report = json(&["ltl", "--json", &hard], 2);
    assert_eq!(report["diagnostics"][0]["message"], "the automaton of this formula is too large");
    // The negation of that formula is easy, and it is what the search needs.
    assert_eq!(run(&["check", &model, "--ltl", &hard]).status, 1);
}

#[test]
fn wrong_commands_are_refused() {
    let code = |args: &[&str]| json(&[&["ltl", "--json"], args].concat(), 2)["diagnostics"][0]["code"].clone();
    assert_eq!(code(&["[] p", "--dot"]), "contradiction");
    assert_eq!(code(&["[] (p"]), "syntax");
    assert_eq!(code(&[""]), "syntax");
    assert_eq!(code(&["([] p) + 1"]), "temporal-operator");
    assert_eq!(run(&["ltl", "[] p", "--dot", "--hoa"]).status, 2);
    assert_eq!(run(&["ltl"]).status, 2);
}

/// Merged steps are fewer, so that `X` would speak of other states.
#[test]
fn formulas_that_count_steps_exclude_merging() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x; active proctype P() { byte i; i = 1; i = 2; x = 1; do :: x = 1 od }");
    assert_eq!(run(&["check", &model, "--ltl", "X X (x == 0)"]).status, 0);
    let report = json(&["check", "--json", &model, "--ltl", "X X (x == 0)", "--merge"], 2);
    assert_eq!(report["diagnostics"].as_array().unwrap().last().unwrap()["code"], "contradiction");
    assert_eq!(run(&["check", &model, "--ltl", "X [] <> (x == 1)", "--merge"]).status, 0);
    assert_eq!(run(&["check", &model, "--ltl", "<> (x == 1)", "--merge"]).status, 0);
}

#[test]
fn a_formula_is_one_formula() {
    let folder = Folder::new();
    let model = folder.file("m.pml", MODEL);
    let ran = run(&["check", &model, "--ltl", "[] (x < 9) } ltl again { [] (x < 1)"]);
    assert_eq!(ran.status, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("a single formula is expected"), "{}", ran.stderr);
}
