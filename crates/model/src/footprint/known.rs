//! Which channels a channel expression may name: those of variables that are never assigned.

use super::Pieces;
use crate::expr::Expr;
use crate::ir::{ChanId, ChannelVar, Model, ProctypeId};
use crate::place::{Place, Region};
use crate::stmt::Stmt;

/// The variables that hold the same channel for ever.
pub struct Known<'m> {
    model: &'m Model,
    globals: Pieces,
    hidden: Pieces,
    /// By process type.
    locals: Vec<Pieces>,
}

impl<'m> Known<'m> {
    /// Looks at all assignments of a model.
    pub fn new(model: &'m Model) -> Known<'m> {
        let mut known = Known::among(model, model.transitions.iter().map(|t| (t.proctype, &t.stmt)));
        for t in &model.transitions {
            t.resets.iter().for_each(|place| known.assigned(Some(t.proctype), place, 1));
        }
        known
    }

    /// Looks at all assignments among these statements, which are all that there will be, and those that begin a process.
    pub fn among<'s>(model: &'m Model, statements: impl Iterator<Item = (ProctypeId, &'s Stmt)>) -> Known<'m> {
        let locals = vec![Pieces::default(); model.proctypes.len()];
        let mut known = Known { model, globals: Pieces::default(), hidden: Pieces::default(), locals };
        model.init.iter().for_each(|s| known.stmt(None, s));
        for (i, p) in model.proctypes.iter().enumerate() {
            let id = Some(ProctypeId(i as u8));
            p.params.iter().for_each(|place| known.assigned(id, place, 1));
            p.init.iter().for_each(|s| known.stmt(id, s));
        }
        for (proctype, stmt) in statements {
            known.stmt(Some(proctype), stmt);
        }
        known
    }

    fn assigned(&mut self, proctype: Option<ProctypeId>, place: &Place, count: u32) {
        let piece = place.constant_piece(count);
        match (place.region, proctype) {
            (Region::Global, _) => self.globals.add(piece),
            (Region::Hidden, _) => self.hidden.add(piece),
            (Region::Local, Some(id)) => self.locals[id.index()].add(piece),
            (Region::Local, None) => {}
        }
    }

    fn stmt(&mut self, proctype: Option<ProctypeId>, s: &Stmt) {
        s.walk_stmts(&mut |s| s.targets(&mut |place, count| self.assigned(proctype, place, count)));
    }

    /// The channels that an expression may name; none if they are not known.
    pub fn channels(&self, proctype: ProctypeId, e: &Expr) -> Option<Vec<ChanId>> {
        match e {
            Expr::Const(number, _) => {
                let index = usize::try_from(number.checked_sub(1)?).ok()?;
                Some(vec![self.model.global_channels.get(index)?.channel])
            }
            Expr::Load(place) => {
                let own = &self.model.proctype(proctype).channels;
                let (assigned, vars) = match place.region {
                    Region::Global => (&self.globals, &self.model.global_channels),
                    Region::Hidden => (&self.hidden, &self.model.global_channels),
                    Region::Local => (&self.locals[proctype.index()], own),
                };
                let wanted = Pieces::one(place.constant_piece(1));
                if assigned.meets(&wanted) {
                    return None;
                }
                let here =
                    |c: &&ChannelVar| c.place.region == place.region && wanted.meets_piece(c.place.constant_piece(1));
                let found: Vec<ChanId> = vars.iter().filter(here).map(|c| c.channel).collect();
                (!found.is_empty()).then_some(found)
            }
            _ => None,
        }
    }
}
