//! From a decoupled state to an ordinary run: the frames are chosen backwards, step by step, and the steps read forwards.
//!
//! Along the way of decoupled states, each move of a party is done again from each of its frames until one leads where
//! it should; between two center steps each leaf makes its own leaf steps, and the leaves do not disturb each other.

use crate::leaves::sets::FrameId;
use crate::states::space::{NodeId, Space};
use crate::steps::core::{Core, Flow, room};
use crate::steps::expand::{Via, Visitor, expand, expand_timeout};
use crate::steps::image::{Effect, Image, Move};
use crate::steps::product::Product;
use crate::steps::segment::{How, Link};
use crate::steps::settle::settle;
use crate::steps::stuck::Standstill;
use rapidhash::{RapidHashMap, RapidHashSet};
use starwheel_engine::Stop;
use starwheel_model::{Pid, Step, Violation};
use std::collections::VecDeque;
use std::rc::Rc;

/// Steps in reverse order of parties: each entry is what one process does without interruption.
type Moves = Vec<(Pid, Vec<Link>)>;

/// How a trail ends.
pub enum Last<'a> {
    /// In the state with these frames.
    Stuck(Vec<FrameId>),
    /// With something that goes wrong in the last move.
    Wrong {
        /// What.
        violation: &'a Violation,
        /// True if the one who handed the message over did it.
        given: bool,
        /// The last move.
        via: &'a Via<'a>,
    },
}

/// An ordinary trail that ends as said, from a node on.
pub fn trail(core: &mut Core<'_>, space: &Space, node: NodeId, last: Last<'_>) -> Flow<Vec<Step>> {
    along(core, space, &space.path(node), last)
}

/// An ordinary trail past these nodes, of which the first is the initial one, that ends as said in the last one.
pub fn along(core: &mut Core<'_>, space: &Space, path: &[NodeId], last: Last<'_>) -> Flow<Vec<Step>> {
    let mut reversed: Moves = Vec::new();
    let mut frames = match last {
        Last::Stuck(frames) => frames,
        Last::Wrong { violation, given, via } => wrong(core, violation, given, via, &mut reversed)?,
    };
    for (i, &at) in path.iter().enumerate().rev() {
        let from = i.checked_sub(1).map(|i| path[i]);
        undo(core, space, from, at, &mut frames, &mut reversed)?;
    }
    reversed.reverse();
    Flow::Continue(steps(&reversed))
}

/// Steps that lead round a cycle of nodes, perhaps several times, and the frames in its first node where they begin and end.
///
/// Each state of a node was reached from some state of the node before, so whoever goes back for ever must come to the same
/// frames again.
pub fn round(core: &mut Core<'_>, space: &Space, cycle: &[NodeId]) -> Flow<(Vec<FrameId>, Vec<Step>)> {
    let mut reversed: Moves = Vec::new();
    let mut frames = any(core, &product(space, cycle[0]));
    let mut known = RapidHashMap::default();
    loop {
        if let Some(end) = known.insert(frames.clone(), reversed.len()) {
            let mut moves = reversed.split_off(end);
            moves.reverse();
            return Flow::Continue((frames, steps(&moves)));
        }
        for i in (0..cycle.len()).rev() {
            let to = cycle[(i + 1) % cycle.len()];
            undo(core, space, Some(cycle[i]), to, &mut frames, &mut reversed)?;
        }
    }
}

/// Undoes the way to a node from the one before, or from the initial state.
fn undo(
    core: &mut Core<'_>,
    space: &Space,
    from: Option<NodeId>,
    to: NodeId,
    frames: &mut Vec<FrameId>,
    reversed: &mut Moves,
) -> Flow {
    let product = product(space, to);
    let (raw, moves) = match from {
        None => (first(core)?, Vec::new()),
        Some(from) => again(core, &crate::trail::product(space, from), &product)?,
    };
    go_home(core, &product, &raw, frames, reversed)?;
    for (i, m) in moves.iter().enumerate().rev() {
        let after = moves.get(i + 1).map_or(&raw, |n| &n.before);
        go_back(core, m, after, frames, reversed)?;
    }
    Flow::Continue(())
}

