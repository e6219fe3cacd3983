//! SDL and IF: source text in, timed Promela with a map back to the source out, and diagnostics always.
//!
//! A text goes through four rooms: `parse` makes a tree, `structure` finds out who can reach whom, `lower` makes
//! state machines of processes (`machine`), `write` prints them as Promela. Nothing here reads files.

mod asn1;
mod ast;
mod delay;
mod detect;
mod instance;
mod lex;
mod lower;
mod machine;
mod observe;
mod options;
mod parse;
mod pids;
mod returns;
mod sorts;
mod structure;
mod translate;
mod vain;
mod words;
mod write;

pub use detect::{Language, language, looks_like_if, looks_like_sdl};
pub use options::{Delay, Environment, Options, Overflow, Queues, Rest, Timers};
pub use sorts::LONGEST_LIST;
pub use translate::{Translation, translate};
pub use words::Words;
pub use write::MapEntry;

/// The header that timed translations include.
pub use starwheel_promela::DTIME_H;
