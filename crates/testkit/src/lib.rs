//! Tests of the `starwheel` binary from outside: recorded figures of SPIN, SPIN itself on random programs, speed.
//!
//! The kit knows no other crate of the workspace. It starts binaries, reads what they print and compares.

pub mod args;
pub mod ast;
pub mod aut;
pub mod bench;
pub mod command;
pub mod compare;
pub mod coverage;
pub mod exec;
pub mod family;
pub mod generate;
pub mod infinite;
pub mod mutants;
pub mod mutate;
pub mod ours;
pub mod peers;
pub mod print;
pub mod reductions;
pub mod rng;
pub mod scale;
pub mod shapes;
pub mod shrink;
pub mod spin;
pub mod symmetric;
pub mod table;
pub mod visit;
