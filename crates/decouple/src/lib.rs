//! Star-topology decoupling: a state holds a center and, for each leaf, the set of all frames that the leaf can have got
//! into by steps of its own, so that the interleavings of leaves are never spelt out.
//!
//! `topology` says what is center and what is leaf. A `Product` is a decoupled state: each combination of frames is one
//! ordinary state, and the search keeps it so that exactly the reachable ones are represented. `leaves` holds sets of
//! frames; in `steps`, `segment` runs one process alone, `image` groups what comes of it, `expand` puts processes together,
//! `settle` closes sets under leaf steps and `stuck` finds standstills. `states` are those that were seen; `trail` turns
//! decoupled ways into ordinary runs, [`search`] puts it all to use. [`liveness`] looks for runs without end that a property
//! forbids.

mod leaves;
pub mod liveness;
pub mod search;
mod states;
mod steps;
mod topology;
mod trail;

pub use liveness::find_run;
pub use search::members::{members, members_renamed};
pub use search::trial::Trial;
pub use search::{Request, run, run_renamed};
pub use topology::decompose::{Decomposition, Refusal, refusal};
pub use topology::seen::property_refusal;
pub use topology::visible::visible;

/// The searches and what they say about themselves. Of those that fit a wish, the first is taken.
pub const METHODS: [&starwheel_engine::Method; 3] =
    [&search::DECOUPLED, &search::DECOUPLED_PARALLEL, &liveness::DECOUPLED_LIVENESS];

/// What a mutex guards, also after a worker has failed.
fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
