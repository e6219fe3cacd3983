//! Runs of a model: followed, put into words, written to files and replayed.

pub mod different;
pub mod network_trail;
pub mod probe;
pub mod record;
pub mod refine;
pub mod replay;
pub mod runner;
pub mod saved;
pub mod shown;
pub mod situation;
pub mod spintrail;
pub mod trailfile;
pub mod trails;
pub mod trailtext;
pub mod walk;
