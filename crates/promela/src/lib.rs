//! Promela: source text in, syntax tree, model and diagnostics out, always all of them; no file access of its own.

pub mod ast;
mod lex;
pub mod lower;
pub mod preprocess;
pub mod token;
