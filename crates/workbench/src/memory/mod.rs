//! How much memory the whole program has used, and what is done about it.

pub mod cpu;
pub mod guard;
pub use starwheel_base::rss;
