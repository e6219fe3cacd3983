//! Searches that several processes share: who owns which state, what travels between them, and when it is over.
//!
//! A run has three phases, each a dataflow of timely's (`mail`): the first process tells the others how states are cut for
//! the way (`codec`); all search (`search`); the first one hears the counts and fetches trails (`gather`).
//! `docs/internals/distribution.md` tells the whole of it.

pub mod archive;
pub mod codec;
pub mod crew;
mod cycles;
mod database;
mod encoder;
mod gather;
pub mod graph;
mod heralds;
mod host;
mod levels;
mod line;
mod link;
pub mod links;
mod mail;
pub mod net;
mod run;
mod running;
mod search;
pub mod sides;
mod stop;
pub mod wire;
mod wrongs;

pub use archive::Archive;
pub use codec::Wire;
pub use crew::{Crew, Trouble};
pub use graph::graph;
pub use links::{Apart, Links, Terms};
pub use run::{METHODS, run};
pub use search::{SHARES, owner};
