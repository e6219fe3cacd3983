//! Hidden globals: those that are scratch of single steps stay outside the compared part of a state, the others go into it.
//!
//! SPIN leaves every `hidden` variable out. If its value decides what happens after a state was stored, two states count as one
//! that are not, and what is found depends on the order of the search. A variable is *scratch* if each read of it has a write
//! before it in the same step: then no stored state's future depends on it.

use super::Lower;
use super::rewrite::{self, Rewrite};
use super::symbols::{Symbol, reserve, size_of};
use starwheel_base::Diagnostic;
use starwheel_model::{DStep, Place, RecvArg, Region, Stmt};
use std::ops::Range;

/// The bytes of a hidden variable.
struct Hidden(Range<u32>);

/// Counts how often a variable occurs.
struct Count<'a>(&'a Hidden, usize);

impl Rewrite for Count<'_> {
    fn place(&mut self, place: &mut Place) {
        self.1 += usize::from(self.0.is(place));
    }
}

impl Hidden {
    fn is(&self, place: &Place) -> bool {
        place.region == Region::Hidden && self.0.contains(&place.offset)
    }

    /// How often it occurs in a statement.
    fn occurrences(&self, stmt: &mut Stmt) -> usize {
        let mut count = Count(self, 0);
        rewrite::stmt(stmt, &mut count);
        count.1
    }

    /// How often it is only written in a statement, and whether all of it is.
    fn writes(&self, stmt: &Stmt) -> (usize, bool) {
        match stmt {
            Stmt::Assign(place, _) | Stmt::AssignArray(place, _) => {
                (usize::from(self.is(place)), self.is(place) && matches!(stmt, Stmt::Assign(..)) && self.whole(place))
            }
            Stmt::Receive { args, .. } => {
                let bound = |a: &&RecvArg| matches!(a, RecvArg::Bind(place) if self.is(place));
                (args.iter().filter(bound).count(), false)
            }
            _ => (0, false),
        }
    }

    fn whole(&self, place: &Place) -> bool {
        place.dims.is_empty() && place.offset == self.0.start && place.ty.size() == self.0.len() as u32
    }

    /// The occurrences in a statement that no stored state can show in, and whether the variable has been written after it.
    fn harmless(&self, stmt: &mut Stmt, mut written: bool) -> (usize, bool) {
        match stmt {
            Stmt::Chain(list) => {
                let mut sum = 0;
                for stmt in list {
                    let (count, now) = self.harmless(stmt, written);
                    (sum, written) = (sum + count, now);
                }
                (sum, written)
            }
            Stmt::DStep(body) => (self.harmless_inside(body, written), false),
            // What is printed changes no state.
            Stmt::Printf(..) | Stmt::Printm(_) => (self.occurrences(stmt), written),
            _ => {
                let (writes, whole) = self.writes(stmt);
                (if written { self.occurrences(stmt) } else { writes }, written || whole)
            }
        }
    }

    fn harmless_inside(&self, body: &mut DStep, written: bool) -> usize {
        // Where it has been written on all ways: taken for granted until a way is found on which it was not.
        let mut sure = vec![true; body.locs.len()];
        if let Some(first) = sure.first_mut() {
            *first = written;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (at, loc) in body.locs.iter().enumerate() {
                if sure[at] {
                    continue;
                }
                for to in loc.iter().filter(|t| !self.writes(&t.stmt).1).filter_map(|t| t.to) {
                    changed |= std::mem::replace(&mut sure[to as usize], false);
                }
            }
        }
        let each = |(loc, sure): (&mut Vec<_>, &bool)| {
            loc.iter_mut().map(|t: &mut starwheel_model::DTrans| self.harmless(&mut t.stmt, *sure).0).sum::<usize>()
        };
        body.locs.iter_mut().zip(&sure).map(each).sum()
    }
}

impl Lower<'_> {
    /// Takes hidden globals into the state whose values outlive a step and are read.
    pub fn keep_read(&mut self) {
        let hidden = |(i, s): (usize, &Symbol)| (s.read && s.region == Region::Hidden).then_some(i);
        let hidden: Vec<usize> = self.globals.iter().enumerate().filter_map(hidden).collect();
        for i in hidden {
            // Each look at one of them goes through the whole model.
            if self.watch.token().stopped() {
                return;
            }
            if !self.is_scratch(i) {
                self.keep(i);
            }
        }
    }

    /// The bytes of a global.
    fn bytes(&self, i: usize) -> Range<u32> {
        let s = &self.globals[i];
        s.offset..s.offset + size_of(&self.structs, &s.kind) * s.len.unwrap_or(1)
    }

    fn is_scratch(&mut self, i: usize) -> bool {
        let hidden = Hidden(self.bytes(i));
        let mut all = Count(&hidden, 0);
        rewrite::model(&mut self.model, &mut all);
        let all = all.1;
        let first: usize = self.model.init.iter().map(|s| hidden.writes(s).0).sum();
        let steps: usize = self.model.transitions.iter_mut().map(|t| hidden.harmless(&mut t.stmt, false).0).sum();
        first + steps == all
    }

    /// Moves a global into the compared part.
    fn keep(&mut self, i: usize) {
        let from = self.bytes(i);
        let Symbol { name, span, .. } = self.globals[i].clone();
        let message = format!("`{name}` is hidden, but what is read of it outlives a step: it is a part of the state");
        self.report(
            Diagnostic::warning("hidden-read", span, message)
                .advise("without it the answer would depend on the order of the search; leave out `hidden`"),
        );
        let (kind, len) = (self.globals[i].kind.clone(), self.globals[i].len);
        let to = reserve(&self.structs, &mut self.globals_used, &kind, len);
        let s = &mut self.globals[i];
        (s.region, s.offset) = (Region::Global, to);
        rewrite::model(&mut self.model, &mut Keep { from: Hidden(from), to });
    }
}

struct Keep {
    from: Hidden,
    to: u32,
}

impl Rewrite for Keep {
    fn place(&mut self, place: &mut Place) {
        if self.from.is(place) {
            (place.region, place.offset) = (Region::Global, place.offset - self.from.0.start + self.to);
        }
    }
}
