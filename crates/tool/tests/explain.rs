//! After the verdict: who was forgotten, whether fairness would help, what holds for no good reason, where the states come from.

mod common;

use common::{Folder, json, run};
use serde_json::{Value, json as value};

/// The server could always answer; the noise keeps it from nothing.
const UNFAIR: &str = "bool done; byte x;\nactive proctype Server() { done = true; do :: skip od }\n\
                      active proctype Noise() { do :: x = 1 - x od }\nltl served { <> done }\nltl quiet { <> (x == 7) }\n";

fn property<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["properties"].as_array().and_then(|all| all.iter().find(|p| p["name"] == name)).expect("a property")
}

#[test]
fn who_is_forgotten_is_named_and_whether_fairness_helps() {
    let folder = Folder::new();
    let model = folder.file("unfair.pml", UNFAIR);
    let report = json(&["check", "--json", &model], 1);
    let served = property(&report, "served");
    assert_eq!((&served["forgotten"], &served["with_fairness"]), (&value!(["Server(0)"]), &value!("holds")));
    let text = run(&["check", &model]).stdout;
    assert!(text.contains("served: in the cycle Server(0) could always move and never does"), "{text}");
    assert!(text.contains("such runs do not count, and it holds"), "{text}");
    // Where it says so, it is so.
    for name in ["served", "quiet"] {
        let said = &property(&report, name)["with_fairness"];
        let fair = run(&["check", "--json", "--fair", "--ltl", name, &model]).stdout;
        let fair: Value = serde_json::from_str(&fair).expect("a report");
        assert!(said.is_null() || *said == property(&fair, name)["outcome"], "{name}: {said}");
    }
    let fair = json(&["check", "--json", "--fair", &model], 1);
    assert!(property(&fair, "quiet")["forgotten"].is_null(), "a fair run forgets nobody");
}

#[test]
fn nobody_is_forgotten_in_a_system_that_has_stopped() {
    let folder = Folder::new();
    let model = folder.file("stopped.pml", "bool p;\nactive proctype A() { skip }\nltl f { <> p }\n");
    assert!(property(&json(&["check", "--json", &model], 1), "f")["forgotten"].is_null());
}

#[test]
fn what_is_true_because_nothing_is_asked_is_a_warning() {
    let folder = Folder::new();
    let text = "bool req, ack, other;\nactive proctype P() { do :: other = true; ack = other :: ack = false od }\n\
                ltl answered { [] (req -> <> ack) }\nltl told { [] (other -> (other || ack)) }\n";
    let model = folder.file("v.pml", text);
    let report = json(&["check", "--json", &model], 0);
    let vacuous: Vec<_> =
        report["warnings"].as_array().expect("a list").iter().filter(|w| w["code"] == "vacuous").collect();
    assert_eq!(vacuous.len(), 1, "{report}");
    assert!(
        vacuous[0]["message"].as_str().is_some_and(|m| m.contains("`answered`") && m.contains("`req`")),
        "{vacuous:?}"
    );
}

#[test]
fn a_search_that_meets_a_limit_says_what_there_is_so_much_of() {
    let folder = Folder::new();
    let model =
        folder.file("n.pml", "int n; byte m;\nactive proctype P() { do :: n < 100000000 -> n++ :: m = 1 - m od }\n");
    let report = json(&["check", "--json", "--time", "300ms", &model], 3);
    assert_eq!(report["growth"][0]["what"], "n");
    let text = run(&["check", "--time", "300ms", &model]).stdout;
    assert!(text.contains("Most different values") && text.lines().any(|l| l.ends_with("  n")), "{text}");
    let whole = folder.file("m.pml", "byte m;\nactive proctype P() { do :: m = 1 - m od }\n");
    assert!(json(&["check", "--json", &whole], 0)["growth"].is_null());
}

#[test]
fn progress_names_the_property_and_the_limits() {
    let folder = Folder::new();
    let model = folder.file("n.pml", "int n;\nactive proctype P() { do :: n++ od }\nltl f { [] (n >= 0 || n < 0) }\n");
    let ran = run(&["check", "--time", "900ms", "--memory", "2G", "--progress-every", "200ms", &model]);
    assert_eq!(ran.status, 3, "{ran:?}");
    let lines: Vec<_> = ran.stderr.lines().filter(|l| l.contains(" states, ")).collect();
    assert!(lines.len() >= 2, "{}", ran.stderr);
    assert!(lines.iter().any(|l| l.starts_with("safety: ") || l.starts_with("f: ")), "{lines:?}");
    assert!(lines.iter().all(|l| l.contains(" of 2.0 GiB") && l.contains(" of 0.9 s")), "{lines:?}");
    // Without being asked, and without a terminal, nothing is said in the first minute.
    assert_eq!(run(&["check", "--time", "300ms", "--no-ltl", &model]).stderr, "");
}
