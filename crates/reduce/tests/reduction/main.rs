//! Reduced systems against whole ones.

mod collection;
mod common;
mod constructs;
mod cycles;
mod random;
mod ranges;
