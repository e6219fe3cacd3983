//! Jumps that may lead back to where a transition has been: where it may turn out that it never ends.
//!
//! Labels are nodes, and control that gets from one to another by falling or by jumping is an arrow. A jump on a circle of
//! arrows whose label stands before it in the text may lead back, and there is such a jump on each circle.

use crate::machine::*;
use std::collections::{BTreeMap, BTreeSet};

/// Marks the jumps of a process that may lead back.
pub fn mark(process: &mut Process) {
    let mut flow = Flow::default();
    for code in codes(process) {
        flow.block(code, BTreeSet::new());
    }
    let jumps: Vec<bool> = flow.jumps.iter().map(|j| flow.leads_back(j)).collect();
    if !jumps.contains(&true) {
        return;
    }
    let (mut jump, mut number) = (jumps.into_iter(), 0);
    for code in codes(process) {
        rewrite(code, &mut jump, &mut number);
    }
}

/// All of its code, in a fixed order.
fn codes(process: &mut Process) -> impl Iterator<Item = &mut Vec<Stmt>> {
    let bodies = process.states.iter_mut().flat_map(|s| &mut s.triggers).map(|t| &mut t.body);
    std::iter::once(&mut process.start).chain(bodies)
}

/// The blocks inside of a statement.
fn inside(s: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match &mut s.kind {
        StmtKind::If { arms, otherwise, .. } => arms.iter_mut().map(|a| &mut a.1).chain(otherwise).collect(),
        StmtKind::Choose(list) => list.iter_mut().collect(),
        StmtKind::While { body, .. } | StmtKind::Atomic(body) => vec![body],
        _ => Vec::new(),
    }
}

/// Turns jumps into such that may lead back, in the order in which [`Flow`] met them.
fn rewrite(code: &mut [Stmt], jump: &mut impl Iterator<Item = bool>, number: &mut usize) {
    for s in code {
        if let StmtKind::Goto(to) = s.kind {
            if jump.next() == Some(true) {
                s.kind = StmtKind::Back { to, number: *number };
                *number += 1;
            }
            continue;
        }
        for block in inside(s) {
            rewrite(block, jump, number);
        }
    }
}

/// A jump: the labels that control may have passed last, where it leads, and how many labels stand before it.
struct Jump {
    from: BTreeSet<LabelId>,
    to: LabelId,
    place: usize,
}

#[derive(Default)]
struct Flow {
    arrows: BTreeMap<LabelId, BTreeSet<LabelId>>,
    /// In which order the labels stand.
    places: BTreeMap<LabelId, usize>,
    jumps: Vec<Jump>,
}

impl Flow {
    /// Goes through code that control reaches from these labels; those from which it gets behind the code.
    fn block(&mut self, code: &mut [Stmt], mut from: BTreeSet<LabelId>) -> BTreeSet<LabelId> {
        for s in code {
            match s.kind {
                StmtKind::Label(l) => {
                    let place = self.places.len();
                    self.places.insert(l, place);
                    self.arrow(&from, l);
                    from = BTreeSet::from([l]);
                }
                StmtKind::Goto(to) => {
                    self.arrow(&from, to);
                    self.jumps.push(Jump { from: std::mem::take(&mut from), to, place: self.places.len() });
                }
                StmtKind::Next(_) | StmtKind::Stop => from.clear(),
                _ => {
                    // Where no answer fits, and where a loop is over, it goes on behind.
                    let falls = !matches!(&s.kind, StmtKind::Choose(_) | StmtKind::If { otherwise: Some(_), .. });
                    let mut behind = if falls { from.clone() } else { BTreeSet::new() };
                    let blocks = inside(s);
                    let whole = blocks.is_empty();
                    for block in blocks {
                        behind.extend(self.block(block, from.clone()));
                    }
                    if !whole {
                        from = behind;
                    }
                }
            }
        }
        from
    }

    fn arrow(&mut self, from: &BTreeSet<LabelId>, to: LabelId) {
        for &l in from {
            self.arrows.entry(l).or_default().insert(to);
        }
    }

    fn leads_back(&self, jump: &Jump) -> bool {
        if self.places.get(&jump.to).is_none_or(|&place| place >= jump.place) {
            return false;
        }
        let (mut met, mut open) = (BTreeSet::from([jump.to]), vec![jump.to]);
        while let Some(l) = open.pop() {
            if jump.from.contains(&l) {
                return true;
            }
            let next = self.arrows.get(&l).into_iter().flatten();
            open.extend(next.filter(|l| met.insert(**l)));
        }
        false
    }
}
