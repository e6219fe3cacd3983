//! Where like processes are taken for each other although nobody asked for it.
//!
//! Symmetry changes no verdict, so it is on by default. It changes what is counted, however, and some of what is promised. So
//! the default is off
//!
//! - where somebody says which states are left out (`--por`, `--merge`, `--dead-vars`, `--plain`, `--decouple`) or wants to know
//!   about it (`--audit`, `--explain-reduction`): counts are then those that this alone gives, SPIN's among them;
//! - where all steps are taken unless somebody asks for fewer: `--search bfs`, `--depth`, `--checkpoint`, `--resume`, `--spill`;
//! - where each error counts (`--all-errors`, `--different`): those of like processes would be one;
//! - where fairness matters: it goes together with names or with a reduction, not with both, and the reduction is quicker;
//! - among several processes and machines, which agree on their states beforehand.
//!
//! Whoever types `--symmetry` gets it, as far as it goes together with the rest.

use crate::ask::plan::{Plan, Search};
use crate::ask::typed::Typed;

/// Options with which nobody is taken for somebody else unless that is typed, too.
pub const APART: [&str; 16] = [
    "por",
    "merge",
    "dead-vars",
    "decouple",
    "dominance",
    "audit",
    "explain-reduction",
    "depth",
    "checkpoint",
    "resume",
    "spill",
    "all-errors",
    "different",
    "fair",
    "processes",
    "hosts",
];

/// Whether a plan, in which nothing is said about it, leaves like processes to be taken for each other.
pub fn symmetry(plan: &Plan, typed: &Typed) -> bool {
    plan.search != Search::Bfs && !APART.iter().any(|name| typed.has(name))
}
