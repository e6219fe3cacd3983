//! Who watches a check is told of which of its searches each word is.

use starwheel_engine::{Finding, Monitor, Silent, Stop, Tick};
use std::ops::ControlFlow;

/// One of the searches of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject<'a> {
    /// The property that is looked for; `None` for the search of the system alone.
    pub property: Option<&'a str>,
    /// How many searches there are.
    pub searches: usize,
}

/// Watches the searches of a check and may end them.
pub trait Watch: Sync {
    /// Called every few milliseconds by the search that has its turn; must be cheap.
    fn progress(&self, subject: Subject<'_>, tick: &Tick) -> ControlFlow<Stop>;

    /// Called once for each distinct error, as soon as its trail has been replayed.
    fn found(&self, subject: Subject<'_>, finding: &Finding) -> ControlFlow<Stop>;
}

impl Watch for Silent {
    fn progress(&self, _: Subject<'_>, tick: &Tick) -> ControlFlow<Stop> {
        Monitor::progress(self, tick)
    }

    fn found(&self, _: Subject<'_>, finding: &Finding) -> ControlFlow<Stop> {
        Monitor::found(self, finding)
    }
}

/// Passes on how far a search is, and nothing of what it finds.
pub(crate) struct Quiet<'a>(pub &'a dyn Watch);

impl Watch for Quiet<'_> {
    fn progress(&self, subject: Subject<'_>, tick: &Tick) -> ControlFlow<Stop> {
        self.0.progress(subject, tick)
    }

    fn found(&self, _: Subject<'_>, _: &Finding) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Passes on what one search tells.
pub(crate) struct About<'a> {
    /// Who watches.
    pub watch: &'a dyn Watch,
    /// Which search it is.
    pub subject: Subject<'a>,
    /// What else is between them.
    pub gate: &'a dyn Monitor,
}

impl Monitor for About<'_> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        self.gate.progress(tick)?;
        self.watch.progress(self.subject, tick)
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        let flow = self.watch.found(self.subject, finding);
        self.gate.found(finding)?;
        flow
    }
}
