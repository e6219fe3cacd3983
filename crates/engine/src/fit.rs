//! The one place that knows what fits: a wish and the facts of the searches in, an assembly or a misfit out.
//!
//! What was asked for is met or refused by name; what is only a default is left out if it does not fit, and the assembly
//! says so. Nothing is ever replaced by something else. [`crate::run`] asks here before it does anything, so that a job that
//! does not fit is an error for everybody, and [`fit`] is the only way to an [`Assembly`].

mod explain;

use self::explain::explain;
use crate::facts::{Axis, Crew, Exclusion, Method, Sequence, Sought, Stance, StoreKind};
use crate::job::{Fairness, Job, Order, Store};
use starwheel_reduce::Proviso;
use std::fmt;

/// Who wants something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Somebody asked for it: it is done, or refused by name.
    Asked,
    /// Nobody did: it is left out if it does not fit.
    Default,
}

/// A value, and who wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<T> {
    /// The value.
    pub value: T,
    /// Who wants it.
    pub by: By,
}

impl<T> Wanted<T> {
    /// Somebody asked for it.
    pub fn asked(value: T) -> Wanted<T> {
        Wanted { value, by: By::Asked }
    }

    /// It holds if nothing else is said.
    pub fn default(value: T) -> Wanted<T> {
        Wanted { value, by: By::Default }
    }

    /// What was asked for, or a default.
    pub fn or(asked: Option<T>, default: T) -> Wanted<T> {
        asked.map_or_else(|| Wanted::default(default), Wanted::asked)
    }
}

/// How far a search is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Not at all.
    Off,
    /// To the steps of one process.
    One,
    /// To the steps of several.
    Several,
}

/// Who works on a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shared {
    /// One process.
    Alone,
    /// Several processes of this machine.
    Processes,
    /// Several processes, on several machines.
    Machines,
}

/// What is asked of a search, without the system itself. What has no [`By`] is there only if somebody asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// What to look for.
    pub sought: Sought,
    /// In which order.
    pub sequence: Option<Sequence>,
    /// Component by component.
    pub components: bool,
    /// How states are remembered.
    pub store: Wanted<Store>,
    /// How many threads.
    pub workers: Wanted<usize>,
    /// How far to reduce.
    pub reduction: Wanted<Reduction>,
    /// The reduction asks the search whether anybody is forgotten; otherwise it may be a system with fewer steps as well.
    pub asks_search: bool,
    /// Try out or write down what is chosen.
    pub audited: bool,
    /// Which runs without end count.
    pub fairness: Option<Fairness>,
    /// A limit of depth.
    pub depth: bool,
    /// Save the search.
    pub save: bool,
    /// Go on with one that was saved.
    pub resume: bool,
    /// Go on on the disk.
    pub spill: bool,
    /// Search decoupled states.
    pub decoupled: bool,
    /// Who works on it.
    pub shared: Shared,
    /// Prefer trails with few context switches.
    pub switches: bool,
    /// Machine code from the first state on.
    pub machine_code: bool,
    /// Go on after the first error.
    pub all_errors: bool,
    /// Tell the n-th error.
    pub counts_nth: bool,
    /// What is found first is what pan finds first.
    pub pan_order: bool,
    /// Steps are merged.
    pub merged: bool,
    /// States are renamed before they are stored.
    pub renamed: bool,
    /// Time jumps from one expiry to the next.
    pub jump: bool,
    /// What whoever asks knows not to go together, whatever the search.
    pub besides: &'static [Exclusion],
}

impl Wish {
    /// To look for something, and nothing else said.
    pub fn new(sought: Sought) -> Wish {
        Wish {
            sought,
            sequence: None,
            components: false,
            store: Wanted::default(Store::Auto),
            workers: Wanted::default(1),
            reduction: Wanted::default(Reduction::Off),
            asks_search: false,
            audited: false,
            fairness: None,
            depth: false,
            save: false,
            resume: false,
            spill: false,
            decoupled: false,
            shared: Shared::Alone,
            switches: false,
            machine_code: false,
            all_errors: false,
            counts_nth: false,
            pan_order: false,
            merged: false,
            renamed: false,
            jump: false,
            besides: &[],
        }
    }

