//! A reduction that is decided in the states of the product with a claim loses runs (S. Siegel, "What's wrong with
//! on-the-fly partial order reduction", CAV 2019); one that is decided in the states of the system does not.
//!
//! The model is `corpus/reduction-on-the-fly.pml`. The search here is the classical one, as small as it can be: the steps of
//! the idle process are enough, unless one of them leads back to the stack.

use starwheel_engine::Silent;
use starwheel_model::{ClaimSystem, Pid, ProcessStep, PropertyKind, Step, Stepper, System};
use starwheel_workbench::check::check;
use starwheel_workbench::open::{Opened, open_text};
use starwheel_workbench::options::Commands;
use starwheel_workbench::plan::{Reading, Typed};
use starwheel_workbench::report::Verdict;
use std::collections::HashMap;
use std::path::Path;

const MODEL: &str = include_str!("../../../corpus/reduction-on-the-fly.pml");
/// The process whose steps nobody sees and nobody minds.
const IDLE: Pid = Pid(0);

/// A depth-first search of the product.
struct Classical<'a> {
    stepper: Box<dyn Stepper + 'a>,
    reduce: bool,
    /// The states that were found and whether they are on the stack.
    found: HashMap<Vec<u8>, bool>,
    edges: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Classical<'_> {
    /// The states after these steps.
    fn after(&mut self, at: &[u8], steps: &[Step]) -> Vec<Vec<u8>> {
        let mut fire = |&step: &Step| {
            let mut next = Vec::new();
            assert!(!self.stepper.fire(at, step, &mut next).broken);
            next
        };
        steps.iter().map(&mut fire).collect()
    }

    fn steps(&mut self, at: &[u8]) -> Vec<Step> {
        let mut out = Vec::new();
        self.stepper.enabled(at, &mut out);
        out
    }

    /// The claim moves, and then the system.
    fn visit(&mut self, at: &[u8]) {
        self.found.insert(at.to_vec(), true);
        let claim = self.steps(at);
        for half in self.after(at, &claim) {
            if !self.stepper.transient(&half) {
                self.arrive(at, half);
                continue;
            }
            let all = self.steps(&half);
            let idle: Vec<Step> = all.iter().copied().filter(|s| s.pid() == IDLE).collect();
            let back = self.after(&half, &idle).iter().any(|to| self.found.get(to) == Some(&true));
            let enough = self.reduce && !idle.is_empty() && !back;
            for next in self.after(&half, if enough { &idle } else { &all }) {
                self.arrive(at, next);
            }
        }
        self.found.insert(at.to_vec(), false);
    }

    fn arrive(&mut self, from: &[u8], to: Vec<u8>) {
        self.edges.push((from.to_vec(), to.clone()));
        if !self.found.contains_key(&to) {
            self.visit(&to);
        }
    }

    /// Whether an accepting state was found that can be reached from itself.
    fn accepts(&mut self) -> bool {
        let mut ways: Vec<(Vec<u8>, Vec<u8>)> = self.edges.clone();
        for _ in 0..self.found.len() {
            let longer: Vec<_> = ways
                .iter()
                .flat_map(|(a, b)| self.edges.iter().filter(move |e| e.0 == *b).map(move |e| (a.clone(), e.1.clone())))
                .collect();
            ways.extend(longer);
            ways.sort();
            ways.dedup();
        }
        ways.iter().any(|(a, b)| a == b && self.stepper.accepting(a))
    }
}

fn classical(opened: &Opened, reduce: bool) -> bool {
    let never = opened.model.properties.iter().find_map(|p| match p.kind {
        PropertyKind::Never(id) => Some(id),
        PropertyKind::Ltl(_) => None,
    });
    let product = ClaimSystem::new(&opened.model, never.expect("the model has a claim"));
    let mut search = Classical { stepper: product.stepper(), reduce, found: HashMap::new(), edges: Vec::new() };
    let mut first = Vec::new();
    search.stepper.initial(&mut first);
    search.visit(&first);
    search.accepts()
}

#[test]
fn the_classical_combination_is_wrong_and_ours_is_right() {
    let opened = open_text(Path::new("m.pml"), MODEL.to_string(), &Reading::default()).expect("it compiles");
    assert!(classical(&opened, false), "there is such a run");
    assert!(!classical(&opened, true), "the classical reduction does not lose it: this model shows nothing");
    for (engine, por) in ["interp", "scc"].into_iter().flat_map(|e| ["ample", "cluster", "stubborn"].map(|p| (e, p))) {
        let mut typed = Typed::default();
        for (name, value) in [("ltl", "p_later"), ("engine", engine), ("por", por), ("trail", "/dev/null")] {
            typed.push(name, Some(value.to_string()));
        }
        let plan = typed.plan(Commands::CHECK).expect("the options fit");
        let opened = open_text(Path::new("m.pml"), MODEL.to_string(), &plan.reading).expect("it compiles");
        let report = check(&opened, &plan, &Silent).expect("the options fit the model").report;
        let own = report.properties.iter().find(|p| p.name == "p_later").map(|p| p.outcome);
        assert_eq!(own, Some(Verdict::Violated), "{engine}, {por}");
    }
}
