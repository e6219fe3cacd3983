//! Saves a search by groups and goes on with it: the store, the books, and all that waits.
//!
//! A search is saved while no worker is in the middle of a group. All that waits then lies in frontiers, so how many workers
//! there were does not matter to those who go on.

use crate::job::Job;
use crate::method::groups::memory::Memory;
use crate::parts::checkpoint::CheckpointSink;
use crate::parts::frontier::Frontier;
use crate::parts::ledger::{Flow, Ledger};
use crate::report::Stop;
use starwheel_store::LoadError;
use starwheel_store::archive::{get_number, put_number};
use std::io::Read;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What was saved, as it is read.
pub type CheckpointBytes<'a> = Box<dyn Read + 'a>;

/// Decides when to save, and does it.
pub struct Saver<'a> {
    sink: &'a dyn CheckpointSink,
    due: Mutex<Option<Instant>>,
}

impl<'a> Saver<'a> {
    /// For a search that begins now, if it is to be saved at all.
    pub fn new(job: &Job<'a>) -> Option<Saver<'a>> {
        job.save.map(|sink| Saver { sink, due: Mutex::new(after(sink.every())) })
    }

    /// True if it is time.
    pub fn due(&self) -> bool {
        self.due.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|due| Instant::now() >= due)
    }

    /// Saves everything; if that is not possible, the user is told in the end, and the search goes on.
    pub fn save(&self, memory: &impl Memory, books: &mut Ledger<'_>, parts: &[&Frontier]) -> bool {
        debug_assert_eq!(
            memory.usage().states,
            books.stats.states_stored,
            "a state is in the store and not in the books"
        );
        let saved = self.sink.save(&mut |out| {
            memory.save(out)?;
            books.save(out)?;
            put_number(out, parts.len() as u64)?;
            parts.iter().try_for_each(|part| part.save(out))
        });
        // Counted from the end, so that a search gets on even if saving takes longer than the time between.
        *self.due.lock().unwrap_or_else(PoisonError::into_inner) = after(self.sink.every());
        if let Err(error) = &saved {
            let warning = format!("the search could not be saved: {error}");
            if !books.warnings.contains(&warning) {
                books.warnings.push(warning);
            }
        }
        saved.is_ok()
    }

    /// Saves a search that ends early, and tells the user how to go on.
    pub fn last(&self, memory: &impl Memory, books: &mut Ledger<'_>, parts: &[Frontier]) {
        if self.save(memory, books, &parts.iter().collect::<Vec<_>>()) {
            books.warnings.push(self.sink.advice());
        }
    }
}

fn after(time: Duration) -> Option<Instant> {
    Instant::now().checked_add(time)
}

/// The store that was saved, or a new one.
pub fn store<S>(
    from: &mut Option<CheckpointBytes<'_>>,
    fresh: impl FnOnce() -> Result<S, LoadError>,
    load: impl FnOnce(&mut dyn Read) -> Result<S, LoadError>,
) -> Result<S, LoadError> {
    match from {
        Some(from) => load(from),
        None => fresh(),
    }
}

/// Fills the books with what was saved behind the store, and brings back all that waits.
pub fn rest(from: &mut dyn Read, books: &mut Ledger<'_>) -> Result<Vec<Frontier>, LoadError> {
    books.load(from)?;
    let mut parts = Vec::new();
    for _ in 0..get_number(from)? {
        parts.push(Frontier::load(from)?);
    }
    Ok(parts)
}

/// Why a search that cannot be read ends.
pub fn failed(error: LoadError, books: &Ledger<'_>) -> Flow {
    match error {
        LoadError::Full => books.full(),
        other => Flow::Break(Some(Stop::Internal(other.to_string()))),
    }
}
