//! Which words of a state a transition may change: a superset that is known before anything runs.

use crate::context::Written;
use crate::plan::{Home, Named, Plan};
use starwheel_model::expr::Run;
use starwheel_model::footprint::{Bytes, Touch};
use starwheel_model::touch::{Account, Deal, Question, Resolver, Touched};
use starwheel_model::{Expr, Model, Place, ProctypeId, Transition};

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
    let layout = &plan.model.layout;
    // The location is in the first word of the frame.
    let words = Words { plan, proctype: t.proctype, words: Written { global: 0, local: 1 } };
    let mut account = Account::new(plan.model, t.proctype, words);
    account.transition(t);
    let mut out = account.resolver;
    if t.atomic || plan.model.uses.last {
        out.global(layout.header(), 1);
    }
    if claim {
        out.words.global = ANY;
    }
    let Touch { globals, hidden, locals, .. } = account.touched.writes;
    globals.iter().for_each(|(from, to)| out.global(layout.globals_start() + from, to - from));
    hidden.iter().for_each(|(from, to)| out.global(from, to - from));
    locals.iter().for_each(|(from, to)| out.local(from, to - from));
    out.words
}

/// The words of so many bytes.
fn words(at: u32, bytes: u32) -> u64 {
    let (first, end) = (at / 4, (at + bytes).div_ceil(4));
    if end > 64 { ANY } else { (first..end).fold(0, |bits, i| bits | 1 << i) }
}

/// Keeps words that may change.
struct Words<'a> {
    plan: &'a Plan<'a>,
    proctype: ProctypeId,
    words: Written,
}

impl Words<'_> {
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

impl Resolver for Words<'_> {
    fn piece(&mut self, place: &Place, count: u32) -> Bytes {
        place.constant_piece(count)
    }

    fn remote(&mut self, place: &Place) -> Bytes {
        place.widest(1)
    }

    /// Who only asks changes nothing.
    fn asks(&mut self, _touched: &mut Touched, _question: Question) {}

    fn channel(&mut self, _touched: &mut Touched, channel: &Expr, deal: Deal) {
        if matches!(deal, Deal::Ask | Deal::Copy) {
            return;
        }
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

    fn starts(&mut self, _touched: &mut Touched, _run: &Run) {
        self.words.global = ANY;
    }

    fn ends(&mut self, _touched: &mut Touched) {
        self.words.global = ANY;
    }

    fn sets_priority(&mut self, _touched: &mut Touched) {
        self.words.global = ANY;
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
