//! The local states of a component that internal edges lead back to.

use crate::net::{Component, Local};
use starwheel_base::scc::components;

/// By state: true if some internal edges lead back to it.
pub(crate) fn on_internal_cycles(component: &Component) -> Vec<bool> {
    let states = (0..component.state_count() as u32).map(Local);
    let next = |state| component.internal(state).iter().map(|edge| edge.to.index()).collect();
    let successors: Vec<Vec<usize>> = states.map(next).collect();
    let found = components(&successors);
    let mut members = vec![0; found.count];
    found.of.iter().for_each(|&c| members[c] += 1);
    let circular = |(state, next): (usize, &Vec<usize>)| members[found.of[state]] > 1 || next.contains(&state);
    successors.iter().enumerate().map(circular).collect()
}
