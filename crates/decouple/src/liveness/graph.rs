//! The decoupled states of a model as a graph with a letter at each node, expanded when they are first looked at.

use crate::liveness::claim::{Claim, LetterId};
use crate::states::space::{NodeId, Space};
use crate::steps::core::{Core, Flow};
use crate::steps::expand::{Via, Visitor, expand, expand_timeout};
use crate::steps::image::Image;
use crate::steps::inner_runs::{circle, goes_round};
use crate::steps::product::Product;
use crate::steps::settle::settle;
use crate::steps::stuck::Standstill;
use crate::trail::{Last, alone, along, first, product};
use starwheel_model::{Pid, Step, Violation, ViolationKind};
use std::rc::Rc;

/// What is known about a node.
#[derive(Debug)]
pub struct Known {
    /// Where center steps lead, each node once.
    pub next: Vec<NodeId>,
    /// What a claim reads there.
    pub letter: LetterId,
    /// True if some state of it has no step at all.
    still: bool,
    /// True if a step has no meaning in some state of it: runs that come there stay there.
    breaks: bool,
}

/// The graph.
pub struct Graph<'m> {
    /// The working parts.
    pub core: Core<'m>,
    /// All nodes.
    pub space: Space,
    /// What the letters are about.
    pub claim: Claim<'m>,
    known: Vec<Option<Rc<Known>>>,
    /// True if some runs could not be followed to their end.
    pub gap: bool,
    bytes: u64,
}

/// A way to stay in a node for ever.
pub struct Stay {
    /// The steps from the initial state.
    pub prefix: Vec<Step>,
    /// What is repeated; nothing if nothing can happen, one step without meaning if that is what would come next.
    pub cycle: Vec<Step>,
}

impl<'m> Graph<'m> {
    /// Without any node.
    pub fn new(core: Core<'m>, claim: Claim<'m>) -> Graph<'m> {
        Graph { core, space: Space::new(false), claim, known: Vec::new(), gap: false, bytes: 0 }
    }

    /// The node of the initial state.
    pub fn initial(&mut self) -> Flow<NodeId> {
        let mut product = first(&mut self.core)?;
        for party in &mut product.parties {
            *party = self.core.close(*party, &product.center)?;
        }
        self.space.number(&product)
    }

    /// What is known about a node.
    pub fn known(&mut self, id: NodeId) -> Flow<Rc<Known>> {
        let place = id.0 as usize;
        if let Some(Some(known)) = self.known.get(place) {
            return Flow::Continue(known.clone());
        }
        let known = Rc::new(self.look(id)?);
        self.bytes += 80 + 4 * known.next.len() as u64;
        if self.known.len() <= place {
            self.known.resize(place + 1, None);
        }
        self.known[place] = Some(known.clone());
        self.space.working = self.core.usage() + self.bytes;
        Flow::Continue(known)
    }

    /// What is known about a node that was looked at before.
    pub fn visited(&self, id: NodeId) -> Option<&Known> {
        self.known.get(id.0 as usize)?.as_deref()
    }

    fn look(&mut self, id: NodeId) -> Flow<Known> {
        let at = product(&self.space, id);
        let mut collector =
            Collector { space: &mut self.space, next: Vec::new(), still: false, breaks: false, gap: false };
        expand(&mut self.core, &at, &mut collector)?;
        let Collector { next, still, breaks, gap, .. } = collector;
        let letter = self.letter(&at);
        self.gap |= gap;
        Flow::Continue(Known { next, letter, still, breaks })
    }

    /// All states of a product have the same letter.
    fn letter(&mut self, at: &Product) -> LetterId {
        let core = &mut self.core;
        let some = |(i, &p): (usize, &_)| (Pid(i as u8), core.sets.first(core.parties.get(p).set));
        let frames: Vec<_> = at.parties.iter().enumerate().map(some).collect();
        let mut state = Vec::new();
        core.compose(at.shape, &at.center, &frames, &mut state);
        self.claim.letter(&mut core.runner.interp, &state)
    }

    /// The steps past these nodes to some state of the last one.
    pub fn way(&mut self, path: &[NodeId]) -> Flow<Vec<Step>> {
        let Some(&last) = path.last() else { return Flow::Continue(Vec::new()) };
        let (at, core) = (product(&self.space, last), &self.core);
        let frames = at.parties.iter().map(|&p| core.sets.first(core.parties.get(p).set)).collect();
        along(&mut self.core, &self.space, path, Last::Stuck(frames))
    }

    /// True if a run can stay in the node for ever.
    pub fn stays(&mut self, id: NodeId) -> Flow<bool> {
        let known = self.known(id)?;
        if known.still || known.breaks {
            return Flow::Continue(true);
        }
        let at = product(&self.space, id);
        goes_round(&mut self.core, &at)
    }

    /// A run past these nodes that stays in the last one for ever.
    pub fn stay(&mut self, path: &[NodeId]) -> Flow<Option<Stay>> {
        let Some(&last) = path.last() else { return Flow::Continue(None) };
        let at = product(&self.space, last);
        if let Some(circle) = circle(&mut self.core, &at)? {
            let core = &self.core;
            let mut frames: Vec<_> = at.parties.iter().map(|&p| core.sets.first(core.parties.get(p).set)).collect();
            frames[circle.pid.index()] = circle.frame;
            let prefix = along(&mut self.core, &self.space, path, Last::Stuck(frames))?;
            return Flow::Continue(Some(Stay { prefix, cycle: alone(circle.pid, &circle.links) }));
        }
        let mut finder = Finder { space: &self.space, path, found: None };
        match expand(&mut self.core, &at, &mut finder) {
            Flow::Break(Some(stop)) => Flow::Break(Some(stop)),
            _ => Flow::Continue(finder.found),
        }
    }
}

