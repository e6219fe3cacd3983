//! Models from text, and searches with and without reduction.

use starwheel_base::SourceMap;
use starwheel_engine::{Job, Limits, Order, Report, Silent, run};
use starwheel_model::{Model, ModelSystem, Stmt, System, Violation, ViolationKind};
use starwheel_promela::preprocess::Loader;
use starwheel_promela::{CompileOptions, compile};
use starwheel_reduce::{Audit, Method, Plan, Property, Record, Reduced, Reducer, Wish, watched};
use std::collections::BTreeSet;

/// The methods that are tested.
pub const METHODS: [Method; 3] = [Method::Ample, Method::Cluster, Method::Stubborn];

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, name: &str, _from: &str, _quoted: bool) -> Result<(String, String), String> {
        Err(format!("there is no file `{name}` here"))
    }
}

/// A model from text, if it is one.
pub fn model(text: &str, dead_vars: bool, merge: bool) -> Option<Model> {
    let mut map = SourceMap::new();
    let file = map.add_file("test.pml", text.to_string());
    let options = CompileOptions { dead_vars, merge, ..CompileOptions::default() };
    compile(&mut map, file, &options, &NoFiles).model
}

/// What went wrong: kinds and places; of deadlocks, only that there is one.
pub type Errors = BTreeSet<(ViolationKind, u32, u32)>;

/// What a search found.
pub struct Found {
    /// What went wrong.
    pub errors: Errors,
    /// The number of states.
    pub states: u64,
    /// Which transitions were executed.
    pub reached: Vec<bool>,
}

/// Searches all states, up to so many bytes; none if that is not enough.
fn search(system: &dyn System, order: Order, reducer: Option<&dyn Reducer>) -> Option<Found> {
    let limits = Limits { memory: Some(4 << 20), ..Limits::default() };
    let job = Job { search: order, all_errors: true, limits, reducer, ..Job::new(system) };
    let Report { complete, findings, stats, reached, .. } = run(&job, &Silent);
    let place = |v: &Violation| match v.kind {
        ViolationKind::InvalidEndState => (v.kind, 0, 0),
        kind => (kind, v.span.start, v.span.end),
    };
    let errors = findings.iter().map(|f| place(&f.violation)).collect();
    complete.then_some(Found { errors, states: stats.states_stored, reached })
}

/// All of a model.
pub fn full(model: &Model) -> Option<Found> {
    search(&ModelSystem(model), Order::Dfs, None)
}

/// A model reduced with the help of a search, with every choice checked.
pub fn audited(model: &Model, method: Method) -> Option<Record> {
    let watched = watched(model, Property::Safety).ok()?;
    let wish = Wish { method, watched, search_watches: true, fair: false, deadlocks_only: false };
    let plan = Plan { model, wish, notes: None };
    let audit = Audit::new(&plan, model);
    search(&ModelSystem(model), Order::Dfs, Some(&audit))?;
    Some(audit.record())
}

/// A model reduced with the help of a search.
pub fn reduced(model: &Model, method: Method, order: Order) -> Option<Found> {
    let watched = watched(model, Property::Safety).ok()?;
    let plan = Plan {
        notes: None,
        model,
        wish: Wish { method, watched, search_watches: true, fair: false, deadlocks_only: false },
    };
    search(&ModelSystem(model), order, Some(&plan))
}

/// A model as one fixed reduced system.
pub fn fixed(model: &Model, method: Method, order: Order) -> Option<Found> {
    let watched = watched(model, Property::Safety).ok()?;
    let plan = Plan {
        notes: None,
        model,
        wish: Wish { method, watched, search_watches: false, fair: false, deadlocks_only: false },
    };
    let whole = ModelSystem(model);
    search(&Reduced::new(&whole, &plan), order, None)
}

/// Compares all reductions of a model with the whole; says what differs.
pub fn compare(model: &Model) -> Result<Option<(u64, u64)>, String> {
    let Some(whole) = full(model) else { return Ok(None) };
    let mut least = whole.states;
    for method in METHODS {
        for order in [Order::Dfs, Order::Bfs] {
            for (how, found) in [("watched", reduced(model, method, order)), ("fixed", fixed(model, method, order))] {
                let Some(found) = found else { continue };
                least = least.min(found.states);
                let what = format!("{method:?} {order:?} {how}: ");
                if found.errors != whole.errors {
                    return Err(format!("{what}{:?} instead of {:?}", found.errors, whole.errors));
                }
                // A process at its end is as good as gone where nobody can see the difference.
                let counts = |i: &usize| model.transitions[*i].stmt != Stmt::End;
                if (0..whole.reached.len()).filter(counts).any(|i| found.reached[i] != whole.reached[i]) {
                    return Err(format!("{what}other transitions are reached"));
                }
                if found.states > whole.states {
                    return Err(format!("{what}{} states instead of {}", found.states, whole.states));
                }
            }
        }
    }
    Ok(Some((whole.states, least)))
}
