//! Models from text, and searches with and without reduction.

use starwheel_base::cancel::Token;
use starwheel_engine::{Job, Limits, Order, Outcome, Report, Silent, Stop, Store, run};
use starwheel_model::{Model, ModelSystem, Stmt, System, Violation, ViolationKind};
use starwheel_promela::{CompileOptions, compile_text};
use starwheel_reduce::{
    Audit, Method, Plan, Property, Proviso, Record, Reduced, Reducer, Wish, only_deadlocks, watched,
};
use std::collections::BTreeSet;
use std::time::Duration;

/// The methods that are tested.
pub const METHODS: [Method; 3] = [Method::Ample, Method::Cluster, Method::Stubborn];

/// A number from the environment, for longer runs by hand.
pub fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}

/// A model from text, if it is one.
pub fn model(text: &str, dead_vars: bool, merge: bool) -> Option<Model> {
    compile_text(text, &CompileOptions { dead_vars, merge, ..CompileOptions::default() }).model
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

/// The way of a search: its order, its store and its workers.
#[derive(Clone, Copy, Debug)]
pub struct Way(pub Order, pub Store, pub usize);

/// The searches that are tested first.
pub const ORDERS: [Way; 4] = [
    Way(Order::Dfs, Store::Tree, 1),
    Way(Order::Bfs, Store::Tree, 1),
    Way(Order::Groups, Store::Tree, 1),
    Way(Order::Groups, Store::Tree, 3),
];

/// The other stores of the search by groups.
pub const STORES: [Way; 6] = [
    Way(Order::Groups, Store::Flat, 1),
    Way(Order::Groups, Store::Dfa, 1),
    Way(Order::Groups, Store::Compact, 1),
    Way(Order::Groups, Store::Compact, 2),
    Way(Order::Groups, Store::Bitstate { bytes: 1 << 20 }, 1),
    Way(Order::Groups, Store::Bitstate { bytes: 1 << 20 }, 2),
];

/// Searches all states, up to so many bytes; none if that is not enough. In so few states no hash is met twice.
fn search(system: &dyn System, Way(search, store, workers): Way, reducer: Option<&dyn Reducer>) -> Option<Found> {
    // Programs that start hundreds of processes take long for each state; what has no answer by then is not compared.
    let limits = Limits { memory: Some(4 << 20), time: Some(Duration::from_secs(2)), ..Limits::default() };
    // Work is shared from the first state on, and a plain store is outgrown soon.
    let (patience, plain) = (0, 20);
    let job = Job { search, store, workers, patience, plain, all_errors: true, limits, reducer, ..Job::new(system) };
    let Report { stop, outcome, findings, stats, reached, .. } = run(&job, &Silent).unwrap();
    assert!(!matches!(outcome, Outcome::Stopped(Stop::Internal(_))), "{outcome:?}");
    let place = |v: &Violation| match v.kind {
        ViolationKind::InvalidEndState => (v.kind, 0, 0),
        kind => (kind, v.span.start, v.span.end),
    };
    let errors = findings.iter().map(|f| place(&f.violation)).collect();
    stop.is_none().then_some(Found { errors, states: stats.states_stored, reached })
}

/// The cycle proviso that a search pays.
fn paid(Way(order, ..): Way) -> Proviso {
    match order {
        Order::Dfs => Proviso::NotOnStack,
        Order::Bfs => Proviso::StillToExpand,
        _ => Proviso::Unmarked,
    }
}

/// All of a model.
pub fn full(model: &Model) -> Option<Found> {
    search(&ModelSystem(model), ORDERS[0], None)
}

/// A model reduced with the help of a search, with every choice checked.
pub fn audited(model: &Model, method: Method, way: Way) -> Option<Record> {
    let watched = watched(model, Property::Safety).ok()?;
    let wish = Wish { method, watched, proviso: paid(way), fair: false, until: Token::NEVER };
    let plan = Plan { model, wish, notes: None };
    let audit = Audit::new(&plan, model);
    search(&ModelSystem(model), way, Some(&audit))?;
    Some(audit.record())
}

/// A model reduced with the help of a search.
pub fn reduced(model: &Model, method: Method, way: Way) -> Option<Found> {
    chosen(model, method, paid(way), way)
}

/// A model reduced as if nobody had to see to it that nobody is forgotten.
pub fn unpaid(model: &Model, method: Method, way: Way) -> Option<Found> {
    chosen(model, method, Proviso::NotNeeded, way)
}

fn chosen(model: &Model, method: Method, proviso: Proviso, way: Way) -> Option<Found> {
    let watched = watched(model, Property::Safety).ok()?;
    let plan = Plan { notes: None, model, wish: Wish { method, watched, proviso, fair: false, until: Token::NEVER } };
    search(&ModelSystem(model), way, Some(&plan))
}

/// A model of which only the deadlocks are left, if nothing else but assertions can go wrong in it.
pub fn deadlocks(model: &Model, way: Way) -> Option<Found> {
    let watched = watched(model, Property::Safety).ok().filter(|_| only_deadlocks(model, false))?;
    let wish =
        Wish { method: Method::Stubborn, watched, proviso: Proviso::NotNeeded, fair: false, until: Token::NEVER };
    search(&ModelSystem(model), way, Some(&Plan { model, wish, notes: None }))
}

/// The provisos that the choice pays.
pub const BY_CHOICE: [Proviso; 2] = [Proviso::ByChoice, Proviso::LookingAhead];

/// A model as one fixed reduced system.
pub fn fixed(model: &Model, method: Method, proviso: Proviso, way: Way) -> Option<Found> {
    let watched = watched(model, Property::Safety).ok()?;
    let plan = Plan { notes: None, model, wish: Wish { method, watched, proviso, fair: false, until: Token::NEVER } };
    let whole = ModelSystem(model);
    search(&Reduced::new(&whole, &plan), way, None)
}

/// Compares all reductions of a model with the whole; says what differs.
pub fn compare(model: &Model) -> Result<Option<(u64, u64)>, String> {
    let Some(whole) = full(model) else { return Ok(None) };
    let mut least = whole.states;
    // What takes long is looked at in two ways only.
    let long = whole.states > 2_000;
    for method in METHODS {
        for way in ORDERS.into_iter().filter(|w| !long || matches!(w, Way(Order::Dfs | Order::Groups, _, 1))) {
            let again = |proviso| (!long || way.0 == Order::Dfs).then(|| fixed(model, method, proviso, way)).flatten();
            let [fixed, ahead] = BY_CHOICE.map(again);
            let found = [("watched", reduced(model, method, way)), ("fixed", fixed), ("looking ahead", ahead)];
            for (how, found) in found.into_iter().filter_map(|(how, found)| Some((how, found?))) {
                least = least.min(found.states);
                same(model, &whole, &found).map_err(|what| format!("{method:?} {way:?} {how}: {what}"))?;
            }
        }
    }
    for way in ORDERS {
        let Some(found) = deadlocks(model, way) else { break };
        least = least.min(found.states);
        let stuck = |f: &Found| f.errors.contains(&(ViolationKind::InvalidEndState, 0, 0));
        if stuck(&found) != stuck(&whole) {
            return Err(format!("deadlocks only {way:?}: {} instead of {}", stuck(&found), stuck(&whole)));
        }
    }
    // Some of these are slow.
    for way in STORES.into_iter().filter(|_| whole.states < 1_000) {
        let method = METHODS[whole.states as usize % METHODS.len()];
        if let Some(mut found) = reduced(model, method, way) {
            if matches!(way, Way(_, Store::Bitstate { .. }, 2..)) {
                // Two workers that set different bits of one state at the same time both count it.
                found.states = found.states.min(whole.states);
            }
            same(model, &whole, &found).map_err(|what| format!("{method:?} {way:?}: {what}"))?;
        }
    }
    Ok(Some((whole.states, least)))
}

/// Says what differs between the whole and what is left of it.
fn same(model: &Model, whole: &Found, found: &Found) -> Result<(), String> {
    if found.errors != whole.errors {
        return Err(format!("{:?} instead of {:?}", found.errors, whole.errors));
    }
    // A process at its end is as good as gone where nobody can see the difference.
    let counts = |i: &usize| model.transitions.get(*i).is_none_or(|t| t.stmt != Stmt::End);
    if (0..whole.reached.len()).filter(counts).any(|i| found.reached[i] != whole.reached[i]) {
        return Err("other transitions are reached".to_string());
    }
    if found.states > whole.states {
        return Err(format!("{} states instead of {}", found.states, whole.states));
    }
    Ok(())
}
