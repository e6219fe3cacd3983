//! Promela: source text in, syntax tree, model and diagnostics out, always all of them; no file access of its own.

pub mod ast;
pub mod parse;
pub mod print;
pub mod token;
