//! What a search says about itself, as data: every method states its facts beside its proof.
//!
//! [`crate::fit()`] compares them with what is asked for. A new dimension (symmetry, time, several machines) is one more field
//! here, one in [`crate::fit::Wish`], and one [`Axis`].

use crate::job::{Fairness, Order, Store};
use starwheel_reduce::Proviso;

/// A search, by its name, and what it can do.
#[derive(Debug)]
pub struct Method {
    /// A word for reports and tests.
    pub name: &'static str,
    /// What it is called in a sentence.
    pub title: &'static str,
    /// How a job asks for it; none for searches that take no jobs.
    pub order: Option<Order>,
    /// What it can do.
    pub facts: Facts,
}

/// What a search can do. What is not said here is not proven, and refused.
#[derive(Debug)]
pub struct Facts {
    /// What it looks for.
    pub looks_for: &'static [Sought],
    /// What it looks for only if it is asked for by its name.
    pub by_name_only: &'static [Sought],
    /// The orders in which it can be asked to visit states.
    pub sequences: &'static [Sequence],
    /// True if it goes component by component.
    pub components: bool,
    /// True if it visits states one after the other as pan does: what is found first is what pan finds first.
    pub pan_order: bool,
    /// True if it knows which error is the n-th one.
    pub counts_nth: bool,
    /// The stores it works with, and for how many workers; the first one is exact, and stands for [`Store::Auto`] as well.
    pub stores: &'static [(StoreKind, Crew)],
    /// The cycle provisos that keep a reduction sound in it, the one that it prefers first; none if it takes all steps.
    pub provisos: &'static [Proviso],
    /// The kinds of fairness that it knows.
    pub fairness: &'static [Fairness],
    /// Whether it keeps to a limit of depth.
    pub depth: Stance,
    /// Whether it goes on on the disk.
    pub spill: Stance,
    /// Whether its states are decoupled ones.
    pub decoupled: Stance,
    /// Whether several processes share it.
    pub processes: Stance,
    /// True if it can be saved and gone on with.
    pub resumes: bool,
    /// True if machine code serves it.
    pub machine_code: bool,
    /// What it can do, but not together.
    pub not_together: &'static [Exclusion],
}

impl Facts {
    /// Nothing is proven: a search names what it can do and takes the rest from here, so what is new is refused everywhere
    /// until somebody says otherwise.
    pub const NONE: Facts = Facts {
        looks_for: &[],
        by_name_only: &[],
        sequences: &[],
        components: false,
        pan_order: false,
        counts_nth: false,
        stores: &[],
        provisos: &[],
        fairness: &[],
        depth: Stance::No,
        spill: Stance::No,
        decoupled: Stance::No,
        processes: Stance::No,
        resumes: false,
        machine_code: false,
        not_together: &[],
    };
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sought {
    /// What goes wrong in single steps and states.
    Errors,
    /// The same, in step with a claim that has its say in a moment.
    ClaimErrors,
    /// Runs without end that break a formula.
    Formula,
    /// Runs without end that a never claim accepts.
    Claim,
    /// Runs without end that a property automaton accepts.
    Automaton,
    /// Runs without end that pass an accept label again and again.
    Acceptance,
    /// Runs without end that pass no progress label any more.
    Progress,
    /// Runs of a network in which all components accept at the same time.
    Together,
    /// Runs of a network in which each component accepts at its own times.
    Each,
}

impl Sought {
    /// All there is.
    pub const ALL: [Sought; 9] = [
        Sought::Errors,
        Sought::ClaimErrors,
        Sought::Formula,
        Sought::Claim,
        Sought::Automaton,
        Sought::Acceptance,
        Sought::Progress,
        Sought::Together,
        Sought::Each,
    ];

    /// The runs without end of a system.
    pub const CYCLES: &[Sought] =
        &[Sought::Formula, Sought::Claim, Sought::Automaton, Sought::Acceptance, Sought::Progress];
}

/// An order that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sequence {
    /// Roughly or truly depth first.
    DepthFirst,
    /// Shorter runs first.
    ShortestFirst,
    /// That of the method with this name.
    Of(&'static str),
}

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreKind {
    /// [`Store::Auto`]
    Auto,
    /// [`Store::Tree`]
    Tree,
    /// [`Store::Flat`]
    Flat,
    /// [`Store::Compact`]
    Compact,
    /// [`Store::Bitstate`]
    Bitstate,
    /// [`Store::Dfa`]
    Dfa,
}

impl StoreKind {
    /// All there is.
    pub const ALL: [StoreKind; 6] =
        [StoreKind::Auto, StoreKind::Tree, StoreKind::Flat, StoreKind::Compact, StoreKind::Bitstate, StoreKind::Dfa];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            StoreKind::Auto => "auto",
            StoreKind::Tree => "tree",
            StoreKind::Flat => "flat",
            StoreKind::Compact => "compact",
            StoreKind::Bitstate => "bitstate",
            StoreKind::Dfa => "dfa",
        }
    }
}

