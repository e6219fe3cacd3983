//! A model in which nobody dies: a process that has come to its end stays there.
//!
//! Processes die in the reverse order of their creation, so their deaths tell them apart: the youngest can die and the others
//! have to wait. Where nobody can see numbers of processes nor how many there are, a process at its end is as good as gone. It
//! has no steps, it may stay where it is, and nobody's steps depend on it, except that a *timeout* waits until nobody can do
//! anything, and the youngest process at its end still can: it can die. So a run of the model without deaths is one of the
//! model in which deaths were left out, and it becomes a run of the model if all who can die do so before a timeout, and in
//! the end; and a run of the model is one of the model without deaths as soon as deaths are left out of it. Both go wrong in
//! the same steps, and get stuck in the same way.

use starwheel_model::{Model, Stmt};

/// Leaves out all deaths.
pub fn undying(model: &mut Model) {
    let Model { proctypes, transitions, .. } = model;
    for loc in proctypes.iter_mut().flat_map(|p| &mut p.locs) {
        let before = loc.out.len();
        loc.out.retain(|t| transitions[t.index()].stmt != Stmt::End);
        loc.end |= loc.out.len() < before;
    }
}
