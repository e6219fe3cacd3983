//! After a search: the first process hears what all have counted, sees whether anything is left anywhere, and fetches the states
//! on the way to each error, one after the other from their owners.

use crate::crew::{Left, Member, Outgoing};
use crate::levels;
use crate::search::{Origin, Search};
use crate::stop;
use crate::wire::{Garbled, Rest, put, put_bytes};
use crate::wrongs::Met;
use starwheel_engine::{Expander, Flow, Key, Stop, key};
use starwheel_store::StateSet;
use starwheel_system::{Step, System, Violation};
use std::collections::HashMap;

/// The kinds of packets, by their first byte.
mod kind {
    pub const SUMMARY: u8 = 16;
    pub const ASK: u8 = 17;
    pub const ANSWER: u8 = 18;
}

/// What one process has counted.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// States, arrivals at known ones, arrivals from others, steps into transient states, steps of the clock, errors, bytes of
    /// the longest state, bytes of the store, packets and bytes that were sent.
    pub counts: [u64; 10],
    /// Nothing is open and nothing waits to be sent.
    pub done: bool,
    /// An atomic sequence came round.
    pub round: bool,
    /// Why it was stopped; the inner one is none if enough was found.
    pub stopped: Option<Option<Stop>>,
    /// By process: states sent to it and received from it.
    pub traffic: Vec<(u64, u64)>,
    /// By action: whether it was executed.
    pub executed: Vec<bool>,
    /// The first error of each kind and place.
    pub met: Vec<Met>,
}

impl Summary {
    /// That of a process, given the packets and bytes it has sent.
    pub fn of(search: &Search<'_>, (packets, bytes): (u64, u64)) -> Summary {
        let expander = &search.expander;
        Summary {
            counts: [
                search.stored,
                search.matched,
                search.remote,
                expander.atomic_steps,
                expander.ticks,
                search.errors,
                expander.longest as u64,
                search.store.usage().bytes,
                packets,
                bytes,
            ],
            done: search.is_done(),
            round: expander.round,
            stopped: search.stopped.clone(),
            traffic: search.traffic().collect(),
            executed: expander.executed.clone(),
            met: search.met.clone(),
        }
    }

    /// As bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.counts.iter().for_each(|&count| put(out, count));
        out.extend([u8::from(self.done), u8::from(self.round), u8::from(self.stopped.is_some())]);
        if let Some(stopped) = &self.stopped {
            stop::write(stopped.as_ref(), out);
        }
        put(out, self.traffic.len() as u64);
        for &(sent, received) in &self.traffic {
            put(out, sent);
            put(out, received);
        }
        put(out, self.executed.len() as u64);
        out.extend(
            self.executed
                .chunks(8)
                .map(|bits| bits.iter().enumerate().fold(0, |byte, (at, &bit)| byte | u8::from(bit) << at)),
        );
        put(out, self.met.len() as u64);
        for met in &self.met {
            let (length, hash, order) = met.rank;
            [u64::from(met.at), met.ordinal, met.events, length, hash, order]
                .into_iter()
                .for_each(|number| put(out, number));
        }
    }

    /// From bytes.
    pub fn read(rest: &mut Rest<'_>) -> Result<Summary, Garbled> {
        let mut summary = Summary::default();
        for count in &mut summary.counts {
            *count = rest.number()?;
        }
        let flags = rest.take(3)?;
        (summary.done, summary.round) = (flags[0] == 1, flags[1] == 1);
        if flags[2] == 1 {
            summary.stopped = Some(stop::read(rest)?);
        }
        for _ in 0..rest.number()? {
            summary.traffic.push((rest.number()?, rest.number()?));
        }
        let count = usize::try_from(rest.number()?).map_err(|_| Garbled)?;
        let bits = rest.take(count.div_ceil(8))?;
        summary.executed = (0..count).map(|at| bits[at / 8] >> (at % 8) & 1 == 1).collect();
        for _ in 0..rest.number()? {
            let at = u32::try_from(rest.number()?).map_err(|_| Garbled)?;
            let (ordinal, events) = (rest.number()?, rest.number()?);
            summary.met.push(Met { at, ordinal, events, rank: (rest.number()?, rest.number()?, rest.number()?) });
        }
        Ok(summary)
    }
}