impl Store {
    /// What kind of store it is.
    pub fn kind(self) -> StoreKind {
        match self {
            Store::Auto => StoreKind::Auto,
            Store::Tree => StoreKind::Tree,
            Store::Flat => StoreKind::Flat,
            Store::Compact => StoreKind::Compact,
            Store::Bitstate { .. } => StoreKind::Bitstate,
            Store::Dfa => StoreKind::Dfa,
        }
    }
}

/// How many workers a store serves in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crew {
    /// One.
    One,
    /// One or many.
    Many,
    /// Many; for one there is another search.
    Several,
}

/// Whether a search does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// It cannot.
    No,
    /// It can.
    Can,
    /// It always does.
    Must,
}

/// Two things that a search can do, but not together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// The one that is left out if it was only a default.
    pub one: Axis,
    /// The other.
    pub other: Axis,
    /// What else must be wanted for them to be at odds.
    pub also: Option<Axis>,
    /// True if they go together where the first was asked for, but not where it is only a default.
    pub unasked: bool,
    /// Why, as the end of a sentence.
    pub why: &'static str,
}

impl Exclusion {
    /// Of searches that ask a reduction which steps are enough, one step after the other.
    pub const STEP_BY_STEP: Exclusion =
        Exclusion::hard(Axis::Code, Axis::Reduction, "a reduction that asks the search step by step is interpreted");

    /// Of searches that find what takes the least time: they count steps, and a jump is one.
    pub const FASTEST: Exclusion = Exclusion::hard(
        Axis::Jump,
        Axis::Sequence,
        "a jump is one step, whatever time it takes, so the first trail would not be the fastest",
    );

    /// Never together.
    pub const fn hard(one: Axis, other: Axis, why: &'static str) -> Exclusion {
        Exclusion { one, other, also: None, unasked: false, why }
    }

    /// Never together where a third thing is wanted as well.
    pub const fn with(one: Axis, other: Axis, also: Axis, why: &'static str) -> Exclusion {
        Exclusion { one, other, also: Some(also), unasked: false, why }
    }

    /// Not together as long as nobody asks for the first.
    pub const fn unasked(one: Axis, other: Axis, why: &'static str) -> Exclusion {
        Exclusion { one, other, also: None, unasked: true, why }
    }
}

/// The dimensions of what can be asked for. If several do not go together, the first ones are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// Several processes.
    Processes,
    /// Processes on several machines.
    Machines,
    /// Few context switches in the trail.
    Switches,
    /// Decoupled states.
    Decoupling,
    /// Going on on the disk.
    Spill,
    /// Saving the search.
    Save,
    /// Going on with a search that was saved.
    Resume,
    /// The store.
    Store,
    /// Machine code.
    Code,
    /// Several workers.
    Workers,
    /// Which error is the n-th one.
    Counting,
    /// Going on after the first error.
    AllErrors,
    /// Whether each choice of a reduction is tried out or written down.
    Audit,
    /// Partial-order reduction.
    Reduction,
    /// A reduction to the steps of several processes.
    Several,
    /// Component by component.
    Components,
    /// Fairness.
    Fairness,
    /// Steps that were merged.
    Merging,
    /// States that are renamed before they are stored.
    Renaming,
    /// Time that jumps from one expiry to the next.
    Jump,
    /// The order in which states are visited.
    Sequence,
    /// The limit of depth.
    Depth,
    /// The order of pan.
    PanOrder,
    /// What is looked for.
    Sought,
}

impl Axis {
    /// All there is, in the order in which they are named.
    pub const ALL: [Axis; 24] = [
        Axis::Processes,
        Axis::Machines,
        Axis::Switches,
        Axis::Decoupling,
        Axis::Spill,
        Axis::Save,
        Axis::Resume,
        Axis::Store,
        Axis::Code,
        Axis::Workers,
        Axis::Counting,
        Axis::AllErrors,
        Axis::Audit,
        Axis::Reduction,
        Axis::Several,
        Axis::Components,
        Axis::Fairness,
        Axis::Merging,
        Axis::Renaming,
        Axis::Jump,
        Axis::Sequence,
        Axis::Depth,
        Axis::PanOrder,
        Axis::Sought,
    ];

    /// What it is called in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Processes => "several processes",
            Axis::Machines => "several machines",
            Axis::Switches => "few context switches",
            Axis::Decoupling => "decoupled states",
            Axis::Spill => "going on on the disk",
            Axis::Save => "saving the search",
            Axis::Resume => "going on with a saved search",
            Axis::Store => "this store",
            Axis::Code => "machine code",
            Axis::Workers => "several workers",
            Axis::Counting => "the n-th error",
            Axis::AllErrors => "all errors",
            Axis::Audit => "the audit of a reduction",
            Axis::Reduction => "partial-order reduction",
            Axis::Several => "reduction to the steps of several processes",
            Axis::Fairness => "this fairness",
            Axis::Merging => "merged steps",
            Axis::Renaming => "renamed states",
            Axis::Jump => "time that jumps",
            Axis::Components => "the search by components",
            Axis::Sequence => "this order of states",
            Axis::Depth => "a limit of depth",
            Axis::PanOrder => "the order of pan",
            Axis::Sought => "what is looked for",
        }
    }
}