    /// What a job asks of one of these searches; a program that says something has asked for it.
    pub fn of(job: &Job<'_>, methods: &[&'static Method]) -> Wish {
        let spill = job.scratch.is_some();
        let named = || methods.iter().filter(|m| m.order == Some(job.search));
        let method = named().find(|m| (m.facts.spill == Stance::Must) == spill).or(named().next());
        let sought = method.and_then(|m| m.facts.looks_for.first()).copied().unwrap_or(Sought::Errors);
        Wish {
            // An order that none of them has is one that does not fit.
            sequence: Some(Sequence::Of(method.map_or("", |m| m.name))),
            store: Wanted::asked(job.store),
            workers: Wanted::asked(job.workers),
            reduction: Wanted::asked(if job.reducer.is_some() { Reduction::One } else { Reduction::Off }),
            asks_search: job.reducer.is_some(),
            fairness: job.fairness,
            depth: job.limits.depth.is_some(),
            save: job.save.is_some(),
            resume: job.resume.is_some(),
            spill,
            all_errors: job.all_errors,
            counts_nth: job.every_error,
            renamed: job.system.behind().is_some(),
            ..Wish::new(sought)
        }
    }

    /// Whether anything is wanted in a dimension that is more than nothing, and by whom.
    pub fn wants(&self, axis: Axis) -> Option<By> {
        let asked = |wanted: bool| wanted.then_some(By::Asked);
        match axis {
            Axis::Processes => asked(self.shared != Shared::Alone),
            Axis::Machines => asked(self.shared == Shared::Machines),
            Axis::Switches => asked(self.switches),
            Axis::Audit => asked(self.audited),
            Axis::Decoupling => asked(self.decoupled),
            Axis::Spill => asked(self.spill),
            Axis::Save => asked(self.save),
            Axis::Resume => asked(self.resume),
            Axis::Store => (self.store.value != Store::Auto).then_some(self.store.by),
            Axis::Code => asked(self.machine_code),
            Axis::Workers => (self.workers.value > 1).then_some(self.workers.by),
            Axis::Counting => asked(self.counts_nth),
            Axis::AllErrors => asked(self.all_errors),
            Axis::Reduction => (self.reduction.value != Reduction::Off).then_some(self.reduction.by),
            Axis::Several => (self.reduction.value == Reduction::Several).then_some(self.reduction.by),
            Axis::Fairness => asked(self.fairness.is_some()),
            Axis::Merging => asked(self.merged),
            Axis::Renaming => asked(self.renamed),
            Axis::Jump => asked(self.jump),
            Axis::Components => asked(self.components),
            Axis::Sequence => asked(self.sequence.is_some()),
            Axis::Depth => asked(self.depth),
            Axis::PanOrder => asked(self.pan_order),
            Axis::Sought => asked(true),
        }
    }

    /// What is left of a wish in some dimensions; what is looked for always is.
    fn only(&self, axes: &[Axis]) -> Wish {
        let has = |axis| axes.contains(&axis);
        let plain = Wish::new(self.sought);
        let reduction = match self.reduction.value {
            Reduction::Several if !has(Axis::Several) => Reduction::One,
            other => other,
        };
        let reduced = has(Axis::Reduction) || has(Axis::Several);
        let shared = match self.shared {
            Shared::Machines if has(Axis::Machines) => Shared::Machines,
            Shared::Processes | Shared::Machines if has(Axis::Processes) => Shared::Processes,
            _ => Shared::Alone,
        };
        Wish {
            sought: self.sought,
            sequence: self.sequence.filter(|_| has(Axis::Sequence)),
            components: self.components && has(Axis::Components),
            store: if has(Axis::Store) { self.store } else { plain.store },
            workers: if has(Axis::Workers) { self.workers } else { plain.workers },
            reduction: if reduced { Wanted { value: reduction, ..self.reduction } } else { plain.reduction },
            asks_search: self.asks_search && reduced,
            audited: self.audited && has(Axis::Audit),
            fairness: self.fairness.filter(|_| has(Axis::Fairness)),
            depth: self.depth && has(Axis::Depth),
            save: self.save && has(Axis::Save),
            resume: self.resume && has(Axis::Resume),
            spill: self.spill && has(Axis::Spill),
            decoupled: self.decoupled && has(Axis::Decoupling),
            shared,
            switches: self.switches && has(Axis::Switches),
            machine_code: self.machine_code && has(Axis::Code),
            all_errors: self.all_errors && has(Axis::AllErrors),
            counts_nth: self.counts_nth && has(Axis::Counting),
            pan_order: self.pan_order && has(Axis::PanOrder),
            merged: self.merged && has(Axis::Merging),
            renamed: self.renamed && has(Axis::Renaming),
            jump: self.jump && has(Axis::Jump),
            besides: self.besides,
        }
    }

    /// Takes back a default.
    fn leave_out(&mut self, axis: Axis) {
        let kept: Vec<Axis> = Axis::ALL.into_iter().filter(|a| *a != axis).collect();
        *self = match axis {
            // Without any reduction there is none to several processes, and without the latter one is left.
            Axis::Reduction => Wish { reduction: Wanted::default(Reduction::Off), ..*self },
            _ => self.only(&kept),
        };
    }
}

/// What is carried out: a search, and what of the wish is left. Only [`fit`] makes it.
#[derive(Clone, Debug)]
pub struct Assembly {
    method: &'static Method,
    wish: Wish,
    left_out: Vec<LeftOut>,
}

