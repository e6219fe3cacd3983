//! Model checking of systems that are written in Rust.
//!
//! You say what your system is made of and what its actors can do. Starwheel takes every step in every order, visits every state
//! that can be reached, and says whether something can go wrong, with the run that shows it. This is all there is to it:
//!
//! ```
//! use starwheel::{Checker, Draft, Model, Properties, View};
//!
//! /// Two jugs of 3 and 5 litres. Can we measure 4?
//! struct Jugs;
//!
//! impl Model for Jugs {
//!     type Part = u32; // a state is a vector of parts: here the two jugs
//!     type Action = (&'static str, usize);
//!
//!     fn initial(&self) -> Vec<Vec<u32>> {
//!         vec![vec![0, 0]]
//!     }
//!     fn actions(&self, _actor: usize, _s: &View<'_, u32>, out: &mut Vec<Self::Action>) {
//!         out.extend([("fill", 0), ("fill", 1), ("empty", 0), ("empty", 1), ("pour from", 0), ("pour from", 1)]);
//!     }
//!     fn apply(&self, &(what, jug): &Self::Action, s: &mut Draft<'_, u32>) {
//!         let size = [3, 5];
//!         match what {
//!             "fill" => s[jug] = size[jug],
//!             "empty" => s[jug] = 0,
//!             _ => {
//!                 let poured = s[jug].min(size[1 - jug] - s[1 - jug]);
//!                 s[jug] -= poured;
//!                 s[1 - jug] += poured;
//!             }
//!         }
//!     }
//!     fn properties(&self, all: &mut Properties<Self>) {
//!         all.sometimes("four litres", |_, s| s[1] == 4);
//!     }
//! }
//!
//! let outcome = Checker::new(&Jugs).bfs().run().expect("nothing is asked that cannot be done");
//! assert_eq!(outcome.witness("four litres").expect("it can be done").len(), 6);
//! assert_eq!(outcome.stats.states, 16);
//! ```
//!
//! # What you get
//!
//! | you say | you get |
//! | --- | --- |
//! | [`Model::actions`], [`Model::apply`] | every interleaving; panics, deadlocks and [`Draft::wrong`] steps with the run that leads there |
//! | [`Properties::always`], [`Properties::sometimes`] | counterexamples and witnesses, the shortest with [`Checker::bfs`] |
//! | [`Properties::proposition`], [`Checker::ltl`] | formulas of linear time about runs without end, with [fairness](Checker::weakly_fair) by actor |
//! | [`Model::footprint`] | partial-order reduction: [`Checker::por`] |
//! | [`Model::symmetry`] | one state for all that differ in who is who: [`Checker::symmetry`] |
//! | [`main`] | a program with the commands `check`, `replay`, `simulate` and `graph` |
//!
//! [`Verdict::Holds`] is a promise: every reachable state was visited and no two were taken for one. What ends early, or may have
//! missed something, says so.
//!
//! # Parts
//!
//! A state is a vector of parts, and each value of a part is kept once, under a small number. So a state is a short string of
//! numbers, whatever its parts are; a step costs what it changes; and a log of 200 entries in a part makes no state larger. Parts
//! that grow should be [`List`], [`Map`], [`Set`] or trees of [`Term`]s, which share what they have in common.
//!
//! Choose parts so that a step changes few of them: one for each node and one for each mailbox, say, and not one for the network.

mod adapter;
mod check;
mod checker;
mod command;
mod digest;
mod formula;
mod ground;
pub mod linear;
mod list;
mod map;
mod model;
mod numbers;
mod outcome;
mod parts;
mod processes;
mod product;
mod property;
mod quiet;
mod recipe;
mod reduction;
mod symmetry;
mod term;
#[cfg(test)]
mod tests;
mod unfold;
mod view;
pub mod walk;

pub use checker::{Checker, Refused};
pub use command::main;
pub use list::List;
pub use map::{Item, Iter, Map, Set, Value};
pub use model::{Canonical, Footprint, Model, Part};
pub use outcome::{Checked, Outcome, Proof, Stats, Trail, Verdict};
pub use property::{Properties, Property};
pub use starwheel_engine::{Fairness, Net, Store, Tick};
pub use symmetry::{Renaming, Symmetry};
pub use term::Term;
pub use view::{Draft, PartSet, View};
