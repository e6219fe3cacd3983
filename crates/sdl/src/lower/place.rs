//! Places: variables, their parts, and scratch variables.

use super::observer::Seen;
use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use crate::sorts::{INTEGER, SortId, SortKind};
use starwheel_base::Span;

impl<'a> Lower<'a> {
    /// The numbers that make up a value.
    pub fn leaves(&self, sort: SortId) -> Vec<Leaf> {
        leaves(self.sorts, sort)
    }

    /// A scratch variable; it is cleared and free again at the end of the statement.
    pub fn scratch(&mut self, sort: SortId) -> VarId {
        let var = match self.free.get_mut(&sort).and_then(Vec::pop) {
            Some(v) => v,
            None => self.add_var("tmp", sort, true),
        };
        self.used.push((var, sort));
        var
    }

    /// Sets all numbers of a place to zero.
    pub fn clear(&mut self, place: &Place, sort: SortId, span: Span, out: &mut Vec<Stmt>) {
        for l in self.leaves(sort) {
            let to = place.leaf(&l);
            out.push(Stmt { kind: StmtKind::Assign { to, value: Ex::Num(0), check: None }, span });
        }
    }

    /// True if an expression names a variable or a part of one.
    pub fn is_place(&self, e: &Expr, here: &Here) -> bool {
        self.sort_of_place(e, here).is_some()
    }

    /// The sort of a place, without a word if it is none.
    pub fn sort_of_place(&self, e: &Expr, here: &Here) -> Option<SortId> {
        if let Some(Seen::Variable(p, var)) = self.seen(e, here) {
            return Some(self.others[p].vars[var].sort);
        }
        if let Some((list, _)) = self.end_word(e, here) {
            return match self.sorts.kind(self.sort_of_place(list, here)?) {
                SortKind::List { element, .. } => Some(*element),
                _ => None,
            };
        }
        match &e.kind {
            ExprKind::Name(n) => self.variable(here.frame, &n.key).map(|v| v.1),
            ExprKind::Field(base, field) => {
                let sort = self.sort_of_place(base, here)?;
                match self.sorts.kind(sort) {
                    SortKind::Struct(f) | SortKind::Choice(f) => f.iter().find(|f| f.key == field.key).map(|f| f.sort),
                    _ => None,
                }
            }
            ExprKind::Apply(base, args) if args.len() == 1 => match self.sorts.kind(self.sort_of_place(base, here)?) {
                SortKind::List { element, .. } | SortKind::Array { element, .. } => Some(*element),
                _ => None,
            },
            _ => None,
        }
    }

