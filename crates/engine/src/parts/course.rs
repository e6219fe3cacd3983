//! The course of every depth-first search with a walk: what differs is what happens at stored states.

use crate::parts::ledger::{Flow, Ledger};
use crate::parts::walk::{Event, Led, Walk};
use starwheel_store::{StateId, StateStore};

/// A depth-first search.
pub trait Course<'a> {
    /// Its store.
    type Set: StateStore;

    /// Its books, the walk that it follows, and the store.
    fn parts(&mut self) -> (&mut Ledger<'a>, &mut Walk<'a>, &Self::Set);

    /// The walk has reached a state for the store.
    fn arrive(&mut self) -> Flow;

    /// The walk is about to leave a stored state.
    fn leave(&mut self, id: StateId) -> Flow;

    /// True if it is of no use to go on.
    fn futile(&self) -> bool {
        false
    }

    /// Walks through everything.
    fn search(&mut self) -> Flow {
        if !self.open()? {
            return Flow::Continue(());
        }
        self.arrive()?;
        loop {
            let (_, walk, set) = self.parts();
            let event = walk.event(set);
            match event {
                None => return Flow::Continue(()),
                Some(_) if self.futile() => return Flow::Continue(()),
                Some(Event::Leaving(id)) => self.leave(id)?,
                Some(Event::Arrival(arrival)) => {
                    let (ledger, walk, set) = self.parts();
                    ledger.step(&arrival, walk.depth(), set)?;
                    for violation in &arrival.violations {
                        ledger.event(violation, || walk.trail())?;
                    }
                    if arrival.led == Led::Stored {
                        self.arrive()?;
                    }
                }
            }
        }
    }

    /// Reaches the initial state; false if there is none.
    fn open(&mut self) -> Flow<bool> {
        let (ledger, walk, set) = self.parts();
        ledger.tick(0, set)?;
        let opening = walk.initial();
        for violation in &opening.violations {
            ledger.event(violation, Vec::new)?;
        }
        if !opening.broken {
            ledger.stats.state_bytes = (walk.hidden().len() + walk.visible().len()) as u64;
        }
        Flow::Continue(!opening.broken)
    }
}
