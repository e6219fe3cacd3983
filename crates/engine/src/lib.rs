//! Searches over a system of states and steps: what is visited, what the visit proves, and the trails that show it.

pub mod attic;
pub mod checkpoint;
mod cndfs;
mod fair;
pub mod job;
pub mod monitor;
pub mod pace;
pub mod replay;
pub mod report;
mod search;
pub mod session;
pub mod simulate;
mod spill;
mod swift;

pub use attic::{Attic, Sheet};
pub use checkpoint::{Saved, Vault};
pub use job::{Checks, Fairness, Goal, Job, Limits, Order, Store};
pub use monitor::{Monitor, Silent, Tick};
pub use pace::Pace;
pub use replay::{Mismatch, confirm_cycle, confirm_fair, replay};
pub use report::{Complete, Finding, Gap, Outcome, Report, Stats, Stop};
pub use search::components::Components;
pub use search::ledger::Ledger;
pub use search::run;
pub use search::shorten::{Lasso, Terms, shorten};
pub use session::{NoSuchStep, Past, Session};
pub use simulate::{End, Random, Taken, random_walk};