fn lost<T>(what: &str) -> Flow<T> {
    Flow::Break(Some(Stop::Internal(format!("a decoupled trail cannot be found again: {what}"))))
}

/// The product of a node.
pub fn product(space: &Space, id: NodeId) -> Product {
    let mut out = Product { shape: crate::topology::shape::ShapeId(0), center: Vec::new(), parties: Vec::new() };
    space.get(id, &mut out);
    out
}

/// The initial state as a product.
pub fn first(core: &mut Core<'_>) -> Flow<Product> {
    let mut state = Vec::new();
    starwheel_model::Stepper::initial(&mut core.runner.interp, &mut state);
    core.single(&state)
}

/// What one process does alone, as steps.
pub fn alone(pid: Pid, links: &[Link]) -> Vec<Step> {
    steps(&[(pid, links.to_vec())])
}

/// Joins what processes do one after the other into steps; the two halves of a handshake are neighbours.
fn steps(moves: &[(Pid, Vec<Link>)]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for &(pid, ref links) in moves {
        for &link in links {
            match link {
                Link::Alone(trans, timeout) => out.push(Step { pid, trans, partner: None, timeout }),
                Link::Give(trans) => out.push(Step { pid, trans, partner: None, timeout: false }),
                Link::Take(trans) => {
                    if let Some(step) = out.last_mut() {
                        step.partner = Some((pid, trans));
                    }
                }
            }
        }
    }
    out
}

/// The frames before the last move, in which something goes wrong.
fn wrong(
    core: &mut Core<'_>,
    violation: &Violation,
    given: bool,
    via: &Via<'_>,
    reversed: &mut Moves,
) -> Flow<Vec<FrameId>> {
    let before = via.before;
    let mut frames = any(core, before);
    let party = core.parties.keep(before.parties[via.pid.index()]);
    let mut found = None;
    for frame in core.sets.list(party.set) {
        let segment = core.segment(before.shape, &before.center, via.pid, frame, via.how)?;
        let flaw = segment.flaws.iter().find(|f| f.violation.as_ref() == Some(violation)).map(|f| f.links.clone());
        let taken = || segment.outcomes.first().map(|o| o.links[..1].to_vec());
        let broken = || segment.flaws.first().map(|f| f.links[..1].to_vec());
        if let Some(links) = if given { taken().or_else(broken) } else { flaw } {
            found = Some((frame, links));
            break;
        }
    }
    let Some((frame, links)) = found else { return lost("what goes wrong") };
    frames[via.pid.index()] = frame;
    reversed.push((via.pid, links));
    for (i, m) in via.earlier.iter().enumerate().rev() {
        let after = via.earlier.get(i + 1).map_or(before, |n| &n.before);
        go_back(core, m, after, &mut frames, reversed)?;
    }
    Flow::Continue(frames)
}

/// Any frame of each party.
fn any(core: &Core<'_>, at: &Product) -> Vec<FrameId> {
    at.parties.iter().map(|&p| core.sets.first(core.parties.get(p).set)).collect()
}

/// Undoes one move: the frame of the process that moved becomes one from which the move leads to where it is.
fn go_back(core: &mut Core<'_>, m: &Move, after: &Product, frames: &mut Vec<FrameId>, reversed: &mut Moves) -> Flow {
    let before = &m.before;
    let count = before.parties.len();
    let target = frames.get(m.pid.index()).copied().filter(|_| m.pid.index() < after.parties.len());
    let party = core.parties.keep(before.parties[m.pid.index()]);
    for frame in core.sets.list(party.set) {
        let segment = core.segment(before.shape, &before.center, m.pid, frame, &m.how)?;
        for outcome in &segment.outcomes {
            let (effect, own) = core.effect(&party, &before.center, outcome)?;
            if own == target && effect == m.effect {
                frames.resize(count, frame);
                frames[m.pid.index()] = frame;
                reversed.push((m.pid, outcome.links.clone()));
                return Flow::Continue(());
            }
        }
    }
    lost("a move")
}

