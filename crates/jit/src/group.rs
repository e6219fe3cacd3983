//! Which processes share a function: where all states have the same processes, one function goes through several of them,
//! each at its fixed place.

use crate::plan::Plan;
use starwheel_model::{Proctype, ProctypeId};

/// Most bytes of a state that is copied by instructions of its own in every transition.
pub(crate) const SHORT: u32 = 128;
/// Transitions of one function, unless one process alone has more.
const LARGE: usize = 64;
/// Transitions of one process that are still compiled into one function: the compiler needs more than twice the time for one of
/// twice the size, and nobody can stop it in the middle.
const HUGE: usize = 512;
/// Transitions that may be compiled more often than once, because several processes have the same type: so many, or as many
/// as there are transitions.
const AGAIN: usize = 64;
/// The same where a search has had the same processes for long, and so will have for longer still.
const AGAIN_SETTLED: usize = 256;
/// Most successors of one state by steps of single processes, for which there is always room.
const MANY: usize = 1 << 10;

/// Processes that share a function, the youngest first.
pub(crate) type Group = Vec<Member>;

/// A process whose place is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub pid: u8,
    pub proctype: ProctypeId,
    /// Where its frame starts.
    pub at: u32,
}

/// The groups of a model; none if its processes cannot have fixed places, or if that takes too much code.
pub(crate) fn groups(plan: &Plan<'_>) -> Vec<Group> {
    let short = plan.len.is_some_and(|len| (8..=SHORT).contains(&len));
    let members = members(plan);
    let mut sizes = vec![0; plan.model.proctypes.len()];
    plan.ordinary().filter(|id| plan.list.contains(id)).for_each(|id| sizes[id.index()] = size(plan, id));
    let size = |m: &Member| sizes[m.proctype.index()];
    let code: usize = members.iter().map(size).sum();
    let distinct: usize = sizes.iter().sum();
    let again = if plan.settled { AGAIN_SETTLED } else { AGAIN };
    if !short || members.iter().any(|m| size(m) > HUGE) || code > distinct + distinct.max(again) || most(plan) > MANY {
        return Vec::new();
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut room = 0;
    for &member in members.iter().rev() {
        let size = size(&member);
        match groups.last_mut() {
            Some(group) if size <= room => {
                group.push(member);
                room -= size;
            }
            _ => {
                groups.push(vec![member]);
                room = LARGE.saturating_sub(size);
            }
        }
    }
    groups
}

/// Most successors of one state by steps of single processes.
pub(crate) fn most(plan: &Plan<'_>) -> usize {
    let most = |p: &Proctype| p.locs.iter().map(|l| l.out.len()).max().unwrap_or(0);
    plan.list.iter().map(|&id| most(plan.model.proctype(id))).sum()
}

/// The processes whose places are fixed.
fn members(plan: &Plan<'_>) -> Vec<Member> {
    let mut at = plan.model.layout.processes;
    let member = |(i, proctype): (usize, ProctypeId)| {
        let member = Member { pid: i as u8, proctype, at };
        at += plan.model.layout.frames[proctype.index()].total;
        member
    };
    plan.list.iter().copied().enumerate().map(member).collect()
}

/// The transitions that a process of a type may take.
fn size(plan: &Plan<'_>, id: ProctypeId) -> usize {
    let (locs, reached) = (&plan.model.proctype(id).locs, &plan.reached[id.index()]);
    let mut out: Vec<_> = locs.iter().zip(reached).filter(|(_, r)| **r).flat_map(|(l, _)| &l.out).collect();
    out.sort_unstable();
    out.dedup();
    out.len()
}
