//! Transitions that are never reduced, chosen so that every loop of every process passes one: the cycle proviso
//! [`Proviso::ByChoice`](crate::Proviso::ByChoice).
//!
//! R. Kurshan, V. Levin, M. Minea, D. Peled and H. Yenigün, "Static partial order reduction" (TACAS 1998): a cycle of the
//! whole system takes some process round a loop of its automaton, so on every cycle of the reduced system there is a state
//! all of whose steps are taken, and nobody is forgotten for ever. Which steps are chosen then depends on the state of the
//! system alone. So the reduced system is one fixed system, whatever search visits it, in whatever order, however often,
//! and together with whatever property automaton: the mistake that S. Siegel found in reductions on the fly of a product
//! (CAV 2019), where the choice depends on the automaton, cannot happen.

use rapidhash::RapidHashSet;
use starwheel_model::{LocId, Model, ProctypeId, Stmt, TransId};

/// The transitions that are never reduced.
pub struct Sticky {
    all: RapidHashSet<(ProctypeId, LocId, TransId)>,
}

impl Sticky {
    /// Chooses them; what `never` says about a transition that leaves a location is never reduced anyhow.
    pub fn new(model: &Model, never: impl Fn(ProctypeId, LocId, TransId) -> bool) -> Sticky {
        let mut all = RapidHashSet::default();
        for i in 0..model.proctypes.len() {
            let id = ProctypeId(i as u8);
            Loops {
                model,
                id,
                never: &|l, t| never(id, l, t),
                colour: vec![Colour::White; model.proctype(id).locs.len()],
            }
            .cut(&mut all);
        }
        Sticky { all }
    }

    /// Whether a transition that leaves a location is one of them.
    pub fn has(&self, proctype: ProctypeId, loc: LocId, trans: TransId) -> bool {
        self.all.contains(&(proctype, loc, trans))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    White,
    Open,
    Done,
}

struct Loops<'a> {
    model: &'a Model,
    id: ProctypeId,
    never: &'a dyn Fn(LocId, TransId) -> bool,
    colour: Vec<Colour>,
}

impl Loops<'_> {
    /// Adds the transitions that lead back into the path of a depth-first search.
    fn cut(&mut self, all: &mut RapidHashSet<(ProctypeId, LocId, TransId)>) {
        let start = self.model.proctype(self.id).start;
        for root in std::iter::once(start).chain((0..self.colour.len()).map(|i| LocId(i as u16))) {
            let mut path: Vec<(LocId, usize)> = Vec::new();
            if root.index() < self.colour.len() {
                self.open(root, &mut path);
            }
            while let Some((loc, next)) = path.last_mut() {
                let loc = *loc;
                let Some(&trans) = self.model.proctype(self.id).locs[loc.index()].out.get(*next) else {
                    self.colour[loc.index()] = Colour::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                let t = self.model.transition(trans);
                if t.stmt == Stmt::End || (self.never)(loc, trans) {
                    continue;
                }
                if self.colour[t.to.index()] == Colour::Open {
                    all.insert((self.id, loc, trans));
                }
                self.open(t.to, &mut path);
            }
        }
    }

    fn open(&mut self, loc: LocId, path: &mut Vec<(LocId, usize)>) {
        if self.colour[loc.index()] == Colour::White {
            self.colour[loc.index()] = Colour::Open;
            path.push((loc, 0));
        }
    }
}