/// An error whose states were fetched.
#[derive(Debug)]
pub struct Fetched {
    /// What is wrong.
    pub violation: Violation,
    /// The stored states from the initial one to the one that was expanded.
    pub path: Vec<Vec<u8>>,
    /// The steps from there.
    pub chain: Vec<Step>,
    /// How often it was met.
    pub events: u64,
}

/// What one process does in this phase.
pub struct Gather<'s, 'a> {
    search: &'s Search<'a>,
    me: usize,
    summary: Option<Summary>,
    /// For the first process.
    pub all: Vec<Option<Summary>>,
    expander: Expander<'a>,
    /// One error is enough.
    one: bool,
    /// Errors that still have to be looked at: by process, the last one first.
    waiting: Option<Vec<(usize, Met)>>,
    known: HashMap<Key, usize>,
    /// What was found, in order.
    pub fetched: Vec<Fetched>,
    current: Option<Current>,
    /// Something does not fit together.
    pub fault: Option<String>,
    /// For a search level by level: whose steps are taken one by one.
    pub walks: Option<&'s dyn System>,
}

/// The error that is being looked at.
struct Current {
    met: Met,
    /// The state that is asked for.
    from: (usize, u32),
    asked: bool,
    /// States that came, the last one first; the violation is known once the first of them is there.
    path: Vec<Vec<u8>>,
    found: Option<(Violation, Vec<Step>)>,
}

impl<'s, 'a> Gather<'s, 'a> {
    /// Begins with what this process has counted.
    pub fn new(
        search: &'s Search<'a>,
        expander: Expander<'a>,
        (me, processes): (usize, usize),
        summary: Summary,
        one: bool,
    ) -> Gather<'s, 'a> {
        let all = (0..processes).map(|_| None).collect();
        let (summary, known) = (Some(summary), HashMap::new());
        let (waiting, fetched) = (None, Vec::new());
        Gather {
            search,
            me,
            summary,
            all,
            expander,
            one,
            waiting,
            known,
            fetched,
            current: None,
            fault: None,
            walks: None,
        }
    }

    /// Goes on with the errors, as far as that can be done without others; true if it waits for an answer.
    fn follow(&mut self, out: &mut Outgoing) -> bool {
        while self.fault.is_none() {
            let Some(current) = &mut self.current else {
                let enough = self.one && !self.fetched.is_empty();
                let next = self.waiting.as_mut().and_then(Vec::pop).filter(|_| !enough);
                let Some((process, met)) = next else { return false };
                let from = (process, met.at);
                self.current = Some(Current { met, from, asked: false, path: Vec::new(), found: None });
                continue;
            };
            let (process, number) = current.from;
            if process == self.me {
                let mut state = Vec::new();
                match self.search.read(number, &mut state) {
                    Some(origin) => self.came(state, origin),
                    None => self.fault = Some("a state on the way to an error is not there".to_string()),
                }
                continue;
            }
            if !std::mem::replace(&mut current.asked, true) {
                let mut bytes = vec![kind::ASK];
                put(&mut bytes, u64::from(number));
                out.tell(process, bytes);
            }
            return true;
        }
        false
    }