/// A default that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What was left out.
    pub axis: Axis,
    /// What else was asked for that it does not go with, if it is one thing.
    pub because: Option<Axis>,
}

impl Assembly {
    /// The search.
    pub fn method(&self) -> &'static Method {
        self.method
    }

    /// How a job of this crate asks for it; none for a search of another crate.
    pub fn order(&self) -> Option<Order> {
        self.method.order
    }

    /// How states are remembered.
    pub fn store(&self) -> Store {
        self.wish.store.value
    }

    /// How many threads work on it.
    pub fn workers(&self) -> usize {
        self.wish.workers.value.max(1)
    }

    /// How far it is reduced.
    pub fn reduction(&self) -> Reduction {
        self.wish.reduction.value
    }

    /// The cycle proviso of its reduction, if it is reduced. In step with a claim only the choice may pay it: one that
    /// depends on the search would depend on the claim (S. Siegel, CAV 2019; see `sticky.rs` in `starwheel_reduce`). And a
    /// choice that looks ahead would have to know names where states have them (`lookahead.rs`).
    pub fn proviso(&self) -> Option<Proviso> {
        let alone = self.wish.sought == Sought::Errors;
        let mut paid = self.method.facts.provisos.iter().copied();
        let free = |p: &Proviso| if self.wish.asks_search { !p.by_choice() } else { alone || p.by_choice() };
        let right = |p: &Proviso| free(p) && !(self.wish.renamed && *p == Proviso::LookingAhead);
        paid.find(right).filter(|_| self.reduction() != Reduction::Off)
    }

    /// Which runs without end count.
    pub fn fairness(&self) -> Option<Fairness> {
        self.wish.fairness
    }

    /// True if steps have to be executed by the interpreter.
    pub fn interprets(&self) -> bool {
        let apart = |e: &&Exclusion| (e.one, e.other) == (Axis::Code, Axis::Reduction);
        let facts = &self.method.facts;
        !facts.machine_code || (self.proviso().is_some() && facts.not_together.iter().any(|e| apart(&e)))
    }

    /// The defaults that do not fit.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Why a default was left out, if it was.
    pub fn missing(&self, axis: Axis) -> Option<LeftOut> {
        self.left_out.iter().copied().find(|l| l.axis == axis)
    }
}

/// Two things that were asked for and do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The one.
    pub left: Axis,
    /// The other.
    pub right: Axis,
    /// What else is needed for them to be at odds.
    pub also: Vec<Axis>,
    /// Why, as a sentence without an end.
    pub why: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} and {}", self.left.name(), self.right.name())?;
        for (i, axis) in self.also.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { " together with " } else { ", " }, axis.name())?;
        }
        write!(f, " do not fit: {}", self.why)
    }
}

impl std::error::Error for Misfit {}

/// Why a search that is not over in one piece cannot prefer trails.
const AFTERWARDS: &str = "what is preferred is looked for in a second search, which is neither saved nor on the disk";

/// What no search can do together.
const EVERYWHERE: &[Exclusion] = &[
    Exclusion::hard(
        Axis::Merging,
        Axis::Fairness,
        "a merged step skips states in which a partner has to wait, so it can make a run unfair",
    ),
    Exclusion::hard(
        Axis::Several,
        Axis::Fairness,
        "with fairness the steps of one process alone may be enough, not those of several",
    ),
    Exclusion::hard(Axis::Jump, Axis::Depth, "one jump stands for many steps, which a limit of depth counts"),
    Exclusion::with(
        Axis::Reduction,
        Axis::Fairness,
        Axis::Renaming,
        "nobody has proved that a reduced search of names is fair to the same processes",
    ),
    Exclusion::hard(Axis::Switches, Axis::Spill, AFTERWARDS),
    Exclusion::hard(Axis::Switches, Axis::Save, AFTERWARDS),
    Exclusion::hard(Axis::Switches, Axis::Resume, AFTERWARDS),
    Exclusion::hard(Axis::Switches, Axis::Depth, "what is preferred is measured in switches, however deep it is"),
    Exclusion::hard(Axis::Switches, Axis::Counting, "it is one counterexample that is preferred"),
    Exclusion::hard(Axis::Switches, Axis::AllErrors, "it is one counterexample that is preferred"),
];

