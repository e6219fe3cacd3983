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

pub mod ltl;
pub mod names;
pub mod random;
pub mod words;

pub use ltl::Formula;
pub use names::Names;
pub use words::{Lasso, Letter, Prop};
