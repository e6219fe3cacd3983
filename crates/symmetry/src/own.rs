//! Places that always hold the name of the process to which they belong: its parameter `me`, say, that nobody ever writes.
//!
//! In every complete state there is the same in them, and in the renamed state again: what belongs to `i` goes to `p(i)`, and the
//! name of `i` becomes that of `p(i)`, which is there already. So they need neither be looked at nor be moved.

use crate::build::Layout;
use crate::entry::Entry;
use crate::plan::Plan;
use starwheel_model::footprint::footprints;
use starwheel_model::{Model, ProctypeId, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// A place in the frames of a process type.
type Spot = (ProctypeId, usize);

/// Marks the places of a plan that nobody writes and that hold the name of their owner from the entry on.
pub fn mark(model: &Model, layout: &Layout, entry: &Entry, plan: &mut Plan) {
    let spot = |at: usize| {
        let process = layout.processes.iter().find(|p| (p.at..p.end).contains(&at))?;
        Some((process.proctype, at - process.at))
    };
    let (mut rows, mut bad): (BTreeMap<Spot, usize>, BTreeSet<Spot>) = (BTreeMap::new(), BTreeSet::new());
    for scalar in &plan.scalars {
        let ([point], Some(spot)) = (&scalar.coords[..], spot(scalar.at)) else { continue };
        for state in entry.states() {
            let whose = plan.names[scalar.names].whose(scalar.ty.read(state, scalar.at));
            match whose.filter(|(_, who)| *who == usize::from(*point)) {
                Some((row, _)) if *rows.entry(spot).or_insert(row) == row => {}
                _ => drop(bad.insert(spot)),
            }
        }
    }
    if rows.is_empty() {
        return;
    }
    let all = footprints(model);
    let mut written: BTreeMap<ProctypeId, Vec<(u32, u32)>> = BTreeMap::new();
    for (t, footprint) in model.transitions.iter().zip(&all).filter(|(t, _)| t.stmt != Stmt::End) {
        written.entry(t.proctype).or_default().extend(footprint.writes.locals.iter());
    }
    for scalar in &mut plan.scalars {
        let (1, Some(spot)) = (scalar.coords.len(), spot(scalar.at)) else { continue };
        let place = (spot.1 as u32, spot.1 as u32 + scalar.ty.size());
        let meets = |piece: &(u32, u32)| piece.0 < place.1 && place.0 < piece.1;
        let written = written.get(&spot.0).is_some_and(|pieces| pieces.iter().any(meets));
        scalar.own = rows.contains_key(&spot) && !bad.contains(&spot) && !written;
    }
}
