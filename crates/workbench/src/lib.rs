//! One opened model and everything one can ask about it, in plain data; the only place that combines the parts below.

mod ask;
pub mod assemble;
pub mod check;
pub mod decouple;
mod disk;
pub mod foreign;
mod memory;
pub mod network;
pub mod open;
pub mod problem;
mod property;
pub mod reduction;
pub mod report;
mod run;
pub mod show;
pub mod space;
pub mod symmetry;
mod trail;

pub use ask::automata::open_to_check;
pub use ask::plan::{Plan, Reading, Search, Typed};
pub use ask::{options, plan, quantity};
pub use check::{Checked, check};
pub use disk::output;
pub use memory::rss;
pub use open::{Opened, open};
pub use problem::{Failure, Problem};
pub use property::{formula, ltl, target, watched};
pub use report::{Report, Verdict, coverage, performed};
pub use show::{chart, combinations, graph, render, star};
pub use starwheel_base::cancel::Token;
pub use starwheel_engine::{Finding as EngineFinding, Monitor, Random, Silent, Stop, Tick};
pub use starwheel_model::{ProctypeKind, Step};
pub use trail::record::{Recorder, describe};
pub use trail::replay::{Replayed, replay};
pub use trail::walk::Walk;
pub use trail::{record, refine, replay, situation, spintrail, trailfile, trails, walk};
