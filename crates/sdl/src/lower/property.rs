//! Stop conditions of TASTE (`never e; eventually e;`): expressions over the variables and states of processes.

use crate::ast::*;
use crate::machine::*;
use crate::parse::Condition;
use crate::sorts::{BOOL, INTEGER, SortId, SortKind};
use starwheel_base::{Diagnostic, Span};

/// Adds the conditions to a machine; the variables they read become visible from outside.
pub fn properties(machine: &mut Machine, conditions: &[Condition], diagnostics: &mut Vec<Diagnostic>) {
    for (word, e) in conditions {
        let kind = match word.key.as_str() {
            "never" => PropertyKind::Never,
            "always" => PropertyKind::Always,
            "eventually" => PropertyKind::Eventually,
            _ => PropertyKind::FilterOut,
        };
        let mut r = Reader { machine, diagnostics };
        let Some((what, sort)) = r.expr(e, None) else { continue };
        if !matches!(r.machine.sorts.kind(sort), SortKind::Bool) {
            let _: Option<()> = r.error(e.span, "a stop condition must be true or false");
            continue;
        }
        machine.properties.push(Property { kind, what, span: word.span.to(e.span) });
    }
}

struct Reader<'m> {
    machine: &'m mut Machine,
    diagnostics: &'m mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error<T>(&mut self, span: Span, text: &str) -> Option<T> {
        self.diagnostics.push(Diagnostic::error("stop-condition", span, text));
        None
    }

    fn process(&self, e: &Expr) -> Option<ProcessId> {
        let ExprKind::Name(n) = &e.kind else { return None };
        self.machine.processes.iter().position(|p| p.name.to_lowercase() == n.key)
    }

    /// A variable of a process or a part of it.
    fn place(&mut self, e: &Expr) -> Option<(Place, SortId)> {
        match &e.kind {
            ExprKind::Field(base, field) => {
                if let Some(p) = self.process(base) {
                    let vars = &mut self.machine.processes[p].vars;
                    let Some(var) = vars.iter().position(|v| !v.hidden && v.name.to_lowercase() == field.key) else {
                        return self.error(field.span, "this process has no such variable");
                    };
                    vars[var].watched = true;
                    let sort = vars[var].sort;
                    return Some((Place { process: Some(p), var, path: Vec::new() }, sort));
                }
                let (mut place, sort) = self.place(base)?;
                let found = match self.machine.sorts.kind(sort) {
                    SortKind::Struct(f) | SortKind::Choice(f) => f.iter().find(|f| f.key == field.key).map(|f| f.sort),
                    _ => None,
                };
                let Some(sort) = found else { return self.error(field.span, "there is no such field") };
                place.path.push(Step::Field(field.key.clone()));
                Some((place, sort))
            }
            ExprKind::Apply(base, args) if args.len() == 1 => {
                let (mut place, sort) = self.place(base)?;
                let (element, lo) = match *self.machine.sorts.kind(sort) {
                    SortKind::List { element, first, .. } => (element, first),
                    SortKind::Array { element, lo, .. } => (element, lo),
                    _ => return self.error(base.span, "this has no elements"),
                };
                let ExprKind::Int(n) = args[0].kind else {
                    return self.error(args[0].span, "an index must be a number here");
                };
                place.path.push(Step::At(Ex::Num(n - lo)));
                Some((place, element))
            }
            _ => self.error(e.span, "this is not a variable of a process"),
        }
    }

    fn expr(&mut self, e: &Expr, expect: Option<SortId>) -> Option<(Ex, SortId)> {
        match &e.kind {
            ExprKind::Int(n) => match expect.and_then(|s| Some((self.machine.sorts.literal_in(s, &n.to_string())?, s)))
            {
                Some((literal, sort)) => Some((Ex::Num(literal), sort)),
                None => Some((Ex::Num(*n), INTEGER)),
            },
            ExprKind::Name(n) => match n.key.as_str() {
                "true" => Some((Ex::Num(1), BOOL)),
                "false" => Some((Ex::Num(0), BOOL)),
                key => {
                    let number = expect.and_then(|s| Some((s, self.machine.sorts.literal_in(s, key)?)));
                    match number.or_else(|| self.machine.sorts.literals(key).first().copied()) {
                        Some((sort, n)) => Some((Ex::Num(n), sort)),
                        None => self.error(n.span, "nothing has this name"),
                    }
                }
            },
            ExprKind::Unary(op, a) => {
                let (x, sort) = self.expr(a, None)?;
                Some((Ex::Un(*op, Box::new(x)), sort))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Apply(f, args) => self.apply(f, args, e),
            ExprKind::Field(..) => self.scalar(e),
            _ => self.error(e.span, "this cannot stand in a stop condition"),
        }
    }

    fn scalar(&mut self, e: &Expr) -> Option<(Ex, SortId)> {
        let (place, sort) = self.place(e)?;
        if !self.machine.sorts.is_scalar(sort) {
            return self.error(e.span, "a single value must stand here");
        }
        Some((Ex::Get(place), sort))
    }

    fn apply(&mut self, f: &Expr, args: &[Expr], e: &Expr) -> Option<(Ex, SortId)> {
        let name = match &f.kind {
            ExprKind::Name(n) => n.key.as_str(),
            _ => "",
        };
        match (name, args) {
            ("length", [x]) => {
                let (mut place, sort) = self.place(x)?;
                match *self.machine.sorts.kind(sort) {
                    SortKind::List { least, most, .. } if least == most => Some((Ex::Num(most), INTEGER)),
                    SortKind::List { .. } => {
                        place.path.push(Step::Len);
                        Some((Ex::Get(place), INTEGER))
                    }
                    _ => self.error(x.span, "LENGTH takes a list"),
                }
            }
            ("present", [x]) => {
                let (mut place, sort) = self.place(x)?;
                place.path.push(Step::Tag);
                Some((Ex::Get(place), self.machine.sorts.tag_of(sort)))
            }
            ("exist", [x]) => {
                let (mut place, _) = self.place(x)?;
                match place.path.pop() {
                    Some(Step::Field(key)) => {
                        place.path.push(Step::Given(key));
                        Some((Ex::Get(place), BOOL))
                    }
                    _ => self.error(x.span, "EXIST takes an optional field"),
                }
            }
            _ => self.scalar(e),
        }
    }

    fn binary(&mut self, op: Binary, a: &Expr, b: &Expr) -> Option<(Ex, SortId)> {
        if let Some(found) = self.in_state(op, a, b) {
            return found.map(|e| (e, BOOL));
        }
        let (x, sx) = self.expr(a, None)?;
        let (y, _) = self.expr(b, Some(sx))?;
        let sort = match op {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod | Binary::Rem => INTEGER,
            Binary::Concat | Binary::In => return self.error(a.span, "this cannot stand in a stop condition"),
            _ => BOOL,
        };
        Some((
            match op {
                Binary::Implies => Ex::bin(Binary::Or, x.not(), y),
                Binary::Xor => Ex::bin(Binary::Ne, x, y),
                _ => Ex::bin(op, x, y),
            },
            sort,
        ))
    }

    /// `get_state(p) = s`.
    fn in_state(&mut self, op: Binary, a: &Expr, b: &Expr) -> Option<Option<Ex>> {
        let ExprKind::Apply(f, args) = &a.kind else { return None };
        let ([arg], ExprKind::Name(f), ExprKind::Name(s)) = (args.as_slice(), &f.kind, &b.kind) else { return None };
        if f.key != "get_state" {
            return None;
        }
        let Some(p) = self.process(arg) else { return Some(self.error(arg.span, "there is no such process")) };
        let states = &self.machine.processes[p].states;
        let fits = |i: &StateId| states[*i].path.first().is_some_and(|n| *n == s.key);
        let list: Vec<StateId> = (0..states.len()).filter(fits).collect();
        let e = Ex::In(p, list);
        Some(match op {
            Binary::Eq => Some(e),
            Binary::Ne => Some(e.not()),
            _ => self.error(a.span, "a state can be compared by = and /= only"),
        })
    }
}
