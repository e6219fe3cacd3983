//! The guide has a table of what a report holds: every field that there can be is in it.

use serde_json::{Map, Value, to_value};
use starwheel_workbench::foreign::Original;
use starwheel_workbench::network::{NetworkReport, NetworkSize, NetworkStats};
use starwheel_workbench::performed::Performed;
use starwheel_workbench::reduction::{Applied, Explained, PlaceNote};
use starwheel_workbench::report::waiting::{Obstacle, Waiting};
use starwheel_workbench::report::{
    Fairness, Finding, Growth, Head, Property, PropertyKind, Report, Stats, Unreached, Verdict, Visited,
};
use starwheel_workbench::symmetry::{Interchange, Interchangeable, Told};
use starwheel_workbench::watched::Size;
use starwheel_workbench::when::{Known, Told as WhenTold, WhenReport};
use starwheel_workbench::written::{At, Source, Via};
use starwheel_workbench::{Code, Failure, Problem};
use std::collections::BTreeSet;

const GUIDE: &str = include_str!("../../../docs/guide/trails-and-reports.md");

fn text() -> String {
    "text".to_string()
}

fn problem() -> Problem {
    let mut problem = Problem::error(Code::NoModel, "message").advise("advice").about("file");
    (problem.line, problem.column) = (Some(1), Some(1));
    problem
}

fn head() -> Head {
    Head { version: 1, tool: "tool", model: text(), outcome: Verdict::Violated, errors: 1, complete: false }
}

fn finding() -> Finding {
    Finding {
        kind: "claim",
        message: text(),
        source: Source {
            file: text(),
            line: 1,
            at: At { file: text(), line: 1, column: 1, end_line: 1, end_column: 1 },
            via: vec![Via { name: text(), file: text(), line: 1 }],
        },
        spin_message: text(),
        waiting: vec![Waiting {
            pid: 1,
            proctype: text(),
            at: At { file: text(), line: 1, column: 1, end_line: 1, end_column: 1 },
            via: Vec::new(),
            valid_end: false,
            on: vec![Obstacle { text: text(), because: text() }],
        }],
        besides: vec![text()],
        advice: Some(text()),
        values: vec![text()],
        trail_length: 1,
        steps: 0,
        shortened_from: Some(2),
        shortest: true,
        fastest: true,
        switches: Some(1),
        switches_from: Some(2),
        fewest_switches: true,
        cycle_start: Some(1),
        trail: Some(text()),
        events: 1,
    }
}

fn property() -> Property {
    Property {
        name: text(),
        kind: PropertyKind::Formula,
        formula: Some(text()),
        automaton: Some(Size { states: 1, transitions: 1 }),
        outcome: Verdict::Violated,
        fairness: Some(Fairness::Weak),
        findings: vec![finding()],
        stats: Some(stats()),
        stopped_because: Some(text()),
        forgotten: vec![text()],
        with_fairness: Some(Verdict::Violated),
    }
}

fn stats() -> Stats {
    Stats { decoupled_states: Some(1), timers: Some(1), ticks: Some(1), tick_units: Some(1), ..Stats::default() }
}

fn applied() -> Applied {
    let place = PlaceNote {
        proctype: text(),
        file: text(),
        line: 1,
        statements: vec![text()],
        seen: 1,
        chosen: 1,
        because: vec![(text(), 1)],
    };
    Applied {
        property: Some(text()),
        method: "ample",
        deadlocks_only: false,
        audited: Some(1),
        explained: Some(Explained { states: 1, reduced: 1, places: vec![place] }),
    }
}

fn interchange() -> Interchange {
    Interchange {
        property: Some(text()),
        families: vec![Interchangeable {
            proctypes: vec![text()],
            size: 2,
            blocks: vec![vec![1, 2]],
            values: Some(vec![0, 1]),
        }],
        group_order: 2,
        strategy: "auto",
        undying: false,
        overfull: 0,
        audited: Some(1),
        obstacles: vec![Told { file: text(), line: 1, message: text() }],
    }
}

