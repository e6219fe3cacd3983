//! The search of all states as a phase: receives, expands and sends until nothing is left, or until it is time to save it.

use crate::crew::{Left, Member, Outgoing};
use crate::heralds::Herald;
use crate::host::{self, Host};
use crate::link::kind;
use crate::search::{Origin, Search};
use crate::wire::Garbled;
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

impl Running<'_, '_> {
    /// Whoever has found a cycle lets everybody pause: what was visited is enough.
    fn announce(&mut self, out: &mut Outgoing) {
        if self.search.has_cycle() && !self.paused && self.search.stopped.is_none() {
            self.paused = true;
            out.tell_all(&[kind::PAUSE]);
        }
    }
}

impl<'a> Host<'a> for Running<'_, 'a> {
    fn search(&mut self) -> &mut Search<'a> {
        self.search
    }

    fn arrive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        let search = &mut *self.search;
        if bytes == [kind::PAUSE] {
            self.paused = true;
            return Ok(());
        }
        if bytes.first() != Some(&kind::STATES) {
            return search.control(from, bytes, &mut self.told);
        }
        let mut rest = search.unpack(from, bytes)?;
        let (mut state, mut last) = (std::mem::take(&mut search.arrived), 0i64);
        while !rest.is_empty() {
            last += rest.signed()?;
            let number = u32::try_from(last).map_err(|_| Garbled)?;
            let herald = search.heralds.as_ref().map_or(Ok(Herald::NONE), |heralds| heralds.read(&mut rest))?;
            search.read_edge(from, &mut rest, &mut state)?;
            search.remote += 1;
            if search.stopped.is_none() {
                search.meet(&state, Origin::new(from, number), herald);
            }
        }
        search.arrived = state;
        search.thank(from, out);
        Ok(())
    }
}

impl Member for Running<'_, '_> {
    fn receive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        host::receive(self, from, bytes, out)
    }

    fn work(&mut self, out: &mut Outgoing) -> Left {
        self.announce(out);
        let search = &mut *self.search;
        let open = search.is_open();
        search.look(open, out);
        let mut burst = match self.until {
            _ if self.paused => 0,
            Some(_) => SHORT,
            None => BURST,
        };
        while burst > 0 && search.stopped.is_none() && search.is_open() && !search.blocked() && !search.has_cycle() {
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
        self.announce(out);
        let search = &mut *self.search;
        let open = search.is_open() && !self.paused;
        search.rest(open, &mut self.told, out)
    }
}
