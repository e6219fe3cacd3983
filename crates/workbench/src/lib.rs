//! One opened model and everything one can ask about it, in plain data; the only place that combines the parts below.

pub mod chart;
pub mod check;
pub mod coverage;
mod formula;
pub mod graph;
pub mod ltl;
pub mod open;
pub mod options;
pub mod plan;
pub mod problem;
mod property_automaton;
mod proposition;
pub mod quantity;
pub mod record;
mod reduction;
pub mod render;
pub mod replay;
pub mod report;
pub mod rss;
mod runner;
pub mod show;
pub mod situation;
pub mod target;
pub mod trailfile;
pub mod walk;

pub use check::{Checked, check};
pub use open::{Opened, open};
pub use plan::{Plan, Reading, Search, Typed};
pub use problem::{Failure, Problem};
pub use record::{Recorder, describe};
pub use replay::{Replayed, replay};
pub use report::{Report, Verdict};
pub use starwheel_engine::{Finding as EngineFinding, Monitor, Random, Silent, Stop, Tick};
pub use starwheel_model::{ProctypeKind, Step};
pub use walk::Walk;