/// A report with everything in it; a new field of one of its types must be added here.
fn report() -> Report {
    Report {
        growth: vec![Growth { what: text(), values: 1 }],
        growth_states: Some(1),
        head: head(),
        visited: Visited::Part,
        stopped_because: Some(text()),
        findings: vec![finding()],
        properties: vec![property()],
        unchecked: vec![text()],
        stats: stats(),
        sdl: Some(Original::default()),
        unreached: Some(vec![Unreached {
            file: text(),
            line: 1,
            at: finding().source.at,
            via: finding().source.via,
            proctype: text(),
            state: 1,
            text: text(),
            spin_text: text(),
            spin_place: (text(), 1),
        }]),
        trail: Some(text()),
        reductions: vec![applied()],
        symmetry: vec![interchange()],
        no_step_fails: true,
        searches: vec![Performed {
            property: Some(text()),
            search: "dfs",
            engine: "jit",
            store: "tree",
            workers: 1,
            por: "off",
        }],
        options: Map::new(),
        warnings: vec![problem()],
    }
}

fn network_report() -> NetworkReport {
    NetworkReport {
        head: head(),
        stopped_because: Some(text()),
        findings: vec![finding()],
        properties: vec![property()],
        stats: NetworkStats {
            states_stored: 1,
            decoupled_states: Some(1),
            leaf_sets: Some(1),
            states_matched: 1,
            transitions: 1,
            max_depth: 1,
            state_bytes: 1,
            store_bytes: 1,
            seconds: 1.0,
            peak_rss_bytes: 1,
        },
        network: NetworkSize { components: 1, local_states: 1, edges: 1, actions: 1, shared_actions: 1 },
        trail: Some(text()),
        options: Map::new(),
        warnings: vec![problem()],
        moves: Vec::new(),
    }
}

/// The names of all fields, with the field of the report that they are in.
fn fields(value: &Value, within: &str, out: &mut BTreeSet<(String, String)>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let top = if within.is_empty() { name } else { within };
                out.insert((top.to_string(), name.to_string()));
                fields(value, top, out);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, within, out)),
        _ => {}
    }
}

fn chapter() -> &'static str {
    GUIDE.split_once("## The JSON report").map(|(_, rest)| rest.split("\n## ").next().unwrap_or(rest)).unwrap()
}

/// The row of the table that a field of the report has, and what is said in words behind the table.
fn place(name: &str) -> String {
    let own = |line: &&str| line.split('|').nth(1).is_some_and(|key| key.contains(&format!("`{name}`")));
    let row = chapter().lines().filter(|line| line.starts_with('|')).find(own).unwrap_or_default();
    let words: Vec<_> = chapter().lines().filter(|line| !line.starts_with('|')).collect();
    format!("{row}\n{}", words.join("\n"))
}

/// The answer of `when`, with everything in it.
fn answer() -> WhenReport {
    let told = || WhenTold {
        fate: Some("ends"),
        time: Some(1),
        message: Some(text()),
        until: Some(1),
        round: Some(1),
        trail_length: 1,
        cycle_start: Some(1),
        trail: Some(text()),
    };
    WhenReport {
        version: 1,
        tool: "tool",
        model: text(),
        condition: text(),
        outcome: "answered",
        stopped_because: Some(text()),
        known: Some(Known { always: false, earliest: Some(told()), latest: Some(told()), never: vec![told()] }),
        stats: Stats::default(),
        options: Map::new(),
        warnings: Vec::new(),
    }
}

#[test]
fn every_field_of_an_answer_is_in_the_guide() {
    let chapter = GUIDE.split_once("## The answer of `when`").and_then(|(_, rest)| rest.split("\n## ").next()).unwrap();
    let mut found = BTreeSet::new();
    fields(&to_value(answer()).unwrap(), "", &mut found);
    for (top, name) in found.iter().filter(|(top, name)| top == name || top != "stats") {
        assert!(chapter.contains(&format!("`{name}`")), "{top}: {name}");
    }
}

#[test]
fn every_field_of_a_report_is_in_the_guide() {
    let failure = Failure { problems: vec![problem()] };
    let mut all = BTreeSet::new();
    for value in [to_value(report()), to_value(network_report()), to_value(failure.json())] {
        fields(&value.unwrap(), "", &mut all);
    }
    assert!(all.len() > 60, "{}", all.len());
    // What a property has of its own is told where the report has the same.
    let told = |top: &str, name: &str| {
        let others = [top, "findings", "stats"].into_iter().filter(|t| *t == top || top == "properties");
        others.map(place).any(|text| text.contains(&format!("`{name}`")))
    };
    let missing: Vec<_> = all.iter().filter(|(top, name)| !told(top, name)).collect();
    assert!(missing.is_empty(), "not in the guide: {missing:?}");
}
