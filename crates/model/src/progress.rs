//! The claim behind the search for runs without progress: from some point on, no process is ever at a progress label.

use crate::expr::Expr;
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
