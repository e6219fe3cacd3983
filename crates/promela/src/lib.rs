//! Promela: source text in, syntax tree, model and diagnostics out, always all of them; no file access of its own.

pub mod ast;
mod compile;
mod lex;
pub mod lower;
pub mod parse;
pub mod preprocess;
pub mod print;
pub mod token;

pub use compile::{CompileOptions, Compiled, compile, compile_text};

/// The header for models with timers: shipped, so that every model finds it, and read by plain SPIN as well.
pub const DTIME_H: &str = include_str!("dtime.h");
