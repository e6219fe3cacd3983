//! Merged statements of which a property may see a part: where one goes wrong, those before it have been executed.
//!
//! A run that meets an error ends where the error is, and to a claim it stays there. Inside `atomic`, statements that others can
//! see are merged, too. If one of them goes wrong, a decoupled search takes the whole chain for not executed, and the run ends
//! *before* it; all other searches see what the first statements have written (`model/src/interp/claim.rs`). Without errors nothing is lost: nobody looks at the states in the
//! middle of an atomic sequence. So a verdict for which this matters is given only if no step of the system goes wrong.

use crate::property::condition::Risk;
use starwheel_model::{Footprint, Model, ProctypeId, Stmt, footprints};

/// True if a chain of merged statements may go wrong behind its first, and writes something that the claim reads.
pub fn half_seen(model: &Model, claim: ProctypeId) -> bool {
    let risk = Risk::new(model);
    let late = |stmt: &Stmt| matches!(stmt, Stmt::Chain(list) if list.iter().skip(1).any(|s| risk.of_step(s)));
    if !model.transitions.iter().any(|t| late(&t.stmt)) {
        return false;
    }
    let touched = footprints(model);
    let mut looks = Footprint::default();
    let all = || model.transitions.iter().zip(&touched);
    all().filter(|(t, _)| t.proctype == claim).for_each(|(_, own)| looks.join(own));
    all().any(|(t, own)| t.proctype != claim && late(&t.stmt) && own.clashes(&looks))
}
