//! Calls of procedures: the text is written out at each call, with its own labels and shared variables.

use super::frame::{FrameId, Kind};
use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use crate::sorts::{INTEGER, SortId};
use starwheel_base::{Diagnostic, Span};

/// Calls inside calls.
const DEEPEST: usize = 30;

impl<'a> Lower<'a> {
    /// `call f(…)` as an action.
    pub fn call_by_name(&mut self, name: &Name, args: &[Expr], span: Span, here: &Here, out: &mut Vec<Stmt>) {
        let found = self.procedure(here.frame, &name.key);
        match (found, name.key.as_str()) {
            (None, "writeln" | "write") => {}
            // OpenGEODE's tests check themselves with an external procedure of this name.
            (None | Some((_, Procedure { body: None, .. })), "assert") if !args.is_empty() => {
                if let Some(what) = self.condition(&args[0], here, out) {
                    let why = "the assertion does not hold".to_string();
                    out.push(Stmt { kind: StmtKind::Assert { what, why }, span });
                }
            }
            (Some((frame, p)), _) => drop(self.call(frame, p, args, span, here, out)),
            (None, _) => {
                let text = format!("there is no procedure `{}`", name.text);
                let d = starwheel_base::Diagnostic::error("unknown-procedure", name.span, text);
                let advice =
                    "hand over the file that holds it, too, or declare it as `external`: it may then return anything";
                self.report(d.advise(advice));
            }
        }
    }

