//! The cycle proviso: what keeps a reduced search from ignoring a step for ever.
//!
//! The steps that a reduction chooses in a state are enough there; but a search that goes round a cycle of states, each of
//! which puts off the same step, would never take it. This is the *ignoring problem* (A. Valmari, "Stubborn sets for reduced
//! state space generation", 1989), and what a reduction needs against it is its cycle proviso. For what goes wrong in single
//! steps it is enough that from every reduced state there is a way to one that takes all its steps; for runs without end,
//! every cycle must have such a state on it. Each way to pay it is a kind of [`Proviso`], and each search says in its facts
//! which ones it pays.

/// A cycle proviso, by the one who pays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proviso {
    /// Nobody pays. Law: a run that ends is never reduced to one that does not, so a set that is persistent in each state
    /// preserves all deadlocks, and it does no harm to ignore other steps for ever (P. Godefroid, "Partial-order methods for
    /// the verification of concurrent systems", 1996). For deadlocks, if nothing else can go wrong.
    NotNeeded,
    /// The choice pays. Law: every loop of every process has a transition that is never reduced, so every cycle of the
    /// reduced system has a state that takes all its steps, whoever searches it and in whatever order (R. Kurshan, V. Levin,
    /// M. Minea, D. Peled and H. Yenigün, "Static partial order reduction", TACAS 1998). `sticky.rs` chooses them. Right for
    /// runs without end, also where states are renamed.
    ByChoice,
    /// The choice pays, and looks where its steps lead. Law: as [`Proviso::ByChoice`], but a transition that is never reduced
    /// there is reduced here if chosen steps alone do not lead back to where it is taken: a cycle of reduced states would
    /// pass such a place (the proof is in `lookahead.rs`). Right for runs without end.
    LookingAhead,
    /// A depth-first search pays with its stack. Law: some chosen step leads to a state that is not on the stack; that one is
    /// left first, so by induction over the order of leaving there is a way to a state that takes all its steps (G. Holzmann,
    /// P. Godefroid and D. Pirottin, "Coverage preserving reduction strategies for reachability analysis", 1992). A state on
    /// the stack from which such a way is known does as well.
    NotOnStack,
    /// A search from a queue pays with what waits. Law: some chosen step leads to a state that is still to be expanded; along
    /// such steps the times of expansion rise, and the way ends at a state that takes all its steps (D. Bošnački and G.
    /// Holzmann, "Improving SPIN's partial-order reduction for breadth-first search", 2005).
    StillToExpand,
    /// A search by groups pays with marks in the store. Law: a reduced state marks itself before it looks, and some chosen
    /// step leads to a state without a mark; along such steps the times of marks rise (after Bošnački and Holzmann 2005; the
    /// proof is in the engine, `method/groups/reduced.rs`).
    Unmarked,
}

impl Proviso {
    /// True if the search has to pay, state by state.
    pub fn by_search(self) -> bool {
        matches!(self, Proviso::NotOnStack | Proviso::StillToExpand | Proviso::Unmarked)
    }

    /// True if the choice pays: it depends on the state alone, and every cycle has a state that takes all its steps. What is
    /// searched is one fixed system with fewer steps ([`crate::Reduced`]).
    pub fn by_choice(self) -> bool {
        matches!(self, Proviso::ByChoice | Proviso::LookingAhead)
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Proviso::NotNeeded => "not needed",
            Proviso::ByChoice => "by choice",
            Proviso::LookingAhead => "looking ahead",
            Proviso::NotOnStack => "not on the stack",
            Proviso::StillToExpand => "still to expand",
            Proviso::Unmarked => "unmarked",
        }
    }
}
