//! Searches over a system of states and steps: what is visited, what the visit proves, and the trails that show it.

mod cndfs;
mod fair;
pub mod job;
pub mod monitor;
pub mod replay;
pub mod report;
mod search;
pub mod session;
pub mod simulate;
mod swift;

pub use job::{Checks, Fairness, Goal, Job, Limits, Order, Store};
pub use monitor::{Monitor, Silent, Tick};
pub use replay::{Mismatch, confirm_cycle, confirm_fair, replay};
pub use report::{Complete, Finding, Gap, Outcome, Report, Stats, Stop};
pub use search::ledger::Ledger;
pub use search::run;
pub use search::shorten::{Lasso, Terms, shorten};
pub use session::{NoSuchStep, Past, Session};
pub use simulate::{End, Random, Taken, random_walk};