/// True if a run cannot go on after this.
fn breaks(violation: &Violation) -> bool {
    violation.kind == ViolationKind::RuntimeError
}

/// Collects what follows a node.
struct Collector<'a> {
    space: &'a mut Space,
    next: Vec<NodeId>,
    still: bool,
    breaks: bool,
    gap: bool,
}

impl Visitor for Collector<'_> {
    fn successor(&mut self, core: &mut Core<'_>, after: Product, via: &Via<'_>) -> Flow {
        let closed = settle(core, after, via)?;
        let id = self.space.number(&closed)?;
        if !self.next.contains(&id) {
            self.next.push(id);
        }
        Flow::Continue(())
    }

    fn wrong(&mut self, _: &mut Core<'_>, violation: &Violation, _: bool, via: &Via<'_>) -> Flow {
        if breaks(violation) {
            // In the middle of a step, the claim would see a state that is none of those that are represented.
            match via.first {
                true => self.breaks = true,
                false => self.gap = true,
            }
        }
        Flow::Continue(())
    }

    fn done(&mut self, core: &mut Core<'_>, at: &Product, images: &[Rc<Image>]) -> Flow {
        let Some(standstill) = Standstill::new(core, at, images, false)? else { return Flow::Continue(()) };
        self.still |= standstill.still().is_some();
        timeouts(core, at, &standstill, self)
    }
}

/// What follows because nothing else can happen.
fn timeouts(core: &mut Core<'_>, at: &Product, standstill: &Standstill, visitor: &mut impl Visitor) -> Flow {
    if core.model.uses.timeout {
        for product in standstill.products(core, at)? {
            expand_timeout(core, &product, visitor)?;
        }
    }
    Flow::Continue(())
}

/// Looks for a standstill, or for a step without meaning.
struct Finder<'a> {
    space: &'a Space,
    path: &'a [NodeId],
    found: Option<Stay>,
}

impl Visitor for Finder<'_> {
    fn successor(&mut self, _: &mut Core<'_>, _: Product, _: &Via<'_>) -> Flow {
        Flow::Continue(())
    }

    fn wrong(&mut self, core: &mut Core<'_>, violation: &Violation, given: bool, via: &Via<'_>) -> Flow {
        if !breaks(violation) || !via.first {
            return Flow::Continue(());
        }
        let mut prefix = along(core, self.space, self.path, Last::Wrong { violation, given, via })?;
        let cycle = prefix.pop().into_iter().collect();
        self.found = Some(Stay { prefix, cycle });
        Flow::Break(None)
    }

    fn done(&mut self, core: &mut Core<'_>, at: &Product, images: &[Rc<Image>]) -> Flow {
        let Some(standstill) = Standstill::new(core, at, images, false)? else { return Flow::Continue(()) };
        if let Some(frames) = standstill.still() {
            let prefix = along(core, self.space, self.path, Last::Stuck(frames))?;
            self.found = Some(Stay { prefix, cycle: Vec::new() });
            return Flow::Break(None);
        }
        timeouts(core, at, &standstill, self)
    }
}