    /// A place; checks of indices go before it.
    pub fn place(&mut self, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<(Place, SortId)> {
        match self.seen(e, here) {
            Some(Seen::Variable(p, var)) => {
                self.watch.push((p, var));
                return Some((Place { process: Some(p), var, path: Vec::new() }, self.others[p].vars[var].sort));
            }
            Some(Seen::Nothing(why)) => {
                self.error("observer", e.span, why);
                return None;
            }
            None => {}
        }
        if let Some(found) = self.end_of_list(e, here, out) {
            return found;
        }
        match &e.kind {
            ExprKind::Name(n) => {
                let found = self.variable(here.frame, &n.key);
                if found.is_none() {
                    self.unknown(n, format!("there is no variable `{}`", n.text));
                }
                found
            }
            ExprKind::Field(base, field) => {
                let (mut place, sort) = self.place(base, here, out)?;
                let fields = match self.sorts.kind(sort) {
                    SortKind::Struct(f) | SortKind::Choice(f) => f.clone(),
                    _ => Vec::new(),
                };
                let Some(f) = fields.iter().find(|f| f.key == field.key) else {
                    let text = format!("`{}` has no field `{}`", self.sorts.name(sort), field.text);
                    self.error("unknown-field", field.span, text);
                    return None;
                };
                place.path.push(Step::Field(f.key.clone()));
                Some((place, f.sort))
            }
            ExprKind::Apply(base, args) if args.len() == 1 => {
                let (place, sort) = self.place(base, here, out)?;
                self.element(place, sort, &args[0], here, out)
            }
            _ => {
                self.error("no-place", e.span, "this is not a variable".to_string());
                None
            }
        }
    }

    fn element(
        &mut self,
        mut place: Place,
        sort: SortId,
        index: &Expr,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<(Place, SortId)> {
        let (element, lo, len) = match *self.sorts.kind(sort) {
            SortKind::List { element, first, .. } => (element, first, self.length(&place, sort)),
            SortKind::Array { element, lo, len } => (element, lo, Ex::Num(len)),
            _ => {
                self.error("no-list", index.span, format!("`{}` has no elements", self.sorts.name(sort)));
                return None;
            }
        };
        let at = self.scalar(index, None, here, out)?;
        let offset = match (&at.ex, lo) {
            (Ex::Num(n), _) => Ex::Num(n - lo),
            (_, 0) => at.ex.clone(),
            _ => Ex::bin(Binary::Sub, at.ex.clone(), Ex::Num(lo)),
        };
        let inside = match &len {
            Ex::Num(n) => at.lo >= lo && at.hi < lo + n,
            _ => false,
        };
        if !inside {
            let low = Ex::bin(Binary::Ge, offset.clone(), Ex::Num(0));
            let high = Ex::bin(Binary::Lt, offset.clone(), len);
            let what = if at.lo >= lo { high } else { Ex::bin(Binary::And, low, high) };
            let kind = StmtKind::Assert { what, why: "index out of range".to_string() };
            out.push(Stmt { kind, span: index.span });
        }
        place.path.push(Step::At(offset));
        Some((place, element))
    }

    /// How many elements a list has.
    pub fn length(&self, place: &Place, sort: SortId) -> Ex {
        match *self.sorts.kind(sort) {
            SortKind::List { least, most, .. } if least == most => Ex::Num(most),
            SortKind::Array { len, .. } => Ex::Num(len),
            _ => {
                let mut p = place.clone();
                p.path.push(Step::Len);
                Ex::Get(p)
            }
        }
    }

    /// Assigning to an alternative of a choice chooses it; assigning to an optional field makes it there.
    pub fn mark_present(&mut self, place: &Place, span: Span, out: &mut Vec<Stmt>) {
        let mut sort = self.process.vars[place.var].sort;
        for (i, step) in place.path.iter().enumerate() {
            let before = Place { path: place.path[..i].to_vec(), ..place.clone() };
            let put = |step: Step, n: i64| {
                let mut to = before.clone();
                to.path.push(step);
                Stmt { kind: StmtKind::Assign { to, value: Ex::Num(n), check: None }, span }
            };
            sort = match (step, self.sorts.kind(sort).clone()) {
                (Step::Field(key), SortKind::Choice(fields)) => {
                    let Some(n) = fields.iter().position(|f| f.key == *key) else { return };
                    out.push(put(Step::Tag, n as i64));
                    for other in fields.iter().filter(|f| f.key != *key) {
                        let mut to = before.clone();
                        to.path.push(Step::Field(other.key.clone()));
                        self.clear(&to, other.sort, span, out);
                    }
                    fields[n].sort
                }
                (Step::Field(key), SortKind::Struct(fields)) => {
                    let Some(f) = fields.iter().find(|f| f.key == *key) else { return };
                    if f.optional {
                        out.push(put(Step::Given(key.clone()), 1));
                    }
                    f.sort
                }
                (Step::At(_), SortKind::List { element, .. } | SortKind::Array { element, .. }) => element,
                _ => return,
            };
        }
    }

    /// A place that is written to. SPIN allows no index there that is an element of the same variable.
    pub fn place_written(&mut self, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<(Place, SortId)> {
        let (mut place, sort) = self.place(e, here, out)?;
        for i in 0..place.path.len() {
            let Step::At(index) = &place.path[i] else { continue };
            if index.mentions(place.var) {
                let first = Self::place_of(self.scratch(INTEGER));
                let kind = StmtKind::Assign { to: first.clone(), value: index.clone(), check: None };
                out.push(Stmt { kind, span: e.span });
                place.path[i] = Step::At(Ex::Get(first));
            }
        }
        Some((place, sort))
    }

    /// A place that is read: what is not there has no value.
    pub fn place_read(&mut self, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<(Place, SortId)> {
        let (place, sort) = self.place(e, here, out)?;
        let vars = place.process.map_or(&self.process.vars, |p| &self.others[p].vars);
        let mut at = vars[place.var].sort;
        for (i, step) in place.path.iter().enumerate() {
            let mut asked = Place { path: place.path[..i].to_vec(), ..place.clone() };
            at = match (step, self.sorts.kind(at)) {
                (Step::Field(key), SortKind::Choice(fields)) => {
                    let Some(n) = fields.iter().position(|f| f.key == *key) else { break };
                    asked.path.push(Step::Tag);
                    let what = Ex::Get(asked).eq(n as i64);
                    let why = format!("`{key}` is not the alternative that is there");
                    out.push(Stmt { kind: StmtKind::Assert { what, why }, span: e.span });
                    fields[n].sort
                }
                (Step::Field(key), SortKind::Struct(fields)) => {
                    let Some(f) = fields.iter().find(|f| f.key == *key) else { break };
                    if f.optional {
                        asked.path.push(Step::Given(key.clone()));
                        let why = format!("`{key}` is not there");
                        out.push(Stmt { kind: StmtKind::Assert { what: Ex::Get(asked), why }, span: e.span });
                    }
                    f.sort
                }
                (Step::At(_), SortKind::List { element, .. } | SortKind::Array { element, .. }) => *element,
                _ => break,
            };
        }
        Some((place, sort))
    }

    /// The value of an expression as a place: where it is, or a scratch variable that gets it.
    pub fn value(
        &mut self,
        e: &Expr,
        expect: Option<SortId>,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<(Place, SortId)> {
        if self.is_place(e, here) {
            return self.place_read(e, here, out);
        }
        let Some(sort) = expect.or_else(|| self.hint(e, here)) else {
            if !self.mentions_refused(e) {
                self.error("unknown-sort", e.span, "it is not clear of which sort this value is".to_string());
            }
            return None;
        };
        let place = Self::place_of(self.scratch(sort));
        self.assign(&place, sort, e, here, out)?;
        Some((place, sort))
    }

    /// The scalars of an argument, in the order of the leaves of its sort.
    pub fn scalars(&mut self, e: &Expr, sort: SortId, here: &Here, out: &mut Vec<Stmt>, values: &mut Vec<Ex>) {
        if self.sorts.is_scalar(sort) {
            let Some(v) = self.scalar(e, Some(sort), here, out) else { return };
            let Some(check) = self.bounds_check(&v, sort, e.span) else { return };
            if let Some((lo, hi)) = check {
                let what = within(&v.ex, lo, hi);
                let why = format!("value outside of {lo} .. {hi}");
                out.push(Stmt { kind: StmtKind::Assert { what, why }, span: e.span });
            }
            return values.push(v.ex);
        }
        let of_same_sort = self.sort_of_place(e, here).is_some_and(|s| self.sorts.kind(s) == self.sorts.kind(sort));
        let place = if of_same_sort {
            self.place_read(e, here, out).map(|p| p.0)
        } else {
            let place = Self::place_of(self.scratch(sort));
            self.assign(&place, sort, e, here, out).map(|_| place)
        };
        let Some(place) = place else { return };
        values.extend(self.leaves(sort).iter().map(|l| Ex::Get(place.leaf(l))));
    }

    /// The sort that an expression has by itself, if that can be told without its surroundings.
    pub fn hint(&mut self, e: &Expr, here: &Here) -> Option<SortId> {
        if let Some((_, choice)) = self.present_of(e, here) {
            return Some(self.sorts.tag_of(choice));
        }
        if let Some(s) = self.sort_of_place(e, here) {
            return Some(s);
        }
        match &e.kind {
            ExprKind::Int(_) => Some(INTEGER),
            ExprKind::Name(n) => self.hint_name(n, here),
            ExprKind::Field(..) => self.constant_part(e, here)?.1,
            ExprKind::Unary(Unary::Not, a) => {
                Some(self.hint(a, here).filter(|s| !self.sorts.is_scalar(*s)).unwrap_or(crate::sorts::BOOL))
            }
            ExprKind::Active(_) | ExprKind::Event(_) => Some(crate::sorts::BOOL),
            ExprKind::Unary(Unary::Minus, _) => Some(INTEGER),
            ExprKind::Binary(op, a, b) => match op {
                Binary::Concat => self.hint(a, here).or_else(|| self.hint(b, here)),
                Binary::And | Binary::Or | Binary::Xor | Binary::Implies => {
                    let whole = self.hint(a, here).or_else(|| self.hint(b, here));
                    Some(whole.filter(|s| !self.sorts.is_scalar(*s)).unwrap_or(crate::sorts::BOOL))
                }
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod | Binary::Rem => Some(INTEGER),
                _ => Some(crate::sorts::BOOL),
            },
            ExprKind::If(_, a, b) => self.hint(a, here).or_else(|| self.hint(b, here)),
            ExprKind::Apply(f, args) => self.hint_apply(f, args, here),
            ExprKind::Implicit(_) | ExprKind::Null => Some(crate::sorts::PID),
            ExprKind::Any(sort) => self.sorts.lookup_key(&sort.key),
            _ => None,
        }
    }

    fn hint_name(&mut self, n: &Name, here: &Here) -> Option<SortId> {
        if n.key == "true" || n.key == "false" {
            return Some(crate::sorts::BOOL);
        }
        let key = self.constant_key(&n.key);
        if let Some(s) = self.sorts.constant_sort(&key).or_else(|| self.sorts.empty_of(&key)) {
            return Some(s);
        }
        let (_, p) = self.procedure(here.frame, &n.key).or_else(|| self.operator(&n.key, &[], None, here))?;
        let sort = p.result.as_ref()?.1.key.clone();
        self.sorts.lookup_key(&sort)
    }

    fn hint_apply(&mut self, f: &Expr, args: &[Expr], here: &Here) -> Option<SortId> {
        if args.len() == 2
            && let Some(sort) = self.sort_of_place(f, here)
        {
            return matches!(self.sorts.kind(sort), SortKind::List { .. }).then_some(sort);
        }
        let ExprKind::Name(n) = &f.kind else { return None };
        if self.sorts.constants.contains_key(&n.key) {
            let element = self.hint_name(n, here)?;
            return match self.sorts.kind(element) {
                SortKind::List { element, .. } | SortKind::Array { element, .. } if args.len() == 1 => Some(*element),
                _ => None,
            };
        }
        if let Some((_, p)) = self.operator(&n.key, args, None, here) {
            let sort = p.result.as_ref()?.1.key.clone();
            return self.sorts.lookup_key(&sort);
        }
        match n.key.as_str() {
            "substring" if args.len() == 3 => self.hint(&args[0], here),
            "incl" | "del" if args.len() == 2 => self.hint(&args[1], here),
            "length" | "num" | "abs" | "power" | "shift_left" | "shift_right" => Some(INTEGER),
            "exist" => Some(crate::sorts::BOOL),
            "present" => {
                let choice = self.hint(args.first()?, here)?;
                Some(self.sorts.tag_of(choice))
            }
            "val" | "to_enum" => match &args.get(1)?.kind {
                ExprKind::Name(s) => self.sorts.lookup_key(&s.key),
                _ => None,
            },
            "to_selector" => match &args.get(1)?.kind {
                ExprKind::Name(s) => {
                    let choice = self.sorts.lookup_key(&s.key)?;
                    let is_choice = matches!(self.sorts.kind(choice), SortKind::Choice(_));
                    Some(if is_choice { self.sorts.tag_of(choice) } else { choice })
                }
                _ => None,
            },
            _ => self.hint_name(n, here),
        }
    }
}

/// A number lies between two others.
pub fn within(e: &Ex, lo: i64, hi: i64) -> Ex {
    let low = Ex::bin(Binary::Ge, e.clone(), Ex::Num(lo));
    let high = Ex::bin(Binary::Le, e.clone(), Ex::Num(hi));
    match (lo <= i64::from(i32::MIN), hi >= i64::from(i32::MAX)) {
        (true, _) => high,
        (_, true) => low,
        _ => Ex::bin(Binary::And, low, high),
    }
}

/// The numbers that make up a value of a sort.
pub fn leaves(sorts: &crate::sorts::Sorts, sort: SortId) -> Vec<Leaf> {
    let mut out = Vec::new();
    collect(sorts, sort, &mut Vec::new(), &mut out, 0);
    out
}

fn collect(sorts: &crate::sorts::Sorts, sort: SortId, path: &mut Vec<Step>, out: &mut Vec<Leaf>, depth: usize) {
    // Sorts that are too large or contain themselves have been refused; this only keeps us from drowning in them.
    if depth > 25 || out.len() > 2 * crate::sorts::LARGEST {
        return;
    }
    let leaf = |path: &[Step], step: Option<Step>, sort: SortId| Leaf {
        path: path.iter().cloned().chain(step).collect(),
        sort,
    };
    let inside = |step: Step, sort: SortId, path: &mut Vec<Step>, out: &mut Vec<Leaf>| {
        path.push(step);
        collect(sorts, sort, path, out, depth + 1);
        path.pop();
    };
    match sorts.kind(sort) {
        SortKind::Struct(fields) => {
            for f in fields {
                if f.optional {
                    out.push(leaf(path, Some(Step::Given(f.key.clone())), crate::sorts::BOOL));
                }
                inside(Step::Field(f.key.clone()), f.sort, path, out);
            }
        }
        SortKind::Choice(fields) => {
            out.push(leaf(path, Some(Step::Tag), crate::sorts::INTEGER));
            for f in fields {
                inside(Step::Field(f.key.clone()), f.sort, path, out);
            }
        }
        SortKind::Set { len, .. } => {
            (0..*len).for_each(|i| out.push(leaf(path, Some(Step::At(Ex::Num(i))), crate::sorts::BOOL)))
        }
        SortKind::List { element, least, most, .. } => {
            if least != most {
                out.push(leaf(path, Some(Step::Len), crate::sorts::INTEGER));
            }
            for i in 0..*most {
                inside(Step::At(Ex::Num(i)), *element, path, out);
            }
        }
        SortKind::Array { element, len, .. } => {
            for i in 0..*len {
                inside(Step::At(Ex::Num(i)), *element, path, out);
            }
        }
        _ => out.push(leaf(path, None, sort)),
    }
}
