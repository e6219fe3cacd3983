//! Claims that are given as an automaton: states, guarded edges and accepting states.

use crate::expr::Expr;
use crate::ir::{LocId, Location, Model, Proctype, ProctypeId, ProctypeKind, TransId, Transition};
use crate::layout::{FRAME_HEADER, FrameLayout};
use crate::stmt::{SkipKind, Stmt};
use starwheel_base::Span;
use std::sync::Arc;

/// An automaton that watches a system; states are numbered from 0.
#[derive(Clone, Debug)]
pub struct Observer {
    /// Its name.
    pub name: Arc<str>,
    /// Where it comes from in the source.
    pub span: Span,
    /// By state: whether a run that comes here again and again is accepted.
    pub accepting: Vec<bool>,
    /// The state it starts in.
    pub start: usize,
    /// From where, under which condition (none: always), to where.
    pub edges: Vec<(usize, Option<Expr>, usize)>,
}

/// Adds the claim to a model, behind everything else, so that nothing gets another number; `None` if a model cannot hold
/// another process type, or the automaton has too many states.
pub fn add_observer(model: &mut Model, observer: Observer) -> Option<ProctypeId> {
    let id = ProctypeId(u8::try_from(model.proctypes.len()).ok()?);
    u16::try_from(observer.accepting.len() + 1).ok()?;
    // Location 0 is that of a claim that has come to its end.
    let loc = |state: usize| LocId(state as u16 + 1);
    let mut locs = vec![Location::default()];
    locs.extend(observer.accepting.iter().map(|&accept| Location {
        accept,
        labels: if accept { vec!["accept".into()] } else { Vec::new() },
        span: observer.span,
        ..Location::default()
    }));
    for (from, guard, to) in observer.edges {
        let stmt = guard.map_or(Stmt::Skip(SkipKind::Skip), Stmt::Guard);
        locs[from + 1].out.push(TransId(model.transitions.len() as u32));
        model.transitions.push(Transition {
            proctype: id,
            from: loc(from),
            to: loc(to),
            stmt,
            atomic: false,
            escape: 0,
            resets: Vec::new(),
            span: observer.span,
            merged: Vec::new(),
        });
    }
    model.proctypes.push(Proctype {
        name: observer.name,
        kind: ProctypeKind::Never,
        span: observer.span,
        locals: Vec::new(),
        params: Vec::new(),
        channels: Vec::new(),
        init: Vec::new(),
        start: loc(observer.start),
        locs,
        provided: None,
        priority: 1,
        deterministic: false,
    });
    model.layout.frames.push(FrameLayout { frame: FRAME_HEADER, total: FRAME_HEADER, ..FrameLayout::default() });
    Some(id)
}
