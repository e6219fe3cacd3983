//! Whole lists, strings and sets: joining, pieces, SDL's operators of STRING and POWERSET, and truth bit by bit.

use super::assign::{put, step};
use super::place::within;
use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use crate::sorts::{BOOL, INTEGER, SortId, SortKind};
use starwheel_base::Span;

impl<'a> Lower<'a> {
    /// True if an expression is this name, and nobody has taken the name for something else.
    pub fn is_word(&self, e: &Expr, word: &str, here: &Here) -> bool {
        let ExprKind::Name(n) = &e.kind else { return false };
        n.key == word
            && self.variable(here.frame, word).is_none()
            && self.procedure(here.frame, word).is_none()
            && !self.structure.operators.iter().any(|o| o.name.key == word)
    }

    /// A list without a lower bound of the same elements, to build a value in.
    fn open_list(&mut self, sort: SortId) -> SortId {
        let SortKind::List { element, most, first, .. } = *self.sorts.kind(sort) else { return sort };
        let kind = SortKind::List { element, least: 0, most: most.max(1), first };
        if *self.sorts.kind(sort) == kind {
            return sort;
        }
        match self.sorts.list.iter().position(|s| s.kind == kind) {
            Some(id) => id,
            None => {
                let name = format!("{}_open", self.sorts.name(sort));
                self.sorts.add(&name, kind)
            }
        }
    }

    /// `a // b`, built in a scratch variable: `to` may occur in both.
    #[allow(clippy::too_many_arguments)]
    pub fn concat(
        &mut self,
        to: &Place,
        sort: SortId,
        a: &Expr,
        b: &Expr,
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let open = self.open_list(sort);
        let scratch = Self::place_of(self.scratch(open));
        self.append(&scratch, open, a, here, out)?;
        self.append(&scratch, open, b, here, out)?;
        self.copy(to, sort, &scratch, open, span, out)
    }

