//! The search of all states as a phase: receives, expands and sends until nothing is left, or until it is time to save it.

use crate::crew::{Left, Member, Outgoing};
use crate::link::kind;
use crate::search::{Origin, Search};
use crate::wire::{Garbled, Rest};
use std::time::{Duration, Instant};

/// States that are expanded before somebody looks at what has arrived.
const BURST: usize = 512;
/// The same if somebody looks at the clock to save the search.
const SHORT: usize = 64;

/// The search in its phase; whether others were told of its end.
pub struct Running<'s, 'a> {
    search: &'s mut Search<'a>,
    told: bool,
    /// When it is time to save it.
    until: Option<Instant>,
    /// True once a state was expanded.
    begun: bool,
    /// True once everybody was told that it is time.
    pub paused: bool,
}

impl<'s, 'a> Running<'s, 'a> {
    /// Runs a search that has begun.
    pub fn new(search: &'s mut Search<'a>, every: Option<Duration>) -> Running<'s, 'a> {
        Running { search, told: false, until: every.map(|every| Instant::now() + every), begun: false, paused: false }
    }
}

impl Member for Running<'_, '_> {
    fn receive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        let search = &mut *self.search;
        if bytes == [kind::PAUSE] {
            self.paused = true;
            return Ok(());
        }
        if bytes.first() != Some(&kind::STATES) {
            return search.control(from, bytes, &mut self.told);
        }
        let mut rest = Rest(&bytes[1..]);
        let (mut state, mut last) = (std::mem::take(&mut search.arrived), 0i64);
        while !rest.is_empty() {
            last += rest.signed()?;
            let number = u32::try_from(last).map_err(|_| Garbled)?;
            search.read_edge(from, &mut rest, &mut state)?;
            search.remote += 1;
            if search.stopped.is_none() {
                _ = search.insert(&state, Origin::new(from, number));
            }
        }
        search.arrived = state;
        search.thank(from, out);
        Ok(())
    }

    fn work(&mut self, out: &mut Outgoing) -> Left {
        let search = &mut *self.search;
        let open = search.is_open();
        search.look(open, out);
        let mut burst = match self.until {
            _ if self.paused => 0,
            Some(_) => SHORT,
            None => BURST,
        };
        while burst > 0 && search.stopped.is_none() && search.is_open() && !search.blocked() {
            search.expand(out);
            self.begun = true;
            burst -= 1;
        }
        // Whoever rests must not speak, but then somebody else has work and a clock. And however often it is to be saved, it goes
        // on in between.
        let due = self.begun && !self.paused && self.until.is_some_and(|until| Instant::now() >= until);
        if due && search.is_open() && search.stopped.is_none() {
            self.paused = true;
            out.tell_all(&[kind::PAUSE]);
        }
        let open = search.is_open() && !self.paused;
        search.rest(open, &mut self.told, out)
    }
}