/// The first of these searches that does all that was asked for, without the defaults that do not fit; or two things that
/// do not go together.
pub fn fit(wish: &Wish, methods: &[&'static Method]) -> Result<Assembly, Misfit> {
    methods.iter().find_map(|method| assemble(method, wish)).ok_or_else(|| explain(wish, methods))
}

/// Something that a search cannot do.
#[derive(Clone, Copy)]
struct Obstacle {
    axis: Axis,
    /// What it cannot be done together with, and why.
    other: Option<(Axis, &'static str)>,
}

/// A search without the defaults that do not fit it; none if anything that was asked for does not.
fn assemble(method: &'static Method, wish: &Wish) -> Option<Assembly> {
    let (mut wish, mut left_out) = (*wish, Vec::new());
    while let Some(Obstacle { axis, other }) = first_obstacle(method, &wish) {
        let unasked = |axis: Axis| wish.wants(axis) == Some(By::Default);
        let other = other.map(|o| o.0);
        let because = other.or(need(method));
        let gone = match other {
            _ if unasked(axis) => LeftOut { axis, because },
            Some(other) if unasked(other) => LeftOut { axis: other, because: Some(axis) },
            _ => return None,
        };
        wish.leave_out(gone.axis);
        left_out.push(gone);
    }
    Some(Assembly { method, wish, left_out })
}

fn first_obstacle(method: &Method, wish: &Wish) -> Option<Obstacle> {
    obstacles(method, wish).next()
}

/// What a search cannot be without.
fn need(method: &Method) -> Option<Axis> {
    let facts = &method.facts;
    let stances = [
        (Axis::Processes, facts.processes),
        (Axis::Decoupling, facts.decoupled),
        (Axis::Spill, facts.spill),
        (Axis::Depth, facts.depth),
    ];
    stances.into_iter().find(|s| s.1 == Stance::Must).map(|s| s.0)
}

/// All that a search cannot do of a wish.
fn obstacles<'a>(method: &'a Method, wish: &'a Wish) -> impl Iterator<Item = Obstacle> + 'a {
    let single = Axis::ALL.into_iter().filter(|axis| lacks(method, wish, *axis));
    let single = single.map(|axis| Obstacle { axis, other: None });
    let both = EVERYWHERE.iter().chain(wish.besides).chain(method.facts.not_together).filter(|e| {
        let one = wish.wants(e.one);
        let third = e.also.is_none_or(|also| wish.wants(also).is_some());
        third && one.is_some() && wish.wants(e.other).is_some() && (!e.unasked || one == Some(By::Default))
    });
    single.chain(both.map(|e| Obstacle { axis: e.one, other: Some((e.other, e.why)) }))
}

/// Whether a search does not do what is wanted in one dimension.
fn lacks(method: &Method, wish: &Wish, axis: Axis) -> bool {
    let facts = &method.facts;
    let clash = |stance: Stance, wanted: bool| match stance {
        Stance::No => wanted,
        Stance::Can => false,
        Stance::Must => !wanted,
    };
    let kind = wish.store.value.kind();
    let crew = facts.stores.iter().find(|s| s.0 == kind || kind == StoreKind::Auto).map(|s| s.1);
    let named = wish.sequence == Some(Sequence::Of(method.name));
    match axis {
        Axis::Processes => clash(facts.processes, wish.shared != Shared::Alone),
        Axis::Machines => wish.shared == Shared::Machines && facts.processes == Stance::No,
        Axis::Decoupling => clash(facts.decoupled, wish.decoupled),
        Axis::Spill => clash(facts.spill, wish.spill),
        Axis::Depth => clash(facts.depth, wish.depth),
        Axis::Save => wish.save && !facts.resumes,
        Axis::Resume => wish.resume && !facts.resumes,
        Axis::Store => crew.is_none(),
        Axis::Code => wish.machine_code && !facts.machine_code,
        Axis::Workers => match crew {
            Some(Crew::One) => wish.workers.value > 1,
            Some(Crew::Several) => wish.workers.value <= 1,
            Some(Crew::Many) | None => false,
        },
        Axis::Counting => wish.counts_nth && !facts.counts_nth,
        Axis::Reduction => {
            let pays = |p: &Proviso| !(wish.asks_search && p.by_choice());
            wish.reduction.value != Reduction::Off && !facts.provisos.iter().any(pays)
        }
        Axis::Fairness => wish.fairness.is_some_and(|f| !facts.fairness.contains(&f)),
        Axis::Components => wish.components && !facts.components,
        Axis::Sequence => wish.sequence.is_some_and(|s| !named && !facts.sequences.contains(&s)),
        Axis::PanOrder => wish.pan_order && !facts.pan_order,
        Axis::Sought => {
            let unasked = facts.by_name_only.contains(&wish.sought) && !named;
            unasked || !facts.looks_for.contains(&wish.sought)
        }
        // Few switches are looked for afterwards, among trails to errors.
        Axis::Switches => wish.switches && Sought::CYCLES.contains(&wish.sought),
        // Every search goes on after an error if it has to, sees merged steps and jumps as any others, and may be watched.
        Axis::Audit | Axis::AllErrors | Axis::Several | Axis::Merging | Axis::Renaming | Axis::Jump => false,
    }
}
