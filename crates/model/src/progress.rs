//! The claim behind the search for runs without progress: from some point on, no process is ever at a progress label.

use crate::expr::Expr;
use crate::ir::{LocId, Location, Model, Proctype, ProctypeId, ProctypeKind, TransId, Transition};
use crate::layout::{FRAME_HEADER, FrameLayout};
use crate::stmt::{SkipKind, Stmt};
use starwheel_base::Span;

/// The name of the claim.
pub const NAME: &str = "progress";

/// Waits as long as it likes.
const WAITS: LocId = LocId(1);
/// Sees no progress any more.
const ACCEPTS: LocId = LocId(2);

/// Adds the claim to a model, behind everything else, so that nothing gets another number; `None` if a model cannot hold
/// another process type.
pub fn add_progress_claim(model: &mut Model) -> Option<ProctypeId> {
    let id = ProctypeId(u8::try_from(model.proctypes.len()).ok()?);
    let no_progress = Stmt::Guard(Expr::NonProgress);
    let first = add(model, id, WAITS, no_progress.clone(), ACCEPTS);
    let second = add(model, id, WAITS, Stmt::Skip(SkipKind::Skip), WAITS);
    let third = add(model, id, ACCEPTS, no_progress, ACCEPTS);
    let locs = vec![
        Location::default(),
        Location { out: vec![first, second], ..Location::default() },
        Location { out: vec![third], accept: true, labels: vec!["accept".into()], ..Location::default() },
    ];
    model.proctypes.push(Proctype {
        name: NAME.into(),
        kind: ProctypeKind::Never,
        span: Span::default(),
        locals: Vec::new(),
        params: Vec::new(),
        channels: Vec::new(),
        init: Vec::new(),
        start: WAITS,
        locs,
        provided: None,
        priority: 1,
        deterministic: false,
    });
    model.layout.frames.push(FrameLayout { frame: FRAME_HEADER, channels: Vec::new(), total: FRAME_HEADER });
    Some(id)
}

fn add(model: &mut Model, proctype: ProctypeId, from: LocId, stmt: Stmt, to: LocId) -> TransId {
    let span = Span::default();
    let (resets, merged) = (Vec::new(), Vec::new());
    model.transitions.push(Transition { proctype, from, to, stmt, atomic: false, escape: 0, resets, span, merged });
    TransId(model.transitions.len() as u32 - 1)
}
