//! The claims behind the searches for runs without progress: from some point on, no process is ever at a progress label, or no
//! time passes.

use crate::expr::{Expr, UnaryOp};
use crate::ir::{Model, ProctypeId};
use crate::observer::{Observer, add_observer};
use starwheel_base::Span;

/// The name of the claim.
pub const NAME: &str = "progress";

/// Waits as long as it likes.
const WAITS: usize = 0;
/// Sees no progress any more.
const ACCEPTS: usize = 1;

/// Adds the claim to a model, behind everything else; `None` if a model cannot hold another process type.
pub fn add_progress_claim(model: &mut Model) -> Option<ProctypeId> {
    let edges = vec![
        (WAITS, Some(Expr::NonProgress), ACCEPTS),
        (WAITS, None, WAITS),
        (ACCEPTS, Some(Expr::NonProgress), ACCEPTS),
    ];
    let accepting = vec![false, true];
    add_observer(model, Observer { name: NAME.into(), span: Span::default(), accepting, start: WAITS, edges })
}

/// The name of the claim of [`add_time_claim`].
pub const TIME: &str = "time";

/// Adds the claim behind the search for runs in which time stops, behind everything else; `None` if a model cannot hold
/// another process type.
///
/// Time passes in quiet states only, and there nothing else can happen (in a model that waits for nothing but timers): so time
/// stops in a run if and only if the run comes to quiet states no more. To a claim, `timeout` says that a state is quiet. A run
/// that has ended is quiet for ever, and none of these.
pub fn add_time_claim(model: &mut Model) -> Option<ProctypeId> {
    let busy = Expr::Unary(UnaryOp::Not, Box::new(Expr::Timeout));
    let edges = vec![(WAITS, Some(busy.clone()), ACCEPTS), (WAITS, None, WAITS), (ACCEPTS, Some(busy), ACCEPTS)];
    let accepting = vec![false, true];
    add_observer(model, Observer { name: TIME.into(), span: Span::default(), accepting, start: WAITS, edges })
}