    /// A state that was asked for, and where it was met first.
    fn came(&mut self, state: Vec<u8>, origin: Origin) {
        let Some(mut current) = self.current.take() else { return };
        if current.path.is_empty() {
            current.found = match self.walks {
                Some(system) => levels::again(system, &state, current.met.ordinal),
                None => again(&mut self.expander, &state, current.met.ordinal),
            };
            let Some((violation, _)) = &current.found else {
                self.fault = Some("an error cannot be found again".to_string());
                return;
            };
            if let Some(&known) = self.known.get(&key(violation)) {
                self.fetched[known].events += current.met.events;
                return;
            }
        }
        current.path.push(state);
        current.asked = false;
        match (origin.get(), current.found.take()) {
            (Some(from), found) => {
                (current.from, current.found) = (from, found);
                self.current = Some(current);
            }
            (None, Some((violation, chain))) => {
                self.known.insert(key(&violation), self.fetched.len());
                current.path.reverse();
                self.fetched.push(Fetched { violation, path: current.path, chain, events: current.met.events });
            }
            (None, None) => self.fault = Some("an error cannot be found again".to_string()),
        }
    }
}

/// What goes wrong as the n-th thing in the expansion of a state.
fn again(expander: &mut Expander<'_>, state: &[u8], ordinal: u64) -> Option<(Violation, Vec<Step>)> {
    let (mut found, mut seen) = (None, 0);
    let mut look = |wrongs: &mut Vec<starwheel_engine::Wrong>| {
        for wrong in wrongs.drain(..) {
            if seen == ordinal {
                found = Some((wrong.violation, wrong.chain));
            }
            seen += 1;
        }
        if found.is_some() { Flow::Break(None) } else { Flow::Continue(()) }
    };
    if expander.expand(state, &mut look).is_continue() {
        _ = look(&mut expander.wrongs);
    }
    found
}

impl Member for Gather<'_, '_> {
    fn receive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        let (&first, rest) = bytes.split_first().ok_or(Garbled)?;
        let mut rest = Rest(rest);
        match first {
            kind::SUMMARY => *self.all.get_mut(from).ok_or(Garbled)? = Some(Summary::read(&mut rest)?),
            kind::ASK => {
                let number = u32::try_from(rest.number()?).map_err(|_| Garbled)?;
                let mut state = Vec::new();
                let origin = self.search.read(number, &mut state).ok_or(Garbled)?;
                let mut answer = vec![kind::ANSWER];
                let (process, number) = origin.get().map_or((0, 0), |(process, number)| (process + 1, number));
                put(&mut answer, process as u64);
                put(&mut answer, u64::from(number));
                put_bytes(&mut answer, &state);
                out.tell(from, answer);
            }
            kind::ANSWER => {
                let asked = self.current.as_ref().is_some_and(|c| c.asked && c.from.0 == from);
                let process = rest.number()?;
                let number = u32::try_from(rest.number()?).map_err(|_| Garbled)?;
                if !asked || process > self.all.len() as u64 {
                    return Err(Garbled);
                }
                let origin = if process == 0 { Origin::NONE } else { Origin::new(process as usize - 1, number) };
                let state = rest.bytes()?.to_vec();
                self.came(state, origin);
            }
            _ => return Err(Garbled),
        }
        if rest.is_empty() { Ok(()) } else { Err(Garbled) }
    }

    fn work(&mut self, out: &mut Outgoing) -> Left {
        if let Some(summary) = self.summary.take() {
            if self.me == 0 {
                self.all[0] = Some(summary);
            } else {
                let mut bytes = vec![kind::SUMMARY];
                summary.write(&mut bytes);
                out.tell(0, bytes);
            }
        }
        if self.me != 0 {
            return Left::Nothing;
        }
        if self.all.iter().any(Option::is_none) {
            return Left::Waiting;
        }
        if self.waiting.is_none() {
            let all = self.all.iter().enumerate();
            let errors = all.flat_map(|(process, s)| s.iter().flat_map(|s| &s.met).map(move |&met| (process, met)));
            let mut waiting: Vec<_> = errors.collect();
            waiting.sort_by_key(|(_, met)| met.rank);
            waiting.reverse();
            self.waiting = Some(waiting);
        }
        if self.follow(out) { Left::Waiting } else { Left::Nothing }
    }
}
