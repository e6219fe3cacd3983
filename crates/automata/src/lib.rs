//! Formulas of linear time, the infinite words they speak of, and the automata that accept these words.
//!
//! The usual way through this crate:
//!
//! ```
//! use starwheel_automata::{Names, ltl};
//!
//! let mut names = Names::new();
//! let formula = ltl::parse("[] (request -> <> {grant > 0})", &mut names).expect("a formula");
//! assert_eq!(names.len(), 2);
//! assert_eq!(formula.show(&names).to_string(), "[](request -> <>{grant > 0})");
//! ```

pub mod automaton;
mod bdd;
mod cycles;
pub mod dot;
pub mod hoa;
pub mod label;
pub mod ltl;
pub mod names;
pub mod never;
pub mod ops;
pub mod random;
mod scc;
pub mod stutter;
pub mod text;
pub mod translate;
pub mod words;

pub use automaton::{Buchi, Edge, Marks, StateId, Tgba};
pub use label::{Cube, Label};
pub use ltl::Formula;
pub use names::Names;
pub use stutter::{Stutter, stutter};
pub use translate::{TooLarge, translate, translate_generalised};
pub use words::{Lasso, Letter, Prop};
