//! Runs that go on for ever in one decoupled state, or end there: a leaf that goes round, a standstill, and a step that has
//! no meaning, before which a run stays for ever.

use crate::leaves::leaf_set::PartyId;
use crate::leaves::sets::FrameId;
use crate::steps::core::{Core, Flow, room};
use crate::steps::product::Product;
use crate::steps::segment::{How, Link};
use rapidhash::RapidHashMap;
use starwheel_model::Pid;

/// Leaf steps that come back to a frame.
pub struct Circle {
    /// The process.
    pub pid: Pid,
    /// The frame.
    pub frame: FrameId,
    /// The steps.
    pub links: Vec<Link>,
}

/// A leaf that can go round by itself, if there is one. The product must be closed.
pub fn circle(core: &mut Core<'_>, at: &Product) -> Flow<Option<Circle>> {
    for (i, &party) in at.parties.iter().enumerate() {
        if core.circles(party, &at.center)?
            && let Some((frame, links)) = round(core, party, &at.center)?
        {
            return Flow::Continue(Some(Circle { pid: Pid(i as u8), frame, links }));
        }
    }
    Flow::Continue(None)
}

/// True if a leaf can go round by itself. The product must be closed.
pub fn goes_round(core: &mut Core<'_>, at: &Product) -> Flow<bool> {
    for &party in &at.parties {
        if core.circles(party, &at.center)? {
            return Flow::Continue(true);
        }
    }
    Flow::Continue(false)
}

/// True if leaf steps of a party come back to a frame, found depth first.
pub fn goes_back(core: &mut Core<'_>, id: PartyId, center: &[u8]) -> Flow<bool> {
    // True while a frame is on the path.
    let mut seen: RapidHashMap<FrameId, bool> = RapidHashMap::default();
    let party = core.parties.keep(id);
    let mut survey = core.survey(center);
    for start in core.sets.list(party.set) {
        // A frame is put on the path when it comes up first, and taken away when it comes up again.
        let mut todo = vec![start];
        while let Some(&frame) = todo.last() {
            if let Some(on_path) = seen.get_mut(&frame) {
                *on_path = false;
                todo.pop();
                continue;
            }
            seen.insert(frame, true);
            let mut next = Vec::new();
            core.leaf_moves(&mut survey, &party, frame, &mut next)?;
            if next.iter().any(|to| seen.get(to) == Some(&true)) {
                return Flow::Continue(true);
            }
            todo.extend(next.into_iter().filter(|to| !seen.contains_key(to)));
        }
    }
    Flow::Continue(false)
}

/// A frame on the path of a depth-first search.
struct Stop {
    frame: FrameId,
    /// The steps that led here.
    links: Vec<Link>,
    /// What comes next.
    next: Vec<(FrameId, Vec<Link>)>,
}

/// Leaf steps of a party that come back to a frame, found depth first.
pub fn round(core: &mut Core<'_>, id: PartyId, center: &[u8]) -> Flow<Option<(FrameId, Vec<Link>)>> {
    // True while a frame is on the path.
    let mut seen: RapidHashMap<FrameId, bool> = RapidHashMap::default();
    let party = core.parties.keep(id);
    for start in core.sets.list(party.set) {
        if seen.contains_key(&start) {
            continue;
        }
        seen.insert(start, true);
        let next = leaf_steps(core, id, center, start)?;
        let mut path = vec![Stop { frame: start, links: Vec::new(), next }];
        while let Some(top) = path.last_mut() {
            let Some((frame, links)) = top.next.pop() else {
                seen.insert(top.frame, false);
                path.pop();
                continue;
            };
            match seen.get(&frame) {
                Some(false) => {}
                Some(true) => {
                    let from = path.iter().position(|s| s.frame == frame).unwrap_or(0);
                    let way = path[from + 1..].iter().flat_map(|s| s.links.iter().copied()).chain(links);
                    return Flow::Continue(Some((frame, way.collect())));
                }
                None => {
                    seen.insert(frame, true);
                    let next = leaf_steps(core, id, center, frame)?;
                    path.push(Stop { frame, links, next });
                }
            }
        }
    }
    Flow::Continue(None)
}

fn leaf_steps(core: &mut Core<'_>, id: PartyId, center: &[u8], frame: FrameId) -> Flow<Vec<(FrameId, Vec<Link>)>> {
    let party = core.parties.keep(id);
    let segment = core.segment(party.shape, center, party.pid, frame, &How::Free)?;
    let mut out = Vec::new();
    for outcome in segment.outcomes.into_iter().filter(|o| o.leaf) {
        let bytes = core.shapes.get(party.shape).frame(&outcome.state, party.pid);
        out.push((room(core.sets.frame(bytes))?, outcome.links));
    }
    Flow::Continue(out)
}
