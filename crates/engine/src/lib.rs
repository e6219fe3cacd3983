//! Searches over a system of states and steps: what is visited, what the visit proves, and the trails that show it.

pub mod facts;
mod fair;
pub mod fit;
pub mod job;
mod method;
pub mod monitor;
mod parts;
pub mod replay;
pub mod report;
pub mod session;
pub mod simulate;
pub mod when;

pub use facts::{Axis, Facts, Method};
pub use fair::Copies;
pub use fit::{Assembly, Misfit, Wish, fit};
pub use job::{Checks, Fairness, Goal, Job, Limits, Order, Store};
pub use method::{METHODS, fewest_switches, run, switches};
pub use monitor::{Monitor, Silent, Tick};
pub use parts::checkpoint::{CheckpointSink, CheckpointSource};
pub use parts::components::Components;
pub use parts::expander::{Expander, Stage, Wrong};
pub use parts::ledger::{ENDLESS_ATOMIC, Flow, Key, Ledger, key, worse};
pub use parts::link::trail;
pub use parts::pace::Pace;
pub use parts::scout::explore_split;
pub use parts::scratch::{ScratchDisk, ScratchFile};
pub use parts::shorten::{Lasso, Terms, shorten};
pub use parts::walk::{Arrival, Led, Walk};
pub use replay::{Mismatch, confirm_cycle, confirm_fair, replay};
pub use report::{Complete, Finding, Gap, Net, Outcome, Report, Stats, Stop};
pub use session::{NoSuchStep, Past, Session};
pub use simulate::{End, Random, Taken, random_walk};
