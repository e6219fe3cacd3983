//! What a user writes: a system whose states are vectors of parts, and what should hold of it.

use crate::property::Properties;
use crate::symmetry::{Renaming, Symmetry};
use crate::view::{Draft, PartSet, View};
use std::fmt::Debug;
use std::hash::Hash;

/// Values that are equal if and only if they are the same, in every process: what parts are made of.
///
/// Everything with `Eq` and `Hash` is: numbers, strings, `Vec`, `BTreeMap`, `BTreeSet`, structs and enums that derive them, and
/// this crate's [`crate::List`], [`crate::Map`], [`crate::Set`] and [`crate::Term`], which share what they have in common.
/// `HashMap` and `HashSet` are not, because the order in which they list what they hold is not part of their value:
///
/// ```compile_fail
/// use starwheel::Part;
/// fn part<P: Part>() {}
/// part::<std::collections::HashMap<u32, bool>>();
/// ```
///
/// ```compile_fail
/// use starwheel::Part;
/// #[derive(Clone, PartialEq, Eq, Debug)]
/// struct Node { seen: std::collections::HashSet<u32> }
/// fn part<P: Part>() {}
/// part::<Node>();
/// ```
///
/// ```
/// use starwheel::{Part, Set};
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// struct Node { seen: Set<u32>, names: std::collections::BTreeMap<u32, String> }
/// fn part<P: Part>() {}
/// part::<Node>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be told apart by its value alone",
    label = "derive `PartialEq, Eq, Hash`; instead of `HashMap` and `HashSet` use `BTreeMap`, `BTreeSet`, `starwheel::Map` or `starwheel::Set`"
)]
pub trait Canonical: Eq + Hash {}

impl<T: Eq + Hash + ?Sized> Canonical for T {}

/// What a part of a state may be: any value that can be copied, compared, hashed and shown. Nobody implements it: every such type
/// is one. Usually a part is an `enum` over the kinds of parts that a system has.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a state",
    note = "a part needs `#[derive(Clone, PartialEq, Eq, Hash, Debug)]`; instead of `HashMap` and `HashSet` use `BTreeMap`, `BTreeSet`, `starwheel::Map` or `starwheel::Set`"
)]
pub trait Part: Canonical + Clone + Debug + Send + Sync + 'static {}

impl<T: Canonical + Clone + Debug + Send + Sync + 'static> Part for T {}

/// A system: what its states are made of, who can do what, and what should hold.
///
/// A state is a vector of *parts*: one for each node, thread, channel or register, say. A step reads and writes few of them, and
/// only those that were written are looked at again. *Actors* are those who move. What an actor can do must depend on nothing but
/// the parts that it reads, so a model has no state of its own: no `Cell`, no clock, no random numbers.
///
/// ```
/// use starwheel::{Checker, Draft, Model, Properties, View};
///
/// /// Two threads that add one to a counter, in two steps each: they read it, and write what they have read plus one.
/// struct Adders;
///
/// impl Model for Adders {
///     type Part = Option<u32>; // the counter, then what each thread has read
///     type Action = (usize, &'static str);
///
///     fn initial(&self) -> Vec<Vec<Option<u32>>> {
///         vec![vec![Some(0), None, None]]
///     }
///     fn actors(&self) -> usize {
///         2
///     }
///     fn actions(&self, actor: usize, s: &View<'_, Option<u32>>, out: &mut Vec<Self::Action>) {
///         out.push((actor, if s[1 + actor].is_none() { "read" } else { "write" }));
///     }
///     fn apply(&self, &(actor, what): &Self::Action, s: &mut Draft<'_, Option<u32>>) {
///         match what {
///             "read" => s[1 + actor] = s[0],
///             _ => s[0] = s[1 + actor].take().map(|read| (read + 1) % 8),
///         }
///     }
///     fn properties(&self, all: &mut Properties<Self>) {
///         all.always("a thread knows the counter", |_, s| s[1].is_none() || s[1] == s[0]);
///     }
/// }
///
/// let outcome = Checker::new(&Adders).bfs().run().expect("nothing is asked that cannot be done");
/// let trail = outcome.counterexample("a thread knows the counter").expect("they are not atomic");
/// assert_eq!(trail.actions(), [(0, "read"), (1, "read"), (1, "write")]);
/// ```
pub trait Model: Sync + Sized {
    /// The parts of a state.
    type Part: Part;
    /// What an actor does in a step. It names whatever [`Model::apply`] has to know, the actor included.
    type Action: Clone + Debug + Send;

    /// The states in which the system may begin, one at least; mostly one.
    fn initial(&self) -> Vec<Vec<Self::Part>>;

    /// How many actors there are, at most 254. Fairness and reduction are about them: an actor is whoever should not be
    /// forgotten for ever. It may be a process, a message on its way, or a rule.
    fn actors(&self) -> usize {
        1
    }

    /// Adds what an actor can do in a state.
    fn actions(&self, actor: usize, s: &View<'_, Self::Part>, out: &mut Vec<Self::Action>);

    /// Does what [`Model::actions`] has listed.
    fn apply(&self, action: &Self::Action, s: &mut Draft<'_, Self::Part>);

    /// What should hold, and the propositions that formulas speak of.
    fn properties(&self, _all: &mut Properties<Self>) {}

    /// True if the system may stay for ever in a state in which nobody can move. A state of which this is false is a deadlock.
    fn may_end(&self, _s: &View<'_, Self::Part>) -> bool {
        false
    }

    /// The parts that an actor may ever read (to find out what it can do, or doing it) and write, in whatever state. With it
    /// comes partial-order reduction ([`crate::Checker::por`]): actors that have nothing to do with each other need not be
    /// interleaved. A search with reduction holds each step to it and ends with an error at the first one that does not keep to it.
    fn footprint(&self, _actor: usize) -> Option<Footprint> {
        None
    }

    /// Which parts and actors are interchangeable. With it comes symmetry ([`crate::Checker::symmetry`]): states that differ in
    /// nothing but who is who are one.
    fn symmetry(&self) -> Option<Symmetry> {
        None
    }

    /// A part in which every member that it names is called by its new name. Parts that name nobody stay as they are.
    fn rename(&self, part: &Self::Part, _names: &Renaming) -> Self::Part {
        part.clone()
    }
}

/// What an actor may ever touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Footprint {
    /// What it may read.
    pub reads: PartSet,
    /// What it may write.
    pub writes: PartSet,
}

impl Footprint {
    /// Nothing.
    pub fn new() -> Footprint {
        Footprint::default()
    }

    /// It may read these parts as well.
    pub fn reads(self, places: impl IntoIterator<Item = usize>) -> Footprint {
        Footprint { reads: self.reads.and(PartSet::of(places)), ..self }
    }

    /// It may write these parts as well, and read them: whoever changes a part has read it.
    pub fn writes(self, places: impl IntoIterator<Item = usize>) -> Footprint {
        let places = PartSet::of(places);
        Footprint { reads: self.reads.and(places), writes: self.writes.and(places) }
    }
}
