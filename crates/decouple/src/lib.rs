//! Star-topology decoupling: a state holds a center and, for each leaf, the set of all frames that the leaf can have got
//! into by steps of its own, so that the interleavings of leaves are never spelt out.
//!
//! [`decompose`] says what is center and what is leaf. A `Product` is a decoupled state: each combination of
//! frames is one ordinary state, and the search keeps it so that exactly the reachable ones are represented. `segment`
//! runs one process alone, `image` groups what comes of it, `expand` puts processes together, `settle` closes sets under
//! leaf steps, `stuck` finds standstills, `trail` turns decoupled ways into ordinary runs, [`search`] puts it all to use.
//! [`liveness`] looks for runs without end that a property forbids.

mod agenda;
mod algebra;
mod bits;
mod books;
mod centers;
mod claim;
mod closing;
mod core;
mod crew;
mod crowds;
pub mod decompose;
mod expand;
mod explorer;
mod graph;
mod ground;
mod halt;
mod image;
mod imagine;
mod lately;
mod linger;
pub mod liveness;
mod members;
mod memo;
mod names;
mod party;
mod product;
mod pulse;
pub mod search;
mod seen;
mod segment;
mod sets;
mod settle;
mod shape;
mod shards;
mod shared;
mod space;
mod stuck;
mod table;
mod touch;
mod touches;
mod track;
mod trail;
mod trial;
mod visible;
mod weave;

pub use decompose::{Decomposition, Refusal, refusal};
pub use liveness::find_run;
pub use members::members;
pub use search::{Request, run};
pub use seen::property_refusal;
pub use trial::Trial;
pub use visible::visible;

/// What a mutex guards, also after a worker has failed.
fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
