//! One opened model and everything one can ask about it, in plain data; the only place that combines the parts below.

pub mod chart;
pub mod options;
pub mod plan;
pub mod problem;
pub mod quantity;
pub mod render;
pub mod report;
pub mod rss;
pub mod show;
pub mod trailfile;
pub mod walk;

pub use plan::{Plan, Reading, Search, Typed};
pub use problem::{Failure, Problem};
