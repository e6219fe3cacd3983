//! Which words of a state a transition may change: a superset that is known before anything runs.

use crate::context::Written;
use crate::plan::{Home, Named, Plan};
use starwheel_model::{Expr, Model, Place, ProctypeId, RecvArg, Region, Stmt, Transition};

/// Any word.
const ANY: u64 = u64::MAX;

/// By transition.
pub(crate) fn written(plan: &Plan<'_>, claim: Option<ProctypeId>) -> Vec<Written> {
    plan.model.transitions.iter().map(|t| by(plan, t, claim.is_some())).collect()
}

/// The part of a table of all transitions that belongs to each process type.
pub(crate) fn by_proctype(model: &Model, written: &[Written]) -> Vec<(usize, Vec<Written>)> {
    let of = |id: usize| {
        let own = |t: &Transition| t.proctype.index() == id;
        let first = model.transitions.iter().position(own).unwrap_or(0);
        let end = model.transitions.iter().rposition(own).map_or(first, |last| last + 1);
        (first, written[first..end].to_vec())
    };
    (0..model.proctypes.len()).map(of).collect()
}

fn by(plan: &Plan<'_>, t: &Transition, claim: bool) -> Written {
    let header = plan.model.layout.header();
    // The location is in the first word of the frame.
    let mut list = List { plan, proctype: t.proctype, words: Written { global: 0, local: 1 } };
    if t.atomic || plan.model.uses.last {
        list.words.global |= words(header, 1);
    }
    if claim || t.stmt == Stmt::End {
        list.words.global = ANY;
    }
    t.resets.iter().for_each(|place| list.place(place, 1));
    t.stmt.walk_stmts(&mut |s| list.statement(s));
    t.stmt.walk(&mut |e| {
        if matches!(e, Expr::Run(_)) {
            list.words.global = ANY;
        }
    });
    list.words
}

/// The words of so many bytes.
fn words(at: u32, bytes: u32) -> u64 {
    let (first, end) = (at / 4, (at + bytes).div_ceil(4));
    if end > 64 { ANY } else { (first..end).fold(0, |bits, i| bits | 1 << i) }
}

struct List<'a> {
    plan: &'a Plan<'a>,
    proctype: ProctypeId,
    words: Written,
}

impl List<'_> {
    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign(place, _) => self.place(place, 1),
            Stmt::AssignArray(place, values) => self.place(place, values.len() as u32),
            Stmt::Send { channel, .. } => self.channel(channel),
            Stmt::Receive { channel, args, .. } => {
                self.channel(channel);
                for arg in args {
                    if let RecvArg::Bind(place) = arg {
                        self.place(place, 1);
                    }
                }
            }
            Stmt::SetPriority(..) => self.words.global = ANY,
            Stmt::Skip(_) | Stmt::Else | Stmt::Guard(_) | Stmt::Assert(_) | Stmt::Printf(..) | Stmt::Printm(_) => {}
            Stmt::DStep(_) | Stmt::Chain(_) | Stmt::End => {}
        }
    }

    /// Everything that a place with indices may be, so many values long.
    fn place(&mut self, place: &Place, values: u32) {
        let bytes = place.dims.iter().map(|d| d.len.saturating_sub(1) * d.stride).sum::<u32>();
        let bytes = bytes + values * place.ty.size();
        match place.region {
            Region::Global => self.global(self.plan.model.layout.globals_start() + place.offset, bytes),
            Region::Hidden => self.global(place.offset, bytes),
            Region::Local => self.local(place.offset, bytes),
        }
    }

    fn channel(&mut self, channel: &Expr) {
        let shapes = &self.plan.shapes;
        let bytes = |s: usize| match shapes[s].capacity {
            0 => 0,
            slots => starwheel_model::layout::CHANNEL_HEADER + u32::from(slots) * shapes[s].message,
        };
        match self.plan.named(self.proctype, channel) {
            Named::One(Home::Global(at, _), shape) => self.global(at, bytes(shape)),
            Named::One(Home::Local(_, at), shape) => self.local(at, bytes(shape)),
            Named::Some(list) if list.iter().all(|&s| shapes[s].capacity == 0) => {}
            Named::Some(_) => self.words.global = ANY,
        }
    }

    fn global(&mut self, at: u32, bytes: u32) {
        self.words.global |= words(at, bytes);
    }

    fn local(&mut self, at: u32, bytes: u32) {
        match words(at, bytes) {
            // Words that a shift would lose.
            ANY => self.words.global = ANY,
            bits => self.words.local |= bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_bytes() {
        assert_eq!(words(8, 1), 0b100);
        assert_eq!(words(7, 2), 0b110);
        assert_eq!(words(4, 0), 0);
        assert_eq!(words(252, 4), 1 << 63);
        assert_eq!(words(252, 5), ANY);
    }
}
