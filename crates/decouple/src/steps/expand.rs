//! The successors of a product: each party's steps in turn, split party by party in the order of execution.
//!
//! Two parties that take part in one step are never put together again across different first halves: every product that
//! is handed out holds only states that can be reached.

use crate::steps::core::{Core, Flow};
use crate::steps::image::{Effect, Group, Image, Move};
use crate::steps::product::Product;
use crate::steps::segment::How;
use rapidhash::RapidHashSet;
use starwheel_model::{Pid, Violation};
use std::rc::Rc;

/// How a product was reached: the last move, and those before it within the same step.
pub struct Via<'a> {
    /// The moves before the last one.
    pub earlier: &'a [Move],
    /// The product before the last move.
    pub before: &'a Product,
    /// Who moved last.
    pub pid: Pid,
    /// How that move began.
    pub how: &'a How,
    /// What it left behind; none if something went wrong in it.
    pub effect: Option<&'a Effect>,
    /// If something went wrong: true if it did in the first step, so that the state before is one that others see.
    pub first: bool,
}

/// What the search does with what is found.
pub trait Visitor {
    /// A product that a step leads to; its parties are not closed.
    fn successor(&mut self, core: &mut Core<'_>, after: Product, via: &Via<'_>) -> Flow;
    /// Something that goes wrong. With `given`, it does so in the half of the one who handed the message over.
    fn wrong(&mut self, core: &mut Core<'_>, violation: &Violation, given: bool, via: &Via<'_>) -> Flow;
    /// The images of all parties, once all successors without timeouts are known.
    fn done(&mut self, core: &mut Core<'_>, at: &Product, images: &[Rc<Image>]) -> Flow;
}

/// One expansion.
pub struct Expansion<'v, V> {
    /// Who wants to know.
    pub visitor: &'v mut V,
    earlier: Vec<Move>,
    /// Products that wait for a taker, by center, parties and message, so that endless handshakes come to an end.
    passed: RapidHashSet<(Product, starwheel_model::Handover)>,
}

/// Finds all successors of a product.
pub fn expand<V: Visitor>(core: &mut Core<'_>, at: &Product, visitor: &mut V) -> Flow {
    let mut expansion = Expansion { visitor, earlier: Vec::new(), passed: RapidHashSet::default() };
    let mut images = Vec::with_capacity(at.parties.len());
    for (i, &party) in at.parties.iter().enumerate() {
        let image = core.image(party, &at.center, &How::Free)?;
        expansion.all(core, at, Pid(i as u8), &How::Free, &image)?;
        images.push(image);
    }
    expansion.visitor.done(core, at, &images)
}

/// Finds the successors of a product in which nothing can happen but by `timeout`.
pub fn expand_timeout<V: Visitor>(core: &mut Core<'_>, at: &Product, visitor: &mut V) -> Flow {
    let mut expansion = Expansion { visitor, earlier: Vec::new(), passed: RapidHashSet::default() };
    for (i, &party) in at.parties.iter().enumerate() {
        let image = core.image(party, &at.center, &How::Timeout)?;
        expansion.all(core, at, Pid(i as u8), &How::Timeout, &image)?;
    }
    Flow::Continue(())
}

impl<V: Visitor> Expansion<'_, V> {
    fn all(&mut self, core: &mut Core<'_>, before: &Product, pid: Pid, how: &How, image: &Image) -> Flow {
        for fault in &image.faults {
            if let Some(before) = core.restrict(before, before.clone(), pid, &fault.conditions)? {
                core.runner.mark(&fault.marks);
                let first = fault.first && self.earlier.is_empty();
                let via = Via { earlier: &self.earlier, before: &before, pid, how, effect: None, first };
                match &fault.violation {
                    Some(violation) => self.visitor.wrong(core, violation, false, &via)?,
                    None => core.runner.round = true,
                }
            }
        }
        for group in &image.groups {
            self.group(core, before, pid, how, group)?;
        }
        Flow::Continue(())
    }

    fn group(&mut self, core: &mut Core<'_>, before: &Product, pid: Pid, how: &How, group: &Group) -> Flow {
        let Some(after) = core.apply(before, pid, group)? else { return Flow::Continue(()) };
        let effect = &group.effect;
        match &effect.pending {
            None => {
                core.runner.mark(&group.marks);
                let via = Via { earlier: &self.earlier, before, pid, how, effect: Some(effect), first: false };
                self.visitor.successor(core, after, &via)
            }
            Some(offer) => {
                if !self.earlier.is_empty() && !self.passed.insert((after.clone(), offer.clone())) {
                    core.runner.round = true;
                    return Flow::Continue(());
                }
                let before = Rc::new(before.clone());
                self.earlier.push(Move { pid, how: how.clone(), before, effect: effect.clone() });
                let flow = self.partners(core, &after, pid, &How::Take(offer.clone()), group);
                self.earlier.pop();
                flow
            }
        }
    }

    /// Everybody who takes the message.
    fn partners(&mut self, core: &mut Core<'_>, at: &Product, sender: Pid, how: &How, group: &Group) -> Flow {
        for i in (0..at.parties.len()).filter(|&i| i != sender.index()) {
            let image = core.image(at.parties[i], &at.center, how)?;
            if image.groups.is_empty() && image.faults.is_empty() {
                continue;
            }
            core.runner.mark(&group.marks);
            for violation in &group.wrong {
                let pid = Pid(i as u8);
                let via = Via { earlier: &self.earlier, before: at, pid, how, effect: None, first: false };
                self.visitor.wrong(core, violation, true, &via)?;
            }
            if !group.broken {
                self.all(core, at, Pid(i as u8), how, &image)?;
            }
        }
        Flow::Continue(())
    }
}
