//! The search of all states as a phase: receives, expands and sends until nothing is left, or until it is time to save it.

use crate::crew::{Left, Member, Outgoing};
use crate::heralds::Herald;
use crate::host::{self, Host};
use crate::link::{Head, kind};
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
    /// Room for hidden bytes.
    hidden: Vec<u8>,
    /// True once everybody was told that it is time.
    pub paused: bool,
}

impl<'s, 'a> Running<'s, 'a> {
    /// Runs a search that has begun.
    pub fn new(search: &'s mut Search<'a>, every: Option<Duration>) -> Running<'s, 'a> {
        let until = every.map(|every| Instant::now() + every);
        Running { search, told: false, until, begun: false, hidden: Vec::new(), paused: false }
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
        let mut last = 0;
        while !rest.is_empty() {
            let head = Head::read(&mut rest, last)?;
            last = head.from;
            let herald = search.heralds.as_ref().map_or(Ok(Herald::NONE), |heralds| heralds.read(&mut rest))?;
            self.hidden.clear();
            let name = search.read_edge(from, head.kinds, &mut rest, &mut self.hidden)?;
            name.iter().for_each(|&name| search.store.expect(name));
            search.remote += 1;
            if search.wait(name, &self.hidden, Origin::new(from, last), herald) {
                search.enter();
            }
        }
        search.enter();
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
        search.enter();
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
