//! How a search was carried out in the end: what was typed where it was, and what was chosen where it was not.

use crate::ask::plan::Plan;
use crate::run::Run;
use serde::Serialize;
use serde_json::{Map, Value};
use starwheel_engine::{Order, Store};

/// How one search was carried out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Performed {
    /// The property that was looked for; none for the search of the system alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// `groups`, `dfs`, `bfs`, `ndfs`, `cndfs`, `scc`, `distributed` or `decoupled`.
    pub search: &'static str,
    /// `interp`, or `jit` if machine code was made in time to be of use.
    pub engine: &'static str,
    /// `packed`, `tree`, `flat`, `compact`, `bitstate`, `dfa`, or `decoupled` for the store of decoupled states.
    pub store: &'static str,
    /// The threads that took part, or the processes.
    pub workers: usize,
    /// `off`, `ample`, `cluster` or `stubborn`.
    pub por: &'static str,
}

/// The way in which a search was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// State by state.
    Plain {
        /// The order.
        order: Order,
        /// The store.
        store: Store,
        /// True if steps were executed by machine code.
        machine: bool,
    },
    /// State by state, by several processes.
    Shared {
        /// The store.
        store: Store,
        /// True if steps were executed by machine code.
        machine: bool,
    },
    /// By decoupled states.
    Decoupled {
        /// True if shorter runs came first.
        breadth_first: bool,
        /// The threads.
        workers: usize,
    },
}

impl Performed {
    pub(crate) fn new(run: &Run) -> Performed {
        let property = run.target.as_ref().map(|t| t.name.clone());
        let por = run.reduction.as_ref().map_or("off", |r| r.method);
        match run.way {
            Way::Plain { order, store, machine } => {
                let engine = if machine { "jit" } else { "interp" };
                let (workers, store) = (run.found.workers, store_name(store, run.found.packed));
                Performed { property, search: order_name(order), engine, store, workers, por }
            }
            Way::Shared { store, machine } => {
                let engine = if machine { "jit" } else { "interp" };
                let workers = run.found.stats.net.map_or(1, |net| net.processes as usize);
                let store = store_name(store, false);
                Performed { property, search: "distributed", engine, store, workers, por }
            }
            Way::Decoupled { workers, .. } => {
                Performed { property, search: "decoupled", engine: "interp", store: "decoupled", workers, por }
            }
        }
    }
}

/// The options of a plan with what became of those that leave a choice, in the first search: its counts are those of the
/// report.
pub(crate) fn options(plan: &Plan, first: &Run) -> Map<String, Value> {
    let mut options = plan.options.clone();
    let done = Performed::new(first);
    let breadth = match first.way {
        Way::Plain { order, .. } => order == Order::Bfs,
        Way::Shared { .. } => false,
        Way::Decoupled { breadth_first, .. } => breadth_first,
    };
    let decoupled = matches!(first.way, Way::Decoupled { .. });
    let mut set = |name: &str, value: Value| options.insert(name.to_string(), value);
    set("search", if breadth { "bfs" } else { "dfs" }.into());
    set("engine", if plan.scc { "scc" } else { done.engine }.into());
    set("store", done.store.into());
    set("workers", done.workers.into());
    set("por", done.por.into());
    if plan.options.contains_key("symmetry") {
        set("symmetry", first.symmetry.as_ref().map_or("off", |s| s.strategy).into());
    }
    if plan.decouple.is_some() {
        set("decouple", if decoupled { "on" } else { "off" }.into());
    }
    options
}

/// What a store was in the end.
fn store_name(store: Store, packed: bool) -> &'static str {
    match store {
        Store::Auto if packed => "packed",
        Store::Auto => Store::Tree.kind().name(),
        other => other.kind().name(),
    }
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Dfs | Order::Within => "dfs",
        Order::Bfs => "bfs",
        Order::Groups => "groups",
        Order::Ndfs => "ndfs",
        Order::Cndfs => "cndfs",
        Order::Scc => "scc",
    }
}