/// Undoes the leaf steps that lead from a raw product to its closure.
fn go_home(core: &mut Core<'_>, closed: &Product, raw: &Product, frames: &mut [FrameId], reversed: &mut Moves) -> Flow {
    for (i, &party) in raw.parties.iter().enumerate() {
        let pid = Pid(i as u8);
        let sources = core.sets.list(core.parties.get(party).set);
        let Some((source, links)) = path(core, closed, pid, &sources, frames[i])? else { return lost("leaf steps") };
        frames[i] = source;
        if !links.is_empty() {
            reversed.push((pid, links));
        }
    }
    Flow::Continue(())
}

/// A shortest way by leaf steps from one of the sources to a frame.
fn path(
    core: &mut Core<'_>,
    at: &Product,
    pid: Pid,
    sources: &[FrameId],
    target: FrameId,
) -> Flow<Option<(FrameId, Vec<Link>)>> {
    let mut reached: Vec<(FrameId, usize, Vec<Link>)> = sources.iter().map(|&f| (f, usize::MAX, Vec::new())).collect();
    let mut seen: RapidHashSet<FrameId> = sources.iter().copied().collect();
    let mut queue: VecDeque<usize> = (0..reached.len()).collect();
    while let Some(number) = queue.pop_front() {
        if reached[number].0 == target {
            return Flow::Continue(Some(read(&reached, number)));
        }
        let segment = core.segment(at.shape, &at.center, pid, reached[number].0, &How::Free)?;
        for outcome in segment.outcomes.into_iter().filter(|o| o.leaf) {
            let frame = room(core.sets.frame(core.shapes.get(at.shape).frame(&outcome.state, pid)))?;
            if seen.insert(frame) {
                queue.push_back(reached.len());
                reached.push((frame, number, outcome.links));
            }
        }
    }
    Flow::Continue(None)
}

fn read(reached: &[(FrameId, usize, Vec<Link>)], end: usize) -> (FrameId, Vec<Link>) {
    let (mut at, mut parts) = (end, Vec::new());
    while reached[at].1 != usize::MAX {
        parts.push(&reached[at].2);
        at = reached[at].1;
    }
    (reached[at].0, parts.into_iter().rev().flatten().copied().collect())
}

/// The moves that lead from one decoupled state to another, and the product before its leaf steps.
fn again(core: &mut Core<'_>, from: &Product, to: &Product) -> Flow<(Product, Vec<Move>)> {
    let mut finder = Finder { to, found: None };
    match expand(core, from, &mut finder) {
        Flow::Break(Some(stop)) => Flow::Break(Some(stop)),
        _ => match finder.found {
            Some(found) => Flow::Continue(found),
            None => lost("a center step"),
        },
    }
}

/// Looks for one successor.
struct Finder<'a> {
    to: &'a Product,
    found: Option<(Product, Vec<Move>)>,
}

impl Visitor for Finder<'_> {
    fn successor(&mut self, core: &mut Core<'_>, after: Product, via: &Via<'_>) -> Flow {
        if after.shape != self.to.shape
            || after.center != self.to.center
            || settle(core, after.clone(), via)? != *self.to
        {
            return Flow::Continue(());
        }
        let mut moves = via.earlier.to_vec();
        let effect: &Effect = match via.effect {
            Some(effect) => effect,
            None => return lost("an effect"),
        };
        let before = Rc::new(via.before.clone());
        moves.push(Move { pid: via.pid, how: via.how.clone(), before, effect: effect.clone() });
        self.found = Some((after, moves));
        Flow::Break(None)
    }

    fn wrong(&mut self, _: &mut Core<'_>, _: &Violation, _: bool, _: &Via<'_>) -> Flow {
        Flow::Continue(())
    }

    fn done(&mut self, core: &mut Core<'_>, at: &Product, images: &[Rc<Image>]) -> Flow {
        if core.model.uses.timeout
            && let Some(standstill) = Standstill::new(core, at, images, false)?
        {
            for product in standstill.products(core, at)? {
                expand_timeout(core, &product, self)?;
            }
        }
        Flow::Continue(())
    }
}
