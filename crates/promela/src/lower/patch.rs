//! What can only be filled in when all bodies are known: references into other processes, and unread globals.

use super::Lower;
use super::rewrite::{self, Rewrite};
use super::symbols::{Kind, size_of};
use starwheel_base::Diagnostic;
use starwheel_model::{Expr, LocId, Place, ProctypeId, Region, Shown, Ty};
use std::collections::HashMap;
use std::sync::Arc;

/// Where a variable lies in the frame of its process.
struct RemoteVar {
    offset: u32,
    ty: Ty,
    len: u32,
    stride: u32,
}

impl Lower<'_> {
    /// Makes every label that another process refers to a state of its own.
    pub fn mark_remote_labels(&mut self) {
        for r in std::mem::take(&mut self.remote_refs) {
            let Some(body) = self.bodies.get_mut(r.proctype.index()) else { continue };
            match body.flow.mark_remote(&r.label.name) {
                Some(el) => {
                    let number = body.flow.el(el).number;
                    self.remote_locs.insert((r.proctype, r.label.name.clone()), LocId(number));
                }
                None => {
                    let name = self.model.proctypes[r.proctype.index()].name.clone();
                    let message = format!("process type `{name}` has no label `{}`", r.label.name);
                    let known: Vec<_> = body.flow.labels.iter().map(|l| l.name.clone()).collect();
                    let mut d = Diagnostic::error("unknown-label", r.label.span, message);
                    let mut names: Vec<String> = known.iter().map(|l| format!("`{l}`")).collect();
                    names.sort();
                    names.dedup();
                    d = match super::lint::nearest(&r.label.name, known.iter().map(|l| &**l)) {
                        Some(near) => d.advise(format!("did you mean `{near}`?")),
                        None if names.is_empty() => d.advise("it has no labels at all; a label is a name and a colon"),
                        None => d.advise(format!("its labels are: {}", names.join(", "))),
                    };
                    self.report(d);
                }
            }
        }
    }

    /// Puts locations and places into remote references, and the missing values into `run`.
    pub fn patch_remotes(&mut self) {
        let mut vars = HashMap::new();
        for (proctype, name) in std::mem::take(&mut self.remote_vars) {
            let locals = self.bodies.get(proctype.index()).map(|b| &b.locals);
            let symbol = locals.and_then(|l| l.first(&name.name).map(|i| &l[i]));
            match symbol.map(|s| (s.kind.clone(), s.offset, s.len)) {
                Some((kind @ Kind::Scalar(ty, _), offset, len)) => {
                    let stride = size_of(&self.structs, &kind);
                    vars.insert((proctype, name.name), RemoteVar { offset, ty, len: len.unwrap_or(1), stride });
                }
                Some((Kind::Struct(_), ..)) => {
                    let message = format!("`{}` is a structure; a remote reference needs a plain variable", name.name);
                    self.report(Diagnostic::error("remote-field", name.span, message));
                }
                None => {
                    let process = self.model.proctypes.get(proctype.index()).map_or("", |p| &p.name).to_string();
                    let message = format!("process type `{process}` has no variable `{}`", name.name);
                    self.report(Diagnostic::error("unknown-name", name.span, message));
                }
            }
        }
        struct Patch<'a> {
            locs: &'a HashMap<(ProctypeId, Arc<str>), LocId>,
            vars: HashMap<(ProctypeId, Arc<str>), RemoteVar>,
            params: Vec<usize>,
        }
        impl Rewrite for Patch<'_> {
            fn expr(&mut self, e: &mut Expr) {
                match e {
                    Expr::RemoteLabel { proctype, loc, label, .. } => {
                        if let Some(n) = self.locs.get(&(*proctype, label.clone())) {
                            *loc = *n;
                        }
                    }
                    // Values that are not given are 0.
                    Expr::Run(run) => {
                        let wanted = self.params.get(run.proctype.index()).copied().unwrap_or(0);
                        run.args.resize(wanted.max(run.args.len()), Expr::constant(0));
                    }
                    Expr::RemoteVar { proctype, place, .. } if place.offset == u32::MAX => {
                        if let Some(&RemoteVar { offset, ty, len, stride }) =
                            self.vars.get(&(*proctype, place.name.clone()))
                        {
                            place.offset = offset;
                            place.ty = ty;
                            for d in &mut place.dims {
                                d.len = len;
                                d.stride = stride;
                                place.name = format!("{}[#]", place.name).into();
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        let params = self.model.proctypes.iter().map(|p| p.params.len()).collect();
        let mut patch = Patch { locs: &self.remote_locs, vars, params };
        rewrite::model(&mut self.model, &mut patch);
    }

    /// Moves globals that are never read out of the compared part of the state (`--dead-vars`).
    pub fn hide_unread(&mut self) {
        if !self.opt.dead_vars {
            return;
        }
        let mut moved: Vec<(std::ops::Range<u32>, u32)> = Vec::new();
        for s in self.globals.iter_mut() {
            // A timer that nobody reads still lets time pass.
            let plain = |ty, shown: &Shown| ty != Ty::Timer && *shown != Shown::Channel;
            let scalar = matches!(&s.kind, Kind::Scalar(ty, shown) if plain(*ty, shown));
            if s.read || s.region != Region::Global || !scalar {
                continue;
            }
            let bytes = size_of(&self.structs, &s.kind) * s.len.unwrap_or(1);
            let to = self.hidden_used.next_multiple_of(4);
            self.hidden_used = to + bytes;
            moved.push((s.offset..s.offset + bytes, to));
            (s.region, s.offset) = (Region::Hidden, to);
        }
        moved.sort_by_key(|(range, _)| range.start);
        struct Move(Vec<(std::ops::Range<u32>, u32)>);
        impl Rewrite for Move {
            fn place(&mut self, p: &mut Place) {
                if p.region != Region::Global {
                    return;
                }
                // The last one that begins here or before.
                let behind = self.0.partition_point(|(r, _)| r.start <= p.offset);
                let last = behind.checked_sub(1).map(|i| &self.0[i]);
                if let Some((range, to)) = last.filter(|(r, _)| r.contains(&p.offset)) {
                    p.offset = p.offset - range.start + to;
                    p.region = Region::Hidden;
                }
            }
        }
        rewrite::model(&mut self.model, &mut Move(moved));
    }
}
