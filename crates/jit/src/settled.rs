//! Machine code for the processes that a search comes to have, as soon as they have been the same for long.
//!
//! Where processes are started or end, nobody knows in advance which ones a state has, and code has to look everything up. But
//! most models start all their processes at the beginning. Once a search has seen the same ones for a while, functions are
//! made in which every process has its place, as in models that start none ([`crate::group`]). They look whether a
//! state has these very processes, and leave all others, and all steps that start or end processes, to the code that was there before.

use crate::code::Grouped;
use crate::plan::Plan;
use crate::written::written;
use starwheel_base::cancel::Token;
use starwheel_model::{LocId, Model, ProctypeId};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// States with the same processes, one after the other, before code is made for them: it takes about as long to make it as it
/// saves in so many.
const PATIENCE: usize = 1 << 14;

/// The code of a settled list of processes.
pub(crate) struct Settled {
    /// The process types, the oldest first.
    pub list: Vec<ProctypeId>,
    /// The functions.
    pub code: Grouped,
}

/// The code that a model may get in the course of a search.
pub(crate) struct Later<'m> {
    model: &'m Model,
    claim: Option<ProctypeId>,
    until: Token,
    /// States to wait.
    pub patience: usize,
    begun: AtomicBool,
    made: OnceLock<Settled>,
}

impl<'m> Later<'m> {
    pub fn new(model: &'m Model, claim: Option<ProctypeId>, until: Token) -> Later<'m> {
        Later { model, claim, until, patience: PATIENCE, begun: AtomicBool::new(false), made: OnceLock::new() }
    }

    /// The code, if it has been made.
    pub fn get(&self) -> Option<&Settled> {
        self.made.get()
    }

    /// Makes the code for states with these processes, unless somebody has begun to make some.
    #[cold]
    #[inline(never)]
    pub fn settle(&self, processes: &[(ProctypeId, LocId)]) {
        if self.begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut plan = Plan::settled(self.model, self.claim.is_some(), processes);
        plan.written = written(&plan, self.claim);
        if let Ok(Some(code)) = Grouped::new(&plan, &self.until) {
            // Nobody else makes any.
            _ = self.made.set(Settled { list: plan.list, code });
        }
    }
}
