//! Expressions over numbers, with the sort and the bounds of their values.

use super::place::within;
use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use crate::sorts::{BOOL, INTEGER, PID, SortId, SortKind, TEXT, few};
use starwheel_base::{Diagnostic, Span};

/// A scalar: what computes it, its sort, and between which numbers it lies.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub ex: Ex,
    pub sort: SortId,
    pub lo: i64,
    pub hi: i64,
}

pub fn number(n: i64, sort: SortId) -> Scalar {
    Scalar { ex: Ex::Num(n), sort, lo: n, hi: n }
}

fn truth(ex: Ex) -> Scalar {
    Scalar { ex, sort: BOOL, lo: 0, hi: 1 }
}

impl<'a> Lower<'a> {
    /// A scalar; whatever must be done before it is read goes to `out`.
    pub fn scalar(&mut self, e: &Expr, expect: Option<SortId>, here: &Here, out: &mut Vec<Stmt>) -> Option<Scalar> {
        // A literal where one is expected, though a variable of quite another sort has the same name: `present(e) = b`.
        if let (ExprKind::Name(n), Some(sort)) = (&e.kind, expect)
            && let Some(v) = self.sorts.literal_in(sort, &n.key)
            && self.sort_of_place(e, here).is_some_and(|other| !self.compatible(other, sort))
        {
            return Some(number(v, sort));
        }
        if let Some((choice, _)) = self.present_of(e, here) {
            return self.present(choice, e.span, here, out);
        }
        if self.is_place(e, here) {
            let (place, sort) = self.place_read(e, here, out)?;
            return self.read(place, sort, e.span);
        }
        if let Some((value, sort)) = self.constant_part(e, here) {
            return self.scalar(&value, sort.or(expect), here, out);
        }
        match &e.kind {
            ExprKind::Int(n) if expect.is_some_and(|s| self.sorts.literal_in(s, &n.to_string()).is_some()) => {
                let sort = expect?;
                Some(number(self.sorts.literal_in(sort, &n.to_string())?, sort))
            }
            ExprKind::Int(n) => {
                let sort = expect.filter(|s| matches!(self.sorts.kind(*s), SortKind::Int { .. })).unwrap_or(INTEGER);
                Some(number(*n, sort))
            }
            ExprKind::Octets(_, n) => {
                let Some(n) = n else {
                    self.error("sort", e.span, "this is no number".to_string());
                    return None;
                };
                Some(number(*n, INTEGER))
            }
            ExprKind::Real => {
                self.refuse(e.span, "a number with a point (Real)", "count in smaller units");
                None
            }
            ExprKind::Text(t) => self.character(t, expect, e.span),
            ExprKind::Name(n) => self.name(n, expect, here, out),
            ExprKind::Apply(f, args) => self.apply(f, args, expect, e.span, here, out),
            ExprKind::Field(..) => {
                self.place(e, here, out)?;
                None
            }
            ExprKind::Unary(op, a) => self.unary(*op, a, e.span, here, out),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.span, here, out),
            ExprKind::If(c, a, b) => self.conditional(c, a, b, expect, here, out),
            ExprKind::Now => {
                let d = starwheel_base::Diagnostic::error("now", e.span, "NOW may be used in SET only");
                self.report(d.advise("a clock without bounds would make the number of states infinite: use a timer"));
                None
            }
            ExprKind::Implicit(i) => {
                match i {
                    Implicit::Sender => self.process.uses.sender = true,
                    Implicit::Parent => self.process.uses.parent = true,
                    Implicit::Offspring => self.process.uses.offspring = true,
                    Implicit::SelfPid => self.process.uses.own = true,
                }
                Some(Scalar { ex: Ex::Me(*i), sort: PID, lo: 0, hi: 255 })
            }
            ExprKind::Null => Some(number(0, PID)),
            ExprKind::Any(sort) => {
                let sort = self.sort(sort)?;
                let place = Self::place_of(self.scratch(sort));
                self.pick(&place, sort, e.span, out)?;
                self.read(place, sort, e.span)
            }
            ExprKind::Active(timer) => self.active(timer, here, out).map(truth),
            ExprKind::Event(name) => self.event(name).map(|e| truth(Ex::Event(Box::new(e)))),
            ExprKind::List(_) | ExprKind::Record(_) | ExprKind::Choice(..) => {
                self.error("sort", e.span, "a single value must stand here".to_string());
                None
            }
        }
    }

    /// Any value of a sort.
    pub fn pick(&mut self, place: &Place, sort: SortId, span: Span, out: &mut Vec<Stmt>) -> Option<()> {
        for l in self.leaves(sort) {
            let to = place.leaf(&l);
            let bounds = match l.path.last() {
                Some(Step::Len | Step::Tag) => None,
                _ if l.sort == TEXT => None,
                _ => self.sorts.bounds(l.sort),
            };
            match bounds {
                Some((lo, hi)) if hi - lo < 20_000 => {
                    out.push(Stmt { kind: StmtKind::Pick { to, lo, hi }, span });
                }
                Some((lo, hi)) => {
                    let name = self.sorts.name(l.sort).to_string();
                    let (few, listed) = few(lo, hi);
                    let text = format!("of the sort `{name}` only {listed} are tried: it has too many values");
                    self.report(Diagnostic::warning("many-values", span, text));
                    let put = |n: i64| Stmt {
                        kind: StmtKind::Assign { to: to.clone(), value: Ex::Num(n), check: None },
                        span,
                    };
                    out.push(Stmt { kind: StmtKind::Choose(few.into_iter().map(|n| vec![put(n)]).collect()), span });
                }
                _ => {
                    let what = format!("any value of the sort `{}`", self.sorts.name(sort));
                    self.refuse(span, &what, "use a sort with a small range");
                    return None;
                }
            }
        }
        Some(())
    }

    /// The choice in `c!present`, which is how SDL writes `present(c)`, and its sort.
    pub fn present_of<'e>(&self, e: &'e Expr, here: &Here) -> Option<(&'e Expr, SortId)> {
        let ExprKind::Field(choice, field) = &e.kind else { return None };
        let sort = self.sort_of_place(choice, here).filter(|_| field.key == "present")?;
        let SortKind::Choice(fields) = self.sorts.kind(sort) else { return None };
        (!fields.iter().any(|f| f.key == field.key)).then_some((&**choice, sort))
    }

    /// Which alternative of a choice is there.
    fn present(&mut self, choice: &Expr, span: Span, here: &Here, out: &mut Vec<Stmt>) -> Option<Scalar> {
        let (mut place, sort) = self.value(choice, None, here, out)?;
        if !matches!(self.sorts.kind(sort), SortKind::Choice(_)) {
            self.error("sort", choice.span, "PRESENT takes a choice".to_string());
            return None;
        }
        place.path.push(Step::Tag);
        let tag = self.sorts.tag_of(sort);
        self.read(place, tag, span)
    }

    fn read(&mut self, place: Place, sort: SortId, span: Span) -> Option<Scalar> {
        let Some((lo, hi)) = self.sorts.bounds(sort) else {
            let text = format!("a single value must stand here, not a `{}`", self.sorts.name(sort));
            self.error("sort", span, text);
            return None;
        };
        // A variable that was never set is 0.
        Some(Scalar { ex: Ex::Get(place), sort, lo: lo.min(0), hi: hi.max(0) })
    }

    fn character(&mut self, text: &str, expect: Option<SortId>, span: Span) -> Option<Scalar> {
        let mut chars = text.chars();
        match (chars.next(), chars.next(), expect) {
            (Some(c), None, Some(s)) if matches!(self.sorts.kind(s), SortKind::Int { .. }) && c.is_ascii() => {
                Some(number(c as i64, s))
            }
            (_, _, Some(TEXT)) => {
                let found = self.sorts.text(text);
                if found.is_none() {
                    self.refuse(span, "more than 255 different texts", "leave some of them out");
                }
                found.map(|n| number(n, TEXT))
            }
            _ => {
                self.error("sort", span, "a text cannot stand here".to_string());
                None
            }
        }
    }

    fn name(&mut self, n: &Name, expect: Option<SortId>, here: &Here, out: &mut Vec<Stmt>) -> Option<Scalar> {
        match n.key.as_str() {
            "true" => return Some(number(1, BOOL)),
            "false" => return Some(number(0, BOOL)),
            _ => {}
        }
        if let Some(sort) = expect
            && let Some(v) = self.sorts.literal_in(sort, &n.key)
        {
            return Some(number(v, sort));
        }
        if let Some(v) = self.constant(n, here, out) {
            return v;
        }
        let literals = self.sorts.literals(&n.key);
        if let Some(&(sort, v)) = literals.first() {
            if literals.iter().any(|l| l.1 != v) && expect.is_none() {
                self.error("ambiguous", n.span, format!("`{}` is a literal of several sorts", n.text));
                return None;
            }
            return Some(number(v, sort));
        }
        if let Some((frame, p)) = self.procedure(here.frame, &n.key) {
            let (place, sort) = self.call_value(frame, p, &[], n.span, here, out)?;
            return self.read(place, sort, n.span);
        }
        if let Some((frame, p)) = self.operator(&n.key, &[], expect, here) {
            let (place, sort) = self.call_value(frame, p, &[], n.span, here, out)?;
            return self.read(place, sort, n.span);
        }
        self.unknown(n, format!("there is nothing called `{}` here", n.text));
        None
    }

    /// The name of a constant; what a type of functions calls its own belongs to each of its instances.
    pub fn constant_key(&self, key: &str) -> String {
        let info = &self.structure.processes[self.me];
        let own = format!("{}_ctxt", info.name.key);
        let of_type = format!("{}_ctxt", info.text.name.key);
        if key == of_type && self.sorts.constants.contains_key(&own) { own } else { key.to_string() }
    }

    /// A field or an element of a structured constant, with its sort if that is known.
    pub fn constant_part(&mut self, e: &Expr, here: &Here) -> Option<(Expr, Option<SortId>)> {
        let (base, field, index) = match &e.kind {
            ExprKind::Field(base, field) => (base, Some(&field.key), None),
            ExprKind::Apply(base, args) if args.len() == 1 => (base, None, Some(self.sorts.number(&args[0])?)),
            _ => return None,
        };
        let (whole, sort) = match &base.kind {
            ExprKind::Name(n) if self.variable(here.frame, &n.key).is_none() => {
                let key = self.constant_key(&n.key);
                let value = self.sorts.constant_expr(&key, n.span)??;
                (value, self.sorts.constant_sort(&key))
            }
            ExprKind::Field(..) | ExprKind::Apply(..) => self.constant_part(base, here)?,
            _ => return None,
        };
        let inner = match (sort.map(|s| self.sorts.kind(s)), field) {
            (Some(SortKind::Struct(f)), Some(key)) => f.iter().find(|f| f.key == *key).map(|f| f.sort),
            (Some(SortKind::List { element, .. } | SortKind::Array { element, .. }), None) => Some(*element),
            _ => None,
        };
        let part = match (&whole.kind, field, index) {
            (ExprKind::Record(list), Some(key), _) => list.iter().find(|(n, _)| n.key == *key)?.1.clone(),
            (ExprKind::List(list), None, Some(i)) => {
                let first = match sort.map(|s| self.sorts.kind(s)) {
                    Some(SortKind::Array { lo, .. }) => *lo,
                    Some(SortKind::List { first, .. }) => *first,
                    _ => 0,
                };
                list.get(usize::try_from(i - first).ok()?)?.clone()
            }
            _ => return None,
        };
        Some((Expr { span: e.span, ..part }, inner))
    }

    /// A constant; `Some(None)` if it is one but has no number.
    fn constant(&mut self, n: &Name, here: &Here, out: &mut Vec<Stmt>) -> Option<Option<Scalar>> {
        let key = self.constant_key(&n.key);
        let value = self.sorts.constant_expr(&key, n.span)?;
        let sort = self.sorts.constant_sort(&key);
        let Some(value) = value else {
            let d = starwheel_base::Diagnostic::error("external", n.span, format!("nobody says what `{}` is", n.text));
            self.report(d.advise("write its value where it is declared as EXTERNAL"));
            return Some(None);
        };
        if let Some(v) = self.sorts.constant_number(&key, 0) {
            return Some(Some(number(v, sort.unwrap_or(INTEGER))));
        }
        // A constant that names itself would never end.
        if !self.spend() || matches!(&value.kind, ExprKind::Name(m) if m.key == n.key) {
            return Some(None);
        }
        Some(self.scalar(&value, sort, here, out))
    }

    fn unary(&mut self, op: Unary, a: &Expr, span: Span, here: &Here, out: &mut Vec<Stmt>) -> Option<Scalar> {
        let expect = if op == Unary::Not { BOOL } else { INTEGER };
        if self.hint(a, here).is_some_and(|s| !self.sorts.is_scalar(s)) {
            self.refuse(span, "an operation on a whole list", "write a loop");
            return None;
        }
        let v = self.scalar(a, Some(expect), here, out)?;
        match (op, self.sorts.kind(v.sort)) {
            (Unary::Not, SortKind::Bool) => Some(truth(v.ex.not())),
            (Unary::Minus, SortKind::Int { .. }) => Some(self.negative(v, span, out)),
            _ => {
                self.error("sort", a.span, format!("a value of sort `{}` cannot stand here", self.sorts.name(v.sort)));
                None
            }
        }
    }

    fn binary(
        &mut self,
        op: Binary,
        a: &Expr,
        b: &Expr,
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<Scalar> {
        use Binary::*;
        match op {
            Eq | Ne | Lt | Le | Gt | Ge => self.compare(op, a, b, here, out).map(truth),
            In => self.member(a, b, here, out).map(truth),
            Concat if texts(a).is_some() && texts(b).is_some() => {
                let text = texts(a).unwrap_or_default() + &texts(b).unwrap_or_default();
                self.character(&text, Some(TEXT), span)
            }
            Concat
                if [a, b]
                    .into_iter()
                    .any(|e| matches!(e.kind, ExprKind::Text(_)) || self.hint(e, here) == Some(TEXT)) =>
            {
                self.refuse(span, "joining texts", "use a list with a bound");
                None
            }
            Concat => {
                self.error("sort", span, "a list cannot stand here".to_string());
                None
            }
            Implies | Or | Xor | And => {
                if self.hint(a, here).is_some_and(|s| !self.sorts.is_scalar(s)) {
                    self.refuse(span, "an operation on a whole list", "write a loop");
                    return None;
                }
                let number = self.hint(a, here).or_else(|| self.hint(b, here));
                if op == Xor && number.is_some_and(|s| matches!(self.sorts.kind(s), SortKind::Int { .. })) {
                    return self.bitwise(a, b, here, out);
                }
                let x = self.condition(a, here, out)?;
                let y = self.condition(b, here, out)?;
                Some(truth(match op {
                    Implies => Ex::bin(Or, x.not(), y),
                    Xor => Ex::bin(Ne, x, y),
                    _ => Ex::bin(op, x, y),
                }))
            }
            Add | Sub | Mul | Div | Mod | Rem => {
                let x = self.integer(a, here, out)?;
                let y = self.integer(b, here, out)?;
                self.arithmetic(op, x, y, b.span, out)
            }
        }
    }

    /// Something that is true or false.
    pub fn condition(&mut self, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<Ex> {
        let v = self.scalar(e, Some(BOOL), here, out)?;
        if !matches!(self.sorts.kind(v.sort), SortKind::Bool) {
            self.error("condition", e.span, "this must be true or false".to_string());
            return None;
        }
        Some(v.ex)
    }

    pub fn integer(&mut self, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<Scalar> {
        let v = self.scalar(e, Some(INTEGER), here, out)?;
        if !matches!(self.sorts.kind(v.sort), SortKind::Int { .. }) {
            let text = format!("a number must stand here, not a `{}`", self.sorts.name(v.sort));
            self.error("sort", e.span, text);
            return None;
        }
        Some(v)
    }

    fn conditional(
        &mut self,
        c: &Expr,
        a: &Expr,
        b: &Expr,
        expect: Option<SortId>,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<Scalar> {
        let c = self.condition(c, here, out)?;
        let x = self.branch(a, expect, &c, here, out)?;
        let y = self.branch(b, expect.or(Some(x.sort)), &c.clone().not(), here, out)?;
        if !self.compatible(x.sort, y.sort) {
            self.error("sort", b.span, "both values must be of the same sort".to_string());
            return None;
        }
        let (lo, hi) = (x.lo.min(y.lo), x.hi.max(y.hi));
        let sort = if matches!(self.sorts.kind(x.sort), SortKind::Int { .. }) { INTEGER } else { x.sort };
        Some(Scalar { ex: Ex::If(Box::new(c), Box::new(x.ex), Box::new(y.ex)), sort, lo, hi })
    }

    /// One side of a conditional expression: its checks count only if it is chosen.
    fn branch(
        &mut self,
        e: &Expr,
        expect: Option<SortId>,
        when: &Ex,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<Scalar> {
        let mut code = Vec::new();
        let v = self.scalar(e, expect, here, &mut code)?;
        for s in code {
            match s.kind {
                StmtKind::Assert { what, why } => {
                    let what = Ex::bin(Binary::Or, when.clone().not(), what);
                    out.push(Stmt { kind: StmtKind::Assert { what, why }, span: s.span });
                }
                _ => {
                    self.refuse(e.span, "a call inside IF … THEN … ELSE", "use a decision");
                    return None;
                }
            }
        }
        Some(v)
    }

    pub fn compatible(&self, a: SortId, b: SortId) -> bool {
        match (self.sorts.kind(a), self.sorts.kind(b)) {
            (SortKind::Int { .. }, SortKind::Int { .. }) => true,
            // One has a range of the literals of the other.
            (SortKind::Enum(x), SortKind::Enum(y)) => {
                x.iter().all(|l| y.contains(l)) || y.iter().all(|l| x.contains(l))
            }
            (x, y) => x == y,
        }
    }

    /// A comparison of two values of any sort.
    pub fn compare(&mut self, op: Binary, a: &Expr, b: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<Ex> {
        if let Some(found) = self.in_state(op, a, b) {
            return found;
        }
        let (ha, hb) = (self.hint(a, here), self.hint(b, here));
        // If one side is a single value, the other one must be, too.
        let single = ha.filter(|s| self.sorts.is_scalar(*s)).or(hb.filter(|s| self.sorts.is_scalar(*s)));
        let literal = |l: &Self, e: &Expr| match (&e.kind, single) {
            (ExprKind::Name(n), Some(sort)) => l.sorts.literal_in(sort, &n.key).is_some(),
            _ => false,
        };
        // A number may be a literal of the other one's sort.
        let (ha, single) = match (&a.kind, hb) {
            (ExprKind::Int(n), Some(s)) if self.sorts.literal_in(s, &n.to_string()).is_some() => (hb, hb),
            _ => (ha, single),
        };
        let hint = if literal(self, a) || literal(self, b) { single } else { ha.or(hb) };
        if let Some(sort) = hint.filter(|s| !self.sorts.is_scalar(*s)) {
            return self.compare_whole(op, a, b, sort, here, out);
        }
        let x = self.scalar(a, hint, here, out)?;
        let y = self.scalar(b, Some(x.sort), here, out)?;
        if !self.compatible(x.sort, y.sort) {
            let text = format!("`{}` and `{}` cannot be compared", self.sorts.name(x.sort), self.sorts.name(y.sort));
            self.error("sort", b.span, text);
            return None;
        }
        if x.sort == TEXT && !matches!(op, Binary::Eq | Binary::Ne) {
            self.refuse(a.span, "the order of texts", "compare them by = and /= only");
            return None;
        }
        // `b = true` is `b`.
        match (op, &x.ex, &y.ex, self.sorts.kind(x.sort)) {
            (Binary::Eq, _, Ex::Num(1), SortKind::Bool) => Some(x.ex),
            (Binary::Eq, _, Ex::Num(0), SortKind::Bool) => Some(x.ex.not()),
            _ => Some(Ex::bin(op, x.ex, y.ex)),
        }
    }

    fn compare_whole(
        &mut self,
        op: Binary,
        a: &Expr,
        b: &Expr,
        sort: SortId,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<Ex> {
        let ordered = !matches!(op, Binary::Eq | Binary::Ne);
        if ordered && !matches!(self.sorts.kind(sort), SortKind::Set { .. }) {
            self.error("sort", a.span, "whole structures can be compared by = and /= only".to_string());
            return None;
        }
        let (x, sx) = self.value(a, Some(sort), here, out)?;
        if !ordered && let Some(empty) = self.equals_empty(b, &x, sx, here) {
            return Some(if op == Binary::Ne { empty.not() } else { empty });
        }
        let (y, sy) = self.value(b, Some(sort), here, out)?;
        if self.sorts.kind(sx) != self.sorts.kind(sy) {
            self.error("sort", b.span, "these values are of different sorts".to_string());
            return None;
        }
        if ordered {
            return self.subset(op, (&x, &y), sx);
        }
        // What is not there is zero, so whole lists can be compared number by number.
        let equal = self.leaves(sx).into_iter().map(|l| Ex::bin(Binary::Eq, Ex::Get(x.leaf(&l)), Ex::Get(y.leaf(&l))));
        let all = join(Binary::And, equal.collect::<Vec<_>>());
        Some(if op == Binary::Ne { all.not() } else { all })
    }

    fn member(&mut self, a: &Expr, b: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<Ex> {
        if let ExprKind::List(list) = &b.kind {
            let mut all = Vec::new();
            for e in list {
                all.push(self.compare(Binary::Eq, a, e, here, out)?);
            }
            return Some(join(Binary::Or, all));
        }
        let (place, sort) = self.value(b, None, here, out)?;
        if let SortKind::Set { .. } = self.sorts.kind(sort) {
            return self.in_set(a, &place, sort, here, out);
        }
        let SortKind::List { element, most, .. } = *self.sorts.kind(sort) else {
            self.error("sort", b.span, "IN takes a list".to_string());
            return None;
        };
        let v = self.scalar(a, Some(element), here, out)?;
        let len = self.length(&place, sort);
        let found = (0..most).map(|i| {
            let mut p = place.clone();
            p.path.push(Step::At(Ex::Num(i)));
            let same = Ex::bin(Binary::Eq, Ex::Get(p), v.ex.clone());
            match len {
                Ex::Num(_) => same,
                _ => Ex::bin(Binary::And, Ex::bin(Binary::Gt, len.clone(), Ex::Num(i)), same),
            }
        });
        Some(join(Binary::Or, found.collect::<Vec<_>>()))
    }

    fn apply(
        &mut self,
        f: &Expr,
        args: &[Expr],
        expect: Option<SortId>,
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<Scalar> {
        let ExprKind::Name(n) = &f.kind else {
            self.error("call", span, "this cannot be called".to_string());
            return None;
        };
        let found = self.procedure(here.frame, &n.key).or_else(|| self.operator(&n.key, args, expect, here));
        if let Some((frame, p)) = found {
            let (place, sort) = self.call_value(frame, p, args, span, here, out)?;
            return self.read(place, sort, span);
        }
        match (n.key.as_str(), args) {
            ("abs", [x]) => {
                let v = self.integer(x, here, out)?;
                if v.lo >= 0 {
                    return Some(v);
                }
                let when = Ex::bin(Binary::Lt, v.ex.clone(), Ex::Num(0));
                let minus = self.negative(v.clone(), span, out);
                let ex = Ex::If(Box::new(when), Box::new(minus.ex), Box::new(v.ex));
                Some(Scalar { ex, sort: INTEGER, lo: 0, hi: minus.hi.max(v.hi).max(0) })
            }
            ("length", [x]) => self.length_of(x, here, out),
            ("present", [x]) => self.present(x, span, here, out),
            ("exist", [x]) => self.exists(x, here, out),
            ("num", [x]) => {
                let v = self.scalar(x, None, here, out)?;
                Some(Scalar { sort: INTEGER, ..v })
            }
            ("val", [x, Expr { kind: ExprKind::Name(s), .. }]) => {
                let v = self.integer(x, here, out)?;
                let sort = self.sort(s)?;
                let (lo, hi) = self.sorts.bounds(sort)?;
                if v.lo < lo || v.hi > hi {
                    let what = within(&v.ex, lo, hi);
                    out.push(Stmt { kind: StmtKind::Assert { what, why: "no such literal".into() }, span });
                }
                Some(Scalar { sort, lo, hi, ..v })
            }
            ("to_enum" | "to_selector", [x, Expr { kind: ExprKind::Name(s), .. }]) => {
                self.convert(x, s, n.key == "to_selector", here, out)
            }
            ("power", [a, b]) => {
                let (x, y) = (self.integer(a, here, out)?, self.integer(b, here, out)?);
                match y.ex {
                    Ex::Num(k @ 1..=8) => {
                        let mut power = x.clone();
                        for _ in 1..k {
                            power = self.arithmetic(Binary::Mul, power, x.clone(), span, out)?;
                        }
                        Some(power)
                    }
                    _ => {
                        self.refuse(span, "a power whose exponent is not a number from 1 to 8", "write a loop");
                        None
                    }
                }
            }
            ("shift_left" | "shift_right", [a, b]) => {
                let (x, y) = (self.integer(a, here, out)?, self.integer(b, here, out)?);
                let Ex::Num(k @ 0..=30) = y.ex else {
                    self.refuse(span, "a shift by a number that is not constant", "multiply or divide instead");
                    return None;
                };
                let op = if n.key == "shift_left" { Binary::Mul } else { Binary::Div };
                self.arithmetic(op, x, number(1 << k, INTEGER), span, out)
            }
            ("float" | "fix" | "round" | "trunc" | "floor" | "ceil" | "sqrt" | "sin" | "cos" | "real", _) => {
                self.refuse(
                    span,
                    &format!("`{}`, which needs numbers with a point,", n.text),
                    "count in smaller units",
                );
                None
            }
            _ => {
                let _ = expect;
                self.unknown(n, format!("there is nothing called `{}` here", n.text));
                None
            }
        }
    }

    fn length_of(&mut self, x: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<Scalar> {
        match &x.kind {
            ExprKind::Text(t) => return Some(number(t.len() as i64, INTEGER)),
            ExprKind::List(l) => return Some(number(l.len() as i64, INTEGER)),
            _ => {}
        }
        let (place, sort) = self.value(x, None, here, out)?;
        let most = match *self.sorts.kind(sort) {
            SortKind::List { most, .. } => most,
            SortKind::Array { len, .. } => len,
            SortKind::Set { len, .. } => {
                return Some(Scalar { ex: self.members(&place, sort), sort: INTEGER, lo: 0, hi: len });
            }
            _ => {
                self.error("sort", x.span, "LENGTH takes a list".to_string());
                return None;
            }
        };
        Some(Scalar { ex: self.length(&place, sort), sort: INTEGER, lo: 0, hi: most })
    }

    fn exists(&mut self, x: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<Scalar> {
        let (mut place, _) = self.place(x, here, out)?;
        let Some(Step::Field(key)) = place.path.pop() else {
            self.error("sort", x.span, "EXIST takes an optional field".to_string());
            return None;
        };
        let ExprKind::Field(base, _) = &x.kind else { return None };
        let fields = match self.sort_of_place(base, here).map(|s| self.sorts.kind(s)) {
            Some(SortKind::Struct(f)) => f.clone(),
            _ => Vec::new(),
        };
        match fields.iter().find(|f| f.key == key) {
            Some(f) if f.optional => {
                place.path.push(Step::Given(key));
                Some(truth(Ex::Get(place)))
            }
            _ => Some(number(1, BOOL)),
        }
    }

    /// From the tag of a choice to a literal of the same name, or the other way.
    fn convert(&mut self, x: &Expr, to: &Name, to_tag: bool, here: &Here, out: &mut Vec<Stmt>) -> Option<Scalar> {
        let target = self.sort(to)?;
        let is_choice = matches!(self.sorts.kind(target), SortKind::Choice(_));
        let target = if to_tag && is_choice { self.sorts.tag_of(target) } else { target };
        let v = match self.hint(x, here).map(|s| (s, self.sorts.kind(s).clone())) {
            Some((s, SortKind::Choice(_))) => {
                let (mut place, _) = self.value(x, Some(s), here, out)?;
                place.path.push(Step::Tag);
                let tag = self.sorts.tag_of(s);
                self.read(place, tag, x.span)?
            }
            _ => self.scalar(x, None, here, out)?,
        };
        let names: Vec<(String, i64)> = match self.sorts.kind(v.sort) {
            SortKind::Enum(l) => l.clone(),
            SortKind::Tag(c) => match self.sorts.kind(*c) {
                SortKind::Choice(f) => f.iter().enumerate().map(|(i, f)| (f.key.clone(), i as i64)).collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let pairs = names.iter().filter_map(|(name, from)| Some((*from, self.sorts.literal_in(target, name)?)));
        let pairs: Vec<(i64, i64)> = pairs.collect();
        let (lo, hi) = self.sorts.bounds(target)?;
        let Some((&(_, last), rest)) = pairs.split_last() else {
            self.error("sort", x.span, format!("`{}` has no names in common with this value", to.text));
            return None;
        };
        let ex = rest.iter().rev().fold(Ex::Num(last), |e, (from, value)| {
            Ex::If(Box::new(v.ex.clone().eq(*from)), Box::new(Ex::Num(*value)), Box::new(e))
        });
        Some(Scalar { ex, sort: target, lo, hi })
    }

    /// Whether a value must be checked against the bounds of a sort; `None` if it can never fit.
    pub fn bounds_check(&mut self, v: &Scalar, sort: SortId, span: Span) -> Option<Option<(i64, i64)>> {
        if !self.compatible(v.sort, sort) {
            let text = format!(
                "a value of sort `{}` must stand here, not of `{}`",
                self.sorts.name(sort),
                self.sorts.name(v.sort)
            );
            self.error("sort", span, text);
            return None;
        }
        let (lo, hi) = match (self.sorts.kind(sort), self.sorts.bounds(sort)) {
            (SortKind::Int { .. }, Some(bounds)) => bounds,
            // Literals of a sort with fewer of them; what was never set is 0 and may be none of them.
            (SortKind::Enum(list), Some(bounds)) if self.sorts.kind(v.sort) != self.sorts.kind(sort) => {
                debug_assert!(!list.is_empty());
                bounds
            }
            _ => return Some(None),
        };
        if v.hi < lo || v.lo > hi {
            let text =
                format!("{} is outside of {lo} .. {hi}", if v.lo == v.hi { v.lo.to_string() } else { "this".into() });
            self.error("range", span, text);
            return None;
        }
        let unbounded = lo <= i64::from(i32::MIN) && hi >= i64::from(i32::MAX);
        Some(if unbounded || v.lo >= lo && v.hi <= hi { None } else { Some((lo, hi)) })
    }
}

/// The text of an expression that is made of texts only.
fn texts(e: &Expr) -> Option<String> {
    match &e.kind {
        ExprKind::Text(t) => Some(t.clone()),
        ExprKind::Binary(Binary::Concat, a, b) => Some(texts(a)? + &texts(b)?),
        _ => None,
    }
}