    /// Appends a value to a list.
    fn append(&mut self, list: &Place, sort: SortId, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<()> {
        if let ExprKind::Binary(Binary::Concat, a, b) = &e.kind {
            self.append(list, sort, a, here, out)?;
            return self.append(list, sort, b, here, out);
        }
        let SortKind::List { element, most, .. } = *self.sorts.kind(sort) else { return None };
        let bytes: Vec<Expr>;
        let items = match &e.kind {
            ExprKind::List(items) => Some(items.as_slice()),
            ExprKind::Apply(f, items) if items.len() == 1 && self.is_word(f, "mkstring", here) => {
                Some(items.as_slice())
            }
            ExprKind::Octets(o, _) => {
                bytes = numbers(o, e.span);
                Some(bytes.as_slice())
            }
            ExprKind::Text(t) => {
                bytes = numbers(t.as_bytes(), e.span);
                Some(bytes.as_slice())
            }
            _ => None,
        };
        let len = step(list, Step::Len);
        let room = StmtKind::Assert {
            what: Ex::bin(Binary::Lt, Ex::Get(len.clone()), Ex::Num(most)),
            why: format!("a list has no room for more than {most} elements"),
        };
        let next = step(list, Step::At(Ex::Get(len.clone())));
        let more = put(&len, Ex::bin(Binary::Add, Ex::Get(len.clone()), Ex::Num(1)), e.span);
        if let Some(items) = items {
            for v in items {
                out.push(Stmt { kind: room.clone(), span: e.span });
                self.assign(&next, element, v, here, out)?;
                out.push(more.clone());
            }
            return Some(());
        }
        let hint = self.hint(e, here).filter(|s| matches!(self.sorts.kind(*s), SortKind::List { .. })).or(Some(sort));
        let (from, other) = self.value(e, hint, here, out)?;
        let SortKind::List { element: e2, .. } = *self.sorts.kind(other) else {
            self.error("sort", e.span, "a list must stand here".to_string());
            return None;
        };
        let index = Self::place_of(self.scratch(INTEGER));
        let mut body = vec![Stmt { kind: room, span: e.span }];
        self.copy(&next, element, &step(&from, Step::At(Ex::Get(index.clone()))), e2, e.span, &mut body)?;
        body.push(more);
        body.push(put(&index, Ex::bin(Binary::Add, Ex::Get(index.clone()), Ex::Num(1)), e.span));
        let when = Ex::bin(Binary::Lt, Ex::Get(index.clone()), self.length(&from, other));
        out.push(put(&index, Ex::Num(0), e.span));
        out.push(Stmt { kind: StmtKind::While { when, body }, span: e.span });
        Some(())
    }

    #[allow(clippy::too_many_arguments)]
    pub fn slice(
        &mut self,
        to: &Place,
        sort: SortId,
        f: &Expr,
        first: &Expr,
        last: &Expr,
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let (from, other) = self.place_read(f, here, out)?;
        let SortKind::List { first: base, .. } = *self.sorts.kind(other) else {
            self.error("sort", f.span, "a list must stand here".to_string());
            return None;
        };
        let a = self.scalar(first, Some(INTEGER), here, out)?.ex;
        let b = self.scalar(last, Some(INTEGER), here, out)?.ex;
        self.piece((to, sort), (&from, other), (minus(a, base), minus(b, base)), span, out)
    }

    /// The elements of a list between two places, both counted from 0 and included.
    fn piece(
        &mut self,
        (to, sort): (&Place, SortId),
        (from, other): (&Place, SortId),
        (a, b): (Ex, Ex),
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let SortKind::List { element: e2, .. } = *self.sorts.kind(other) else { return None };
        let open = self.open_list(sort);
        let SortKind::List { element, most, .. } = *self.sorts.kind(open) else {
            self.error("sort", span, "a piece of a list cannot stand here".to_string());
            return None;
        };
        let inside = Ex::bin(
            Binary::And,
            Ex::bin(Binary::Ge, a.clone(), Ex::Num(0)),
            Ex::bin(Binary::Lt, b.clone(), self.length(from, other)),
        );
        out.push(Stmt { kind: StmtKind::Assert { what: inside, why: "index out of range".into() }, span });
        let scratch = Self::place_of(self.scratch(open));
        let (index, end) = (Self::place_of(self.scratch(INTEGER)), Self::place_of(self.scratch(INTEGER)));
        out.push(put(&index, a, span));
        out.push(put(&end, b, span));
        let len = step(&scratch, Step::Len);
        let what = Ex::bin(Binary::Lt, Ex::Get(len.clone()), Ex::Num(most));
        let why = format!("a list has no room for more than {most} elements");
        let mut body = vec![Stmt { kind: StmtKind::Assert { what, why }, span }];
        let source = step(from, Step::At(Ex::Get(index.clone())));
        self.copy(&step(&scratch, Step::At(Ex::Get(len.clone()))), element, &source, e2, span, &mut body)?;
        body.push(put(&len, Ex::bin(Binary::Add, Ex::Get(len.clone()), Ex::Num(1)), span));
        body.push(put(&index, Ex::bin(Binary::Add, Ex::Get(index.clone()), Ex::Num(1)), span));
        let when = Ex::bin(Binary::Le, Ex::Get(index.clone()), Ex::Get(end));
        out.push(Stmt { kind: StmtKind::While { when, body }, span });
        self.copy(to, sort, &scratch, open, span, out)
    }

    /// The operators of STRING and POWERSET that give whole values; nothing if it is none of them.
    #[allow(clippy::too_many_arguments)]
    pub fn string_operator(
        &mut self,
        to: &Place,
        sort: SortId,
        name: &Name,
        args: &[Expr],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<Option<()>> {
        let SortKind::List { element, least, most, .. } = *self.sorts.kind(sort) else { return None };
        match (name.key.as_str(), args) {
            ("mkstring", [_]) => Some(self.assign_list(to, sort, args, (element, least, most), span, here, out)),
            ("substring", [list, first, count]) => Some(self.substring((to, sort), list, (first, count), here, out)),
            _ => None,
        }
    }

    /// `substring(list, first, count)`.
    fn substring(
        &mut self,
        to: (&Place, SortId),
        list: &Expr,
        (first, count): (&Expr, &Expr),
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let hint = self.hint(list, here).or(Some(to.1));
        let (from, other) = self.value(list, hint, here, out)?;
        let SortKind::List { first: base, .. } = *self.sorts.kind(other) else {
            self.error("sort", list.span, "a string must stand here".to_string());
            return None;
        };
        let a = minus(self.scalar(first, Some(INTEGER), here, out)?.ex, base);
        let n = self.scalar(count, Some(INTEGER), here, out)?.ex;
        if !matches!(n, Ex::Num(0..)) {
            let why = "a piece of a string has no negative length".to_string();
            let what = Ex::bin(Binary::Ge, n.clone(), Ex::Num(0));
            out.push(Stmt { kind: StmtKind::Assert { what, why }, span: count.span });
        }
        let b = minus(Ex::bin(Binary::Add, a.clone(), n), 1);
        self.piece(to, (&from, other), (a, b), list.span, out)
    }

    /// Assigns to a set what only sets know; `Some(false)` if the value is none of that.
    pub fn assign_set(&mut self, to: &Place, sort: SortId, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<bool> {
        let SortKind::Set { of, lo, .. } = *self.sorts.kind(sort) else { return Some(false) };
        match &e.kind {
            ExprKind::List(items) => {
                self.clear(to, sort, e.span, out);
                for v in items {
                    self.put_member(to, (of, lo), v, 1, here, out)?;
                }
                Some(true)
            }
            ExprKind::Apply(f, args) if args.len() == 2 => {
                let value = match (self.is_word(f, "incl", here), self.is_word(f, "del", here)) {
                    (true, _) => 1,
                    (_, true) => 0,
                    _ => return Some(false),
                };
                if self.mentions(&args[0], to.var, here, 0) && !self.is_same(&args[1], to, here) {
                    // The element is read before the set is written.
                    let scratch = Self::place_of(self.scratch(sort));
                    self.assign(&scratch, sort, &args[1], here, out)?;
                    self.put_member(&scratch, (of, lo), &args[0], value, here, out)?;
                    self.copy(to, sort, &scratch, sort, e.span, out)?;
                    return Some(true);
                }
                self.assign(to, sort, &args[1], here, out)?;
                self.put_member(to, (of, lo), &args[0], value, here, out)?;
                Some(true)
            }
            _ => Some(false),
        }
    }

    /// True if an expression is the place itself.
    fn is_same(&self, e: &Expr, place: &Place, here: &Here) -> bool {
        match &e.kind {
            ExprKind::Name(n) => self.variable(here.frame, &n.key).is_some_and(|v| v.0 == *place),
            _ => false,
        }
    }

    fn put_member(
        &mut self,
        set: &Place,
        (of, lo): (SortId, i64),
        e: &Expr,
        value: i64,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let v = self.scalar(e, Some(of), here, out)?;
        self.bounds_check(&v, of, e.span)?;
        if let Some((lo, hi)) = self.sorts.bounds(of).filter(|(lo, hi)| v.lo < *lo || v.hi > *hi) {
            let why = format!("value outside of {lo} .. {hi}");
            out.push(Stmt { kind: StmtKind::Assert { what: within(&v.ex, lo, hi), why }, span: e.span });
        }
        out.push(put(&step(set, Step::At(minus(v.ex, lo))), Ex::Num(value), e.span));
        Some(())
    }

    /// `e in set`: what lies outside of the range of the set is not in it.
    pub fn in_set(&mut self, e: &Expr, set: &Place, sort: SortId, here: &Here, out: &mut Vec<Stmt>) -> Option<Ex> {
        let SortKind::Set { of, lo, len } = *self.sorts.kind(sort) else { return None };
        let v = self.scalar(e, Some(of), here, out)?;
        if !self.compatible(v.sort, of) {
            self.error("sort", e.span, format!("a value of sort `{}` must stand here", self.sorts.name(of)));
            return None;
        }
        let inside = v.lo >= lo && v.hi < lo + len;
        let there = Ex::Get(step(set, Step::At(minus(v.ex.clone(), lo))));
        Some(if inside { there } else { Ex::bin(Binary::And, within(&v.ex, lo, lo + len - 1), there) })
    }

    /// The condition that a string or a set has no elements, where the other side says just that; it needs no variable.
    pub fn equals_empty(&self, other: &Expr, place: &Place, sort: SortId, here: &Here) -> Option<Ex> {
        let ExprKind::Name(n) = &other.kind else { return None };
        if self.variable(here.frame, &n.key).is_some() || !self.sorts.is_empty(&n.key) {
            return None;
        }
        match self.sorts.kind(sort) {
            SortKind::List { .. } => Some(self.length(place, sort).eq(0)),
            SortKind::Set { .. } => Some(self.members(place, sort).eq(0)),
            _ => None,
        }
    }

    /// How many elements a set has.
    pub fn members(&self, set: &Place, sort: SortId) -> Ex {
        let all = self.leaves(sort).into_iter().map(|l| Ex::Get(set.leaf(&l)));
        all.reduce(|a, b| Ex::bin(Binary::Add, a, b)).unwrap_or(Ex::Num(0))
    }

    /// One set is a part of another, or the other way; `None` for other orders of whole values.
    pub fn subset(&self, op: Binary, (x, y): (&Place, &Place), sort: SortId) -> Option<Ex> {
        let (small, large) = match op {
            Binary::Lt | Binary::Le => (x, y),
            Binary::Gt | Binary::Ge => (y, x),
            _ => return None,
        };
        let SortKind::Set { .. } = self.sorts.kind(sort) else { return None };
        let leaves = self.leaves(sort);
        let at = |p: &Place, l: &Leaf| Ex::Get(p.leaf(l));
        let inside = join(Binary::And, leaves.iter().map(|l| Ex::bin(Binary::Le, at(small, l), at(large, l))));
        if matches!(op, Binary::Le | Binary::Ge) {
            return Some(inside);
        }
        let more = join(Binary::Or, leaves.iter().map(|l| Ex::bin(Binary::Lt, at(small, l), at(large, l))));
        Some(Ex::bin(Binary::And, inside, more))
    }

    /// AND, OR, XOR, => and NOT of sets, and of lists and arrays of Boolean values of one length, element by element.
    pub fn assign_bits(&mut self, to: &Place, sort: SortId, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<()> {
        let truths = match *self.sorts.kind(sort) {
            SortKind::Set { .. } => true,
            SortKind::Array { element, .. } => element == BOOL,
            SortKind::List { element, least, most, .. } => self.sorts.kind(element) == &SortKind::Bool && least == most,
            _ => false,
        };
        let parts: Option<Vec<&Expr>> = match &e.kind {
            ExprKind::Binary(Binary::And | Binary::Or | Binary::Xor | Binary::Implies, a, b) => Some(vec![a, b]),
            ExprKind::Unary(Unary::Not, a) => Some(vec![a]),
            _ => None,
        };
        let (true, Some(parts)) = (truths, parts) else {
            self.refuse(e.span, "an operation on a whole list", "write a loop");
            return None;
        };
        let mut values = Vec::new();
        for part in parts {
            let (place, other) = self.value(part, Some(sort), here, out)?;
            if self.sorts.kind(other) != self.sorts.kind(sort) {
                self.error("sort", part.span, "these values are of different sorts".to_string());
                return None;
            }
            values.push(place);
        }
        for l in self.leaves(sort) {
            let at = |p: &Place| p.leaf(&l);
            let value = match (&e.kind, values.as_slice()) {
                (ExprKind::Binary(Binary::Xor, ..), [a, b]) => Ex::bin(Binary::Ne, Ex::Get(at(a)), Ex::Get(at(b))),
                (ExprKind::Binary(Binary::Implies, ..), [a, b]) => Ex::bin(Binary::Le, Ex::Get(at(a)), Ex::Get(at(b))),
                (ExprKind::Binary(op, ..), [a, b]) => Ex::bin(*op, Ex::Get(at(a)), Ex::Get(at(b))),
                (_, [a, ..]) => Ex::Get(at(a)).not(),
                _ => return None,
            };
            out.push(put(&at(to), value, e.span));
        }
        Some(())
    }

    /// FIRST or LAST of a list, as a place.
    pub fn end_of_list(&mut self, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<Option<(Place, SortId)>> {
        let (list, last) = self.end_word(e, here)?;
        let (place, sort) = match self.place(list, here, out) {
            Some(found) => found,
            None => return Some(None),
        };
        let SortKind::List { element, .. } = *self.sorts.kind(sort) else { return None };
        let len = self.length(&place, sort);
        if !matches!(len, Ex::Num(1..)) {
            let what = Ex::bin(Binary::Gt, len.clone(), Ex::Num(0));
            out.push(Stmt { kind: StmtKind::Assert { what, why: "the string is empty".to_string() }, span: e.span });
        }
        let at = if last { minus(len, 1) } else { Ex::Num(0) };
        Some(Some((step(&place, Step::At(at)), element)))
    }

    /// The list in `first(list)` and `last(list)`, and which of them it is.
    pub fn end_word<'e>(&self, e: &'e Expr, here: &Here) -> Option<(&'e Expr, bool)> {
        let ExprKind::Apply(f, args) = &e.kind else { return None };
        let [list] = args.as_slice() else { return None };
        let last = self.is_word(f, "last", here);
        let of = self.sort_of_place(list, here).filter(|_| last || self.is_word(f, "first", here))?;
        matches!(self.sorts.kind(of), SortKind::List { .. }).then_some((list, last))
    }
}

/// The characters of a text or the octets of a string, one by one.
pub fn numbers(bytes: &[u8], span: Span) -> Vec<Expr> {
    bytes.iter().map(|b| Expr { kind: ExprKind::Int((*b).into()), span }).collect()
}

/// A number less another one.
fn minus(e: Ex, n: i64) -> Ex {
    match e {
        e if n == 0 => e,
        Ex::Num(m) => Ex::Num(m - n),
        e => Ex::bin(Binary::Sub, e, Ex::Num(n)),
    }
}
