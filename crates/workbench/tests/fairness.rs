//! Fair searches of random Promela models against a check of the whole graph: handshakes, atomic sequences, `timeout`,
//! `unless`, processes that come and go, claims, accept labels, progress labels and formulas.

#[path = "../../engine/tests/common/fair.rs"]
mod fair;
mod models;

use fair::Graph;
use starwheel_engine::{Checks, Fairness, Goal, Job, Order, Outcome, Silent, Store, run};
use starwheel_model::{ClaimSystem, ModelSystem, ProctypeId, PropertyKind, System};
use starwheel_workbench::open::{Opened, open_text};
use starwheel_workbench::plan::Reading;
use std::path::Path;

const LIMIT: usize = 600;
const KINDS: [(Option<Fairness>, &[Order]); 3] = [
    (None, &[Order::Ndfs, Order::Scc]),
    (Some(Fairness::Weak), &[Order::Ndfs, Order::Scc]),
    (Some(Fairness::Strong), &[Order::Scc]),
];

/// How often a cycle was found, by fairness.
#[derive(Debug, Default)]
struct Tally {
    asked: u32,
    found: [u32; 3],
}

/// A few models are refused, because two `else` meet.
fn open(text: &str) -> Option<Opened> {
    let reading = Reading { progress: true, ltl: vec!["all".to_string()], ..Reading::default() };
    open_text(Path::new("random.pml"), text.to_string(), &reading).ok()
}

/// Asks every search for every fairness, and compares.
fn compare(system: &dyn System, stutter: bool, what: &str, tally: &mut Tally) {
    let Some(graph) = Graph::build(system, LIMIT) else { return };
    tally.asked += 1;
    for (kind, (fairness, orders)) in KINDS.into_iter().enumerate() {
        let expected = graph.fair_cycle(fairness, stutter);
        tally.found[kind] += u32::from(expected);
        for (search, store) in orders.iter().flat_map(|&o| [Store::Tree, Store::Dfa].map(|s| (o, s))) {
            let goal = Goal { stutter, ..Goal::default() };
            let checks = Checks { assertions: false, end_states: false, run_time: false };
            let job = Job { search, store, goal, checks, fairness, all_errors: true, ..Job::new(system) };
            let report = run(&job, &Silent).unwrap();
            // The end of a claim is an error of another kind.
            let found = report.findings.iter().any(|f| f.cycle_start.is_some());
            assert!(!matches!(report.outcome, Outcome::Stopped(_)), "{what}: {search:?}: {:?}", report.outcome);
            assert_eq!(found, expected, "{what}: {search:?}, {store:?}, {fairness:?}");
        }
    }
}

fn claims(opened: &Opened) -> impl Iterator<Item = ProctypeId> {
    opened.model.properties.iter().filter_map(|p| match p.kind {
        PropertyKind::Never(id) => Some(id),
        PropertyKind::Ltl(_) => None,
    })
}

#[test]
fn fair_searches_agree_with_the_whole_graph() {
    let mut tally = Tally::default();
    for seed in 0..400 {
        println!("seed {seed}");
        let text = models::random(seed);
        let Some(opened) = open(&text) else { continue };
        compare(&ModelSystem(&opened.model), true, &format!("labels of\n{text}"), &mut tally);
        for claim in claims(&opened) {
            let system = ClaimSystem::new(&opened.model, claim);
            compare(&system, false, &format!("a claim of\n{text}"), &mut tally);
        }
        for (name, claim) in opened.formulas.iter().map(|f| (&*f.0, f.1)).chain(opened.progress.map(|p| ("np", p))) {
            let system = ClaimSystem::new(&opened.model, claim).own_labels();
            compare(&system, false, &format!("{name} of\n{text}"), &mut tally);
        }
    }
    let [all, weak, strong] = tally.found;
    println!("{tally:?}");
    assert!(tally.asked > 1500 && all > weak + 50 && weak > strong && strong > 200, "one-sided: {tally:?}");
}
