//! Formulas of linear time, the infinite words they speak of, and the automata that accept these words.
//!
//! The usual way through this crate:
//!
//! ```
//! use starwheel_automata::{Names, Stutter, hoa, ltl, never, stutter, translate};
//!
//! let mut names = Names::new();
//! let formula = ltl::parse("[] (request -> <> {grant > 0})", &mut names).expect("a formula");
//! assert_eq!(names.len(), 2);
//! assert_eq!(formula.show(&names).to_string(), "[](request -> <>{grant > 0})");
//! assert_eq!(stutter(&formula), Ok(Stutter::Invariant));
//!
//! // Runs that violate the formula are those that the automaton of its negation accepts.
//! let automaton = translate(&formula.negated()).expect("a small formula");
//! assert_eq!(automaton.state_count(), 2);
//! assert!(never::print(&automaton, &names, "!response").starts_with("never {"));
//!
//! let text = hoa::write(&hoa::HoaAutomaton::new(automaton.as_tgba().clone(), names));
//! let again = hoa::read(&text).expect("our own text");
//! assert_eq!(&again[0].automaton, automaton.as_tgba());
//! ```

pub mod automaton;
mod bdd;
mod cycles;
pub mod dot;
pub mod hoa;
pub mod invariance;
pub mod label;
pub mod ltl;
pub mod names;
pub mod never;
pub mod ops;
pub mod random;
pub mod stutter;
pub mod text;
pub mod translate;
pub mod words;

pub use automaton::{Buchi, Edge, Marks, StateId, Tgba};
pub use label::{Cube, Label};
pub use ltl::Formula;
pub use names::Names;
pub use stutter::{Stutter, stutter, stutter_within};
pub use translate::{TooLarge, translate, translate_generalised, translate_within};
pub use words::{Lasso, Letter, Prop};
