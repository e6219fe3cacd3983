//! How a check is asked for.

use crate::check::Check;
use crate::model::Model;
use crate::outcome::Outcome;
use starwheel_base::quantity::{parse_bytes, parse_duration};
use starwheel_engine::facts::Sequence;
use starwheel_engine::{Fairness, Store, Tick};
use std::fmt;
use std::panic::Location;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What was asked for cannot be done: in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl Refused {
    pub(crate) fn new(why: impl Into<String>) -> Refused {
        Refused(why.into())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// A check of a model: says what to look for and how, and then [`Checker::run`]s.
///
/// Nothing need be said: then all properties of the model are checked with all cores, exactly, by whatever search is fastest.
/// What is said is done or refused with a sentence; nothing is ever replaced by something else.
#[must_use = "nothing is checked before `run`"]
pub struct Checker<'m, M: Model> {
    pub(crate) model: &'m M,
    pub(crate) wish: Asked,
    pub(crate) formulas: Vec<String>,
    pub(crate) own: bool,
    pub(crate) deadlocks: bool,
    pub(crate) time: Option<Duration>,
    pub(crate) memory: Option<u64>,
    pub(crate) stop: Option<&'m AtomicBool>,
    pub(crate) watch: Option<&'m (dyn Fn(&Tick) + Sync)>,
    fault: Option<Refused>,
}

/// What was asked of the search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    pub sequence: Option<Sequence>,
    pub workers: Option<usize>,
    pub store: Option<Store>,
    pub depth: Option<u64>,
    pub fairness: Option<Fairness>,
    pub reduced: bool,
    pub symmetric: bool,
    pub processes: Option<usize>,
}

impl<'m, M: Model> Checker<'m, M> {
    /// A check of all properties of a model.
    pub fn new(model: &'m M) -> Checker<'m, M> {
        Checker {
            model,
            wish: Asked::default(),
            formulas: Vec::new(),
            own: true,
            deadlocks: true,
            time: None,
            memory: None,
            stop: None,
            watch: None,
            fault: None,
        }
    }

    /// Visits states depth first, roughly: the fastest, with trails as they come. So it is if nothing is said.
    pub fn dfs(mut self) -> Self {
        self.wish.sequence = Some(Sequence::DepthFirst);
        self
    }

    /// Visits states breadth first, with one worker: the trails are the shortest there are. Formulas are looked for depth first.
    pub fn bfs(mut self) -> Self {
        self.wish.sequence = Some(Sequence::ShortestFirst);
        self
    }

    /// So many threads; all cores if nothing is said.
    pub fn workers(mut self, workers: usize) -> Self {
        self.wish.workers = Some(workers.max(1));
        self
    }

    /// So many processes of this machine, each with a store of its own: for states that are too many for one of them. The others run
    /// this program again with the same arguments, come to this very check, take part in it and end; the guide says what that asks of a
    /// program. One means this one.
    pub fn processes(mut self, processes: usize) -> Self {
        self.wish.processes = Some(processes).filter(|&processes| processes > 1);
        self.need(processes > 0, || "a check needs one process at least".to_string())
    }

    /// How states are remembered. With [`Store::Compact`] and [`Store::Bitstate`] nothing is ever said to hold.
    pub fn store(mut self, store: Store) -> Self {
        self.wish.store = Some(store);
        self
    }

    /// Follows no path further than so many steps.
    pub fn depth(mut self, depth: u64) -> Self {
        self.wish.depth = Some(depth);
        self
    }

    /// Leaves out interleavings that make no difference: see [`Model::footprint`].
    pub fn por(mut self) -> Self {
        self.wish.reduced = true;
        self
    }

    /// Takes states for one that differ in who is who only: see [`Model::symmetry`].
    pub fn symmetry(mut self) -> Self {
        self.wish.symmetric = true;
        self
    }

    /// Checks a formula of linear time over the model's propositions, besides its own properties.
    pub fn ltl(mut self, formula: &str) -> Self {
        self.formulas.push(formula.to_string());
        self
    }

    /// Formulas are about runs that forget no actor: one that can move in all states from some point on moves again and again.
    pub fn weakly_fair(mut self) -> Self {
        self.wish.fairness = Some(Fairness::Weak);
        self
    }

    /// Formulas are about runs in which every actor that can move again and again moves again and again.
    pub fn strongly_fair(mut self) -> Self {
        self.wish.fairness = Some(Fairness::Strong);
        self
    }

    /// Leaves out the formulas of the model.
    pub fn no_own_formulas(mut self) -> Self {
        self.own = false;
        self
    }

    /// States in which nobody can move are fine, wherever they are.
    pub fn no_deadlocks(mut self) -> Self {
        self.deadlocks = false;
        self
    }

    /// The most memory that the whole program may hold: `"8G"`. Most of what is free if nothing is said.
    pub fn memory(mut self, amount: &str) -> Self {
        self.memory = parse_bytes(amount).filter(|&bytes| bytes > 0);
        let known = self.memory.is_some();
        self.need(known, || format!("`{amount}` is no amount of memory: 500M, 8G"))
    }

    /// The longest time: `"90s"`, `"5m"`.
    pub fn time(mut self, length: &str) -> Self {
        self.time = parse_duration(length);
        let known = self.time.is_some();
        self.need(known, || format!("`{length}` is no length of time: 90s, 5m, 1h"))
    }

    /// Ends early, with what was found out until then, when this becomes true.
    pub fn until(mut self, stop: &'m AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Tells now and then how far the search has come.
    pub fn watch(mut self, watch: &'m (dyn Fn(&Tick) + Sync)) -> Self {
        self.watch = Some(watch);
        self
    }

    fn need(mut self, met: bool, otherwise: impl FnOnce() -> String) -> Self {
        if !met && self.fault.is_none() {
            self.fault = Some(Refused::new(otherwise()));
        }
        self
    }

    /// Checks everything that was asked for.
    #[track_caller]
    pub fn run(self) -> Result<Outcome<M>, Refused> {
        match &self.fault {
            Some(fault) => Err(fault.clone()),
            None => Check::of(&self, Location::caller()),
        }
    }
}