    /// The operator of a sort that a name means, given what it is applied to: sorts may have operators of one name.
    pub fn operator(
        &mut self,
        key: &str,
        args: &[Expr],
        expect: Option<SortId>,
        here: &Here,
    ) -> Option<(FrameId, &'a Procedure)> {
        let fits = |o: &&'a Procedure| o.name.key == key && o.params.len() == args.len();
        let mut fit: Vec<&'a Procedure> = self.structure.operators.iter().copied().filter(fits).collect();
        if fit.len() > 1 {
            let hints: Vec<Option<SortId>> = args.iter().map(|e| self.hint(e, here)).collect();
            let score = |l: &mut Self, o: &Procedure| {
                let same = |l: &mut Self, sort: &Name, is: Option<SortId>| {
                    let own = l.sorts.lookup_key(&sort.key);
                    matches!((own, is), (Some(a), Some(b)) if a == b || l.sorts.kind(a) == l.sorts.kind(b))
                };
                let known = o.params.iter().zip(&hints).filter(|(p, h)| same(l, &p.sort, **h)).count();
                known * 2 + usize::from(o.result.as_ref().is_some_and(|r| same(l, &r.1, expect)))
            };
            let mut scored: Vec<(usize, &'a Procedure)> = fit.into_iter().map(|o| (score(self, o), o)).collect();
            scored.sort_by_key(|s| std::cmp::Reverse(s.0));
            fit = scored.into_iter().map(|s| s.1).collect();
        }
        // An operator knows nothing of the process that uses it but its sorts.
        fit.first().map(|o| (0, *o))
    }

    /// A call whose result is used.
    pub fn call_value(
        &mut self,
        frame: FrameId,
        p: &'a Procedure,
        args: &[Expr],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<(Place, SortId)> {
        let Some(result) = self.call(frame, p, args, span, here, out)? else {
            self.error("call", span, format!("procedure `{}` returns nothing", p.name.text));
            return None;
        };
        // The result moves to a variable of this statement: another call may come before it is read.
        let place = Self::place_of(self.scratch(result.1));
        self.copy(&place, result.1, &result.0, result.1, span, out)?;
        self.clear(&result.0, result.1, span, out);
        Some((place, result.1))
    }

    /// Writes a call out; gives the place of its result, if it has one.
    pub fn call(
        &mut self,
        frame: FrameId,
        p: &'a Procedure,
        args: &[Expr],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<Option<(Place, SortId)>> {
        if args.len() > p.params.len() {
            let text = format!("procedure `{}` has {} parameters, not {}", p.name.text, p.params.len(), args.len());
            self.error("parameters", span, text);
            return None;
        }
        let mut depth = 0;
        let mut at = Some(here.frame);
        while let Some(f) = at {
            depth += 1;
            if self.frames[f].text.is_some_and(|t| std::ptr::eq(t, p)) || depth > DEEPEST {
                self.refuse(span, &format!("the recursion of procedure `{}`", p.name.text), "write a loop");
                return None;
            }
            at = match self.frames[f].kind {
                Kind::Procedure { caller, .. } => Some(caller),
                _ => self.frames[f].parent,
            };
        }
        if !self.spend() {
            return None;
        }
        match &p.body {
            Some(body) => self.write_out(frame, p, body, args, span, here, out),
            None => self.external(p, args, span, here, out),
        }
    }

    /// What an external procedure gives back may be anything.
    fn external(
        &mut self,
        p: &'a Procedure,
        args: &[Expr],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<Option<(Place, SortId)>> {
        let gives = p.result.is_some() || p.params.iter().any(|p| p.pass != Pass::In);
        if gives {
            let text = format!("procedure `{}` is external: any result is taken to be possible", p.name.text);
            self.report(Diagnostic::warning("external", p.name.span, text));
        }
        for (param, e) in p.params.iter().zip(args) {
            if param.pass != Pass::In {
                let (place, sort) = self.place_written(e, here, out)?;
                self.pick(&place, sort, span, out)?;
                self.mark_present(&place, span, out);
            }
        }
        let Some((_, sort)) = &p.result else { return Some(None) };
        let sort = self.sort(sort)?;
        let var = self.local(p, &Name { text: format!("{}_result", p.name.text), key: " result".into(), span }, sort);
        let place = Self::place_of(var);
        self.pick(&place, sort, span, out)?;
        Some(Some((place, sort)))
    }

    #[allow(clippy::too_many_arguments)]
    fn write_out(
        &mut self,
        parent: FrameId,
        p: &'a Procedure,
        body: &'a Body,
        args: &[Expr],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<Option<(Place, SortId)>> {
        // Arguments are evaluated where the call stands, before the names inside exist.
        let mut bindings = Vec::new();
        let mut copies_out = Vec::new();
        let mut locals: Vec<(Place, SortId)> = Vec::new();
        for (i, param) in p.params.iter().enumerate() {
            let sort = self.sort(&param.sort)?;
            let arg = args.get(i);
            let alias = match (param.pass, arg) {
                (Pass::In, _) | (_, None) => None,
                (_, Some(e)) => {
                    let (place, other) = self.place(e, here, out)?;
                    let fixed = place.path.iter().all(|s| !matches!(s, Step::At(e) if !matches!(e, Ex::Num(_))));
                    let same = self.sorts.kind(other) == self.sorts.kind(sort);
                    if fixed && same {
                        Some(place)
                    } else {
                        let place = self.kept(p, i, place, span, &mut locals, out);
                        copies_out.push((place, other, i));
                        None
                    }
                }
            };
            let place = match alias {
                Some(place) => place,
                None => {
                    let place = Self::place_of(self.local(p, &param.name, sort));
                    match arg {
                        Some(e) if param.pass != Pass::Out => self.assign(&place, sort, e, here, out)?,
                        _ => self.clear(&place, sort, span, out),
                    }
                    locals.push((place.clone(), sort));
                    place
                }
            };
            bindings.push((param.name.key.clone(), place, sort));
        }
        let id = self.call_frame(parent, here.frame, p, body);
        locals.extend(self.frames[id].vars.values().cloned());
        let result = match &p.result {
            None => None,
            Some((name, sort)) => {
                let sort = self.sort(sort)?;
                let key = name.clone().unwrap_or(Name {
                    text: format!("{}_result", p.name.text),
                    key: " result".into(),
                    span,
                });
                let place = Self::place_of(self.local(p, &key, sort));
                if let Some(n) = name {
                    self.frames[id].vars.insert(n.key.clone(), (place.clone(), sort));
                }
                Some((place, sort))
            }
        };
        let back = match &mut self.frames[id].kind {
            Kind::Procedure { back, result: r, .. } => {
                *r = result.clone();
                *back
            }
            _ => return None,
        };
        for (key, place, sort) in bindings.clone() {
            self.frames[id].vars.insert(key, (place, sort));
        }
        let inside = Here { frame: id, ..here.clone() };
        self.local_values(id, p, &inside, out);
        if let Some(start) = body.starts.first() {
            let mut code = Vec::new();
            self.run_trans(&start.trans, &inside, &mut code);
            out.append(&mut code);
        }
        out.push(Stmt { kind: StmtKind::Label(back), span });
        for (to, sort, i) in copies_out {
            let (_, from, other) = &bindings[i];
            self.copy(&to, sort, from, *other, span, out)?;
            self.mark_present(&to, span, out);
        }
        locals.sort_by_key(|l| l.0.var);
        for (place, sort) in locals {
            self.clear(&place, sort, span, out);
        }
        Some(result)
    }

    /// A place whose indices are those of now, whatever becomes of the variables in them.
    fn kept(
        &mut self,
        p: &'a Procedure,
        number: usize,
        mut place: Place,
        span: Span,
        locals: &mut Vec<(Place, SortId)>,
        out: &mut Vec<Stmt>,
    ) -> Place {
        for (depth, step) in place.path.iter_mut().enumerate() {
            let Step::At(index) = step else { continue };
            if matches!(index, Ex::Num(_)) {
                continue;
            }
            let text = format!("{}_index", p.params[number].name.text);
            let name = Name { text, key: format!(" index {number} {depth}"), span };
            let to = Self::place_of(self.local(p, &name, INTEGER));
            let value = std::mem::replace(index, Ex::Get(to.clone()));
            out.push(Stmt { kind: StmtKind::Assign { to: to.clone(), value, check: None }, span });
            locals.push((to, INTEGER));
        }
        place
    }

    /// First values of the variables of a procedure: all calls begin anew.
    fn local_values(&mut self, frame: FrameId, p: &'a Procedure, here: &Here, out: &mut Vec<Stmt>) {
        for item in &p.items {
            let Item::Variables(list) = item else { continue };
            for v in list {
                let Some((place, sort)) = self.frames[frame].vars.get(&v.name.key).cloned() else { continue };
                self.statement(here, out, |l, here, out| match &v.value {
                    Some(value) => drop(l.assign(&place, sort, value, here, out)),
                    None => l.default_value(&place, sort, here, out, 0),
                });
            }
        }
    }
}
