//! A search of all states that several processes share: each state belongs to one of them, by its content, and only that one
//! stores and expands it.
//!
//! Free running: nobody waits for a level. A process expands what it has, sends successors to their owners, and receives in
//! between. It stops expanding, and goes on receiving, while a receiver is behind by a window of packets. Receiving needs no
//! sending, so this cannot end in a circle of waiting. Each process keeps its states by number in the order of arrival, hence
//! what still has to be expanded is a counter; with each state it keeps from where it was met first, for trails.

use crate::codec::{Cut, Wire};
use crate::crew::{Left, Outgoing};
use crate::database::{DATABASE, Database};
use crate::gather::Summary;
use crate::heralds::{Herald, Heralds, endless};
use crate::link::{Head, Link, kind};
use crate::stop;
use crate::wire::{Garbled, Rest, put};
use crate::wrongs::{Met, Tally, Wrongs};
use rapidhash::v3::rapidhash_v3;
use starwheel_engine::{Expander, Flow, Job, Key, Ledger, Stage, Stop};
use starwheel_store::{Inserted, NumberedTree, StateId, StateRef, StateSet, StateStore};
use starwheel_system::System;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Owners are told by so many shares, which are dealt to the processes in turn.
pub const SHARES: u64 = 1_024;
/// The time between two reports to the first process.
const PULSE: Duration = Duration::from_millis(100);
/// Bytes of a unit, and so many that a mask has room for those of all but long states.
const UNIT: usize = 4;
const FEW: usize = 32;

/// States that wait before they are entered.
const SOME: usize = 64;

/// From where a state was met first: a process and a number there. The initial state has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(u64);

impl Origin {
    /// That of the initial state.
    pub const NONE: Origin = Origin(u64::MAX);

    /// A state of a process.
    pub fn new(process: usize, number: u32) -> Origin {
        Origin((process as u64) << 32 | u64::from(number))
    }

    /// The process and the number; none for the initial state.
    pub fn get(self) -> Option<(usize, u32)> {
        (self != Origin::NONE).then_some(((self.0 >> 32) as usize, self.0 as u32))
    }
}

/// The owner of a state: it depends on what is compared of its bytes alone.
pub fn owner(visible: &[u8], processes: usize) -> usize {
    (rapidhash_v3(visible) % SHARES) as usize % processes
}

/// A state that belongs here and is about to be entered.
struct Waiting {
    /// None if there was no memory for a name.
    name: Option<StateRef>,
    origin: Origin,
    herald: Herald,
}

/// A packet of transitions: the states that they leave are told by what they have in common with the one before.
pub struct Edges<'b> {
    from: usize,
    rest: Rest<'b>,
    last: u32,
    /// Hidden bytes of the state at the end of the transition that was read last.
    pub hidden: Vec<u8>,
}

/// A transition that has come.
pub struct Came {
    /// The state that it leaves.
    pub origin: Origin,
    /// A number that goes with it.
    pub value: u64,
    /// The name of the state at its end; none if there is no memory.
    pub end: Option<StateRef>,
}

/// Gives names to the successors of a state.
struct Naming<'n> {
    store: &'n mut NumberedTree,
    /// The state that is expanded.
    at: StateRef,
    state: &'n [u8],
    skip: usize,
    /// Units of the hidden bytes, if these are whole and few.
    units: Option<u32>,
    names: &'n mut Vec<Option<StateRef>>,
}

impl Stage for Naming<'_> {
    #[inline(always)]
    fn show(&mut self, state: &[u8], changed: u64) {
        let changed = match self.units {
            Some(units) if changed != u64::MAX => changed >> units,
            _ => u64::MAX,
        };
        let name = self.store.name_changed(&state[self.skip..], (self.at, &self.state[self.skip..]), changed);
        // Half of them, or fewer, will be looked up here; to ask for all is cheaper than to find out which.
        name.iter().for_each(|&name| self.store.expect(name));
        self.names.push(name);
    }
}

/// What one process does in the search.
pub struct Search<'a> {
    me: usize,
    processes: usize,
    /// Packets that a receiver may be behind.
    window: u32,
    pub expander: Expander<'a>,
    pub books: Ledger<'a>,
    all_errors: bool,
    pub store: NumberedTree,
    skip: usize,
    hidden: Vec<u8>,
    origins: Vec<Origin>,
    /// The number of the next state to expand.
    next: u32,
    links: Vec<Link>,
    /// What is known of the numbers of pieces, if one process gives them.
    database: Rc<RefCell<Database>>,
    /// Packets with numbers that are not known yet, and their senders; none if there is no database.
    early: Option<VecDeque<(usize, Vec<u8>)>>,
    found: HashMap<Key, usize>,
    pub met: Vec<Met>,
    /// How often something went wrong here.
    pub errors: u64,
    pub stored: u64,
    pub matched: u64,
    /// Arrivals from others.
    pub remote: u64,
    /// What is known of accepting states before others, if cycles are looked for.
    pub heralds: Option<Heralds>,
    /// Why the search is over before its end: nothing more is expanded. The inner one is none if enough was found.
    pub stopped: Option<Option<Stop>>,
    /// States that all processes together may have.
    pub most: Option<u64>,
    pulse: Instant,
    /// By process: what the first one was told.
    heard: Vec<(u64, u64, u64)>,
    state: Vec<u8>,
    /// By successor of the state that was expanded last: its name, if there was memory for it.
    names: Vec<Option<StateRef>>,
    /// Room for a state that has come.
    arrived: Vec<u8>,
    /// States that are entered together, so that their places in memory are fetched together; and their hidden bytes, one behind the
    /// other.
    waiting: Vec<Waiting>,
    unseen: Vec<u8>,
}

impl<'a> Search<'a> {
    /// Nothing was visited of a system, which may have more in its states than that of the job. The owner of the initial state
    /// enters it.
    pub fn new(
        job: &'a Job<'a>,
        system: &'a dyn System,
        books: Ledger<'a>,
        (me, processes): (usize, usize),
        (cut, window): (&Cut, u32),
    ) -> Search<'a> {
        let database = Rc::new(RefCell::new(Database::new(me)));
        Search {
            me,
            processes,
            window,
            expander: Expander::new(system),
            books,
            all_errors: job.all_errors,
            store: NumberedTree::with_split(job.limits.memory, cut.split().clone()),
            skip: system.hidden_bytes(),
            hidden: Vec::new(),
            origins: Vec::new(),
            next: 0,
            links: (0..processes).map(|_| Link::new(cut, &database)).collect(),
            early: (cut.wire() == Wire::Global).then(VecDeque::new),
            database,
            found: HashMap::new(),
            met: Vec::new(),
            errors: 0,
            stored: 0,
            matched: 0,
            remote: 0,
            heralds: endless(job).then(|| Heralds::new(me, processes, job.goal.stutter)),
            stopped: None,
            most: None,
            pulse: Instant::now(),
            heard: vec![(0, 0, 0); processes],
            state: Vec::new(),
            names: Vec::new(),
            arrived: Vec::new(),
            waiting: Vec::new(),
            unseen: Vec::new(),
        }
    }

    /// Enters the initial state if it belongs here. What is wrong with it is told by the first process.
    pub fn begin(&mut self) {
        let opening = self.expander.initial();
        if self.me == 0 {
            for violation in &opening.violations {
                if let Flow::Break(stop) = self.books.event(violation, Vec::new) {
                    self.stopped = Some(stop);
                }
            }
        }
        let mut first = Vec::new();
        self.expander.each(|state| first = state.to_vec());
        if !opening.broken && owner(&first[self.skip..], self.processes) == self.me {
            let name = self.store.name(&first[self.skip..]);
            _ = self.insert(name, &first[..self.skip], Origin::NONE);
        }
    }

    /// True if a state waits to be expanded.
    pub fn is_open(&self) -> bool {
        u64::from(self.next) < self.stored
    }

    /// True if nothing is open and nothing waits to be sent.
    pub fn is_done(&self) -> bool {
        !self.is_open() && self.is_sent()
    }

    /// True if nothing waits for a number, or to be sent.
    fn is_sent(&self) -> bool {
        self.links.iter().all(Link::is_empty) && self.early.as_ref().is_none_or(VecDeque::is_empty)
    }

    /// By process: how many states were sent to it, and received from it.
    pub fn traffic(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.links.iter().map(|link| (link.sent, link.received))
    }

    /// Replaces `out` by a state, and says where it came from; none if there is no such state.
    pub fn read(&self, number: u32, out: &mut Vec<u8>) -> Option<Origin> {
        let origin = *self.origins.get(number as usize)?;
        out.clear();
        let start = number as usize * self.skip;
        out.extend_from_slice(self.hidden.get(start..start + self.skip)?);
        self.store.read(StateId(number), out);
        Some(origin)
    }

    /// Stores a state that belongs here, by its name and with its hidden bytes.
    #[inline]
    pub fn insert(&mut self, name: Option<StateRef>, hidden: &[u8], origin: Origin) -> Inserted {
        let inserted = name.map_or(Inserted::Full, |name| self.store.enter(name));
        match inserted {
            Inserted::New(_) => {
                self.stored += 1;
                self.hidden.extend_from_slice(hidden);
                self.origins.push(origin);
                self.heralds.iter_mut().for_each(Heralds::enter);
            }
            Inserted::Known(_) => self.matched += 1,
            Inserted::Full => self.full(),
        }
        inserted
    }

    /// Has a state that belongs here wait until it is entered; true if there are many.
    #[inline]
    pub fn wait(&mut self, name: Option<StateRef>, hidden: &[u8], origin: Origin, herald: Herald) -> bool {
        self.waiting.push(Waiting { name, origin, herald });
        self.unseen.extend_from_slice(hidden);
        self.waiting.len() >= SOME
    }

    /// Enters the states that wait.
    pub fn enter(&mut self) {
        for name in self.waiting.iter().filter_map(|w| w.name) {
            self.store.expect_soon(name);
        }
        let (mut waiting, mut unseen) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.unseen));
        for (at, state) in waiting.iter().enumerate() {
            if self.stopped.is_some() {
                break;
            }
            self.meet(state.name, &unseen[at * self.skip..][..self.skip], state.origin, state.herald);
        }
        waiting.clear();
        unseen.clear();
        (self.waiting, self.unseen) = (waiting, unseen);
    }

    /// Stores a state that belongs here, to which the news of an accepting state before it has come.
    #[inline]
    fn meet(&mut self, name: Option<StateRef>, hidden: &[u8], origin: Origin, herald: Herald) {
        if let (Inserted::New(StateId(number)) | Inserted::Known(StateId(number)), Some(heralds)) =
            (self.insert(name, hidden, origin), &mut self.heralds)
        {
            heralds.hear(number, herald);
        }
    }

    /// True if a cycle has shown itself here.
    pub fn has_cycle(&self) -> bool {
        self.heralds.as_ref().is_some_and(|heralds| heralds.found().is_some())
    }

    /// Notes a shorter way to a state, which may come with other hidden bytes.
    pub fn shorten(&mut self, number: u32, hidden: &[u8], origin: Origin) {
        self.hidden[number as usize * self.skip..][..self.skip].copy_from_slice(hidden);
        self.came_from(number, origin);
    }

    /// Sends a state to its owner, with how far it is from the one that was expanded.
    pub fn send_far(&mut self, state: &[u8], to: usize, from: u32, far: u64, out: &mut Outgoing) {
        let Some(name) = self.name(state) else { return };
        let link = &mut self.links[to];
        link.begin(kind::FAR, from);
        put(&mut link.packet, far);
        link.finish(state, self.skip, name, &self.store);
        if link.is_full() {
            link.seal(to, out);
        }
    }

    /// The name of a state; none if there is no memory for it, which ends the search.
    pub fn name(&mut self, state: &[u8]) -> Option<StateRef> {
        let name = self.store.name(&state[self.skip..]);
        if name.is_none() {
            self.full();
        }
        name
    }

    /// There is no memory for something.
    fn full(&mut self) {
        if let Flow::Break(stop) = self.books.full() {
            self.stopped.get_or_insert(stop);
        }
    }

    /// All states were expanded, by somebody who counts in the books.
    pub fn all_expanded(&mut self) {
        self.next = self.stored as u32;
        let (executed, round) = self.books.seen();
        self.expander.executed.iter_mut().zip(executed).for_each(|(own, other)| *own |= other);
        self.expander.round |= round;
        let stats = &self.books.stats;
        self.expander.atomic_steps = stats.atomic_steps;
        self.expander.ticks = stats.ticks;
        self.expander.longest = self.expander.longest.max(stats.state_bytes as usize);
    }

    /// Expands the next state. Successors that belong here may still have to be entered ([`Search::enter`]).
    pub fn expand(&mut self, out: &mut Outgoing) {
        let (number, mut state) = (self.next, std::mem::take(&mut self.state));
        let (Some(_), Some(at)) = (self.read(number, &mut state), self.store.name_of(StateId(number))) else { return };
        self.next += 1;
        if owner(&state[self.skip..], self.processes) != self.me {
            return self.stop(Stop::Internal("a state has come to a process that does not own it".to_string()));
        }
        let mut wrongs = Wrongs { at: number, ordinal: 0, flow: Flow::Continue(()) };
        let Search { expander, books, found, met, errors, all_errors, store, names, skip, .. } = self;
        let mut tally = Tally { books, found, met, errors, all: *all_errors };
        names.clear();
        let units = (skip.is_multiple_of(UNIT) && *skip < UNIT * FEW).then_some((*skip / UNIT) as u32);
        let mut naming = Naming { store, at, state: &state, skip: *skip, units, names };
        let paused = expander.expand_onto(&state, &mut naming, |naming, wrong| {
            wrongs.take(wrong, &mut tally)?;
            // A chain is long, and takes memory besides the store.
            let usage = naming.store.usage();
            if let Some(bytes) = tally.books.usage_elsewhere(usage) {
                naming.store.besides(bytes);
            }
            tally.books.check_limits(0, usage)?;
            tally.books.check_resident()
        });
        let mut last = std::mem::take(&mut self.expander.wrongs);
        let Search { books, found, met, errors, all_errors, .. } = self;
        let mut tally = Tally { books, found, met, errors, all: *all_errors };
        let flow = if paused.is_continue() { wrongs.take(&mut last, &mut tally) } else { paused };
        self.expander.wrongs = last;
        if let Flow::Break(stop) = flow {
            self.state = state;
            self.stopped.get_or_insert(stop);
            return;
        }
        self.matched += std::mem::take(&mut self.expander.repeated);
        let Search { heralds, expander, .. } = self;
        let herald = heralds.as_mut().map_or(Herald::NONE, |heralds| {
            let accepts = expander.accepting(&state);
            heralds.leave(number, accepts, expander.at_end())
        });
        let names = std::mem::take(&mut self.names);
        for (successor, &name) in names.iter().enumerate() {
            let (next, _) = self.expander.successor(successor);
            let to = owner(&next[self.skip..], self.processes);
            if to == self.me {
                self.waiting.push(Waiting { name, origin: Origin::new(self.me, number), herald });
                self.unseen.extend_from_slice(&next[..self.skip]);
            } else {
                let Some(name) = name else {
                    self.full();
                    continue;
                };
                let link = &mut self.links[to];
                link.begin(kind::STATES, number);
                if let Some(heralds) = &self.heralds {
                    heralds.write(herald, &mut link.packet);
                }
                link.finish(next, self.skip, name, &self.store);
                if link.is_full() {
                    link.seal(to, out);
                }
            }
        }
        self.names = names;
        self.state = state;
        if self.waiting.len() >= SOME || !self.is_open() {
            self.enter();
        }
    }

    /// The number of the first state that was not expanded.
    pub fn open_from(&self) -> u32 {
        self.next
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// Ends the search, unless it has ended.
    pub fn stop(&mut self, why: Stop) {
        self.stopped.get_or_insert(Some(why));
    }

    /// Takes over a state of a search that was saved; where it was met is not said yet. False if it cannot be.
    pub fn adopt(&mut self, state: &[u8]) -> bool {
        let before = self.stored;
        let name = self.store.name(&state[self.skip..]);
        _ = self.insert(name, &state[..self.skip], Origin::NONE);
        self.stored > before
    }

    /// Says where a state was met.
    pub fn came_from(&mut self, number: u32, origin: Origin) {
        if let Some(known) = self.origins.get_mut(number as usize) {
            *known = origin;
        }
    }

    /// So many states were expanded by those who saved them.
    pub fn go_on_from(&mut self, expanded: u32) {
        self.next = expanded;
    }

    /// Counts what a process has counted that saved this search, but for its states.
    pub fn inherit(&mut self, saved: &Summary) {
        let [_, matched, remote, atomic_steps, ticks, errors, longest, ..] = saved.counts;
        self.matched += matched;
        self.remote += remote;
        self.errors += errors;
        self.expander.atomic_steps += atomic_steps;
        self.expander.ticks += ticks;
        self.expander.longest = self.expander.longest.max(longest as usize);
        self.expander.round |= saved.round;
        self.expander.executed.iter_mut().zip(&saved.executed).for_each(|(own, other)| *own |= other);
    }

    /// The process that has the initial state.
    pub fn initial_owner(&mut self) -> usize {
        self.expander.initial();
        let mut first = 0;
        let Search { expander, skip, processes, .. } = self;
        expander.each(|state| first = owner(&state[*skip..], *processes));
        first
    }

    /// The number of this process.
    pub fn me(&self) -> usize {
        self.me
    }

    /// The number of hidden bytes of a state.
    pub fn skip(&self) -> usize {
        self.skip
    }

    /// Makes the successors of a state that was expanded before the current ones of the expander.
    pub fn passes(&mut self, state: &[u8]) -> Flow {
        let Search { expander, books, store, .. } = self;
        let flow = expander.expand(state, |wrongs| {
            wrongs.clear();
            let usage = store.usage();
            if let Some(bytes) = books.usage_elsewhere(usage) {
                store.besides(bytes);
            }
            books.check_limits(0, usage)?;
            books.check_resident()
        });
        expander.wrongs.clear();
        flow
    }

    /// The owner of a state, if it is another process.
    pub fn elsewhere(&self, state: &[u8]) -> Option<usize> {
        Some(owner(&state[self.skip..], self.processes)).filter(|&to| to != self.me)
    }

    /// Sends a transition to the owner of a successor that the expander shows, with a value.
    pub fn send_edge(&mut self, successor: usize, to: usize, from: u32, value: u64, out: &mut Outgoing) {
        let Search { store, expander, skip, .. } = self;
        let next = expander.successor(successor).0;
        let Some(name) = store.name(&next[*skip..]) else { return self.full() };
        let link = &mut self.links[to];
        link.begin(kind::EDGES, from);
        put(&mut link.packet, value);
        link.finish(next, *skip, name, store);
        if link.is_full() {
            link.seal(to, out);
        }
    }

    /// Reads the state at the end of a transition, or one that is sent to its owner: its hidden bytes, which are appended, and its
    /// name, unless there is no memory for it, which ends the search.
    #[inline]
    pub fn read_edge(
        &mut self,
        from: usize,
        kinds: u8,
        rest: &mut Rest<'_>,
        hidden: &mut Vec<u8>,
    ) -> Result<Option<StateRef>, Garbled> {
        hidden.extend_from_slice(rest.take(self.skip)?);
        let Search { me, processes, links, store, arrived, .. } = self;
        let link = links.get_mut(from).ok_or(Garbled)?;
        let expected = |state: &[u8]| owner(state, *processes) == *me;
        let name = link.reader.read(kinds, (rest, arrived), store, expected)?;
        link.received += 1;
        if name.is_none() {
            // Nothing that follows in this packet can be understood.
            rest.0 = &[];
            self.full();
        }
        Ok(name)
    }

    /// A packet of transitions that a process has sent.
    pub fn edges<'b>(&mut self, from: usize, bytes: &'b [u8]) -> Result<Edges<'b>, Garbled> {
        Ok(Edges { from, rest: self.unpack(from, bytes)?, last: 0, hidden: Vec::new() })
    }

    /// Reads the next transition of a packet.
    pub fn next_edge(&mut self, packet: &mut Edges<'_>) -> Result<Option<Came>, Garbled> {
        if packet.rest.is_empty() {
            return Ok(None);
        }
        let Head { from, kinds } = Head::read(&mut packet.rest, packet.last)?;
        packet.last = from;
        let value = packet.rest.number()?;
        packet.hidden.clear();
        let end = self.read_edge(packet.from, kinds, &mut packet.rest, &mut packet.hidden)?;
        Ok(Some(Came { origin: Origin::new(packet.from, from), value, end }))
    }

    /// What is left of a packet of states behind its head. Whoever was stopped looks at nothing any more, nor could: what there was no
    /// memory for is missing in the dictionary of its link.
    pub fn unpack<'b>(&mut self, from: usize, bytes: &'b [u8]) -> Result<Rest<'b>, Garbled> {
        if self.stopped.is_some() {
            return Ok(Rest(&[]));
        }
        let mut rest = Rest(bytes.get(1..).ok_or(Garbled)?);
        self.links.get_mut(from).ok_or(Garbled)?.reader.begin(&mut rest)?;
        Ok(rest)
    }

    /// Asks the database, if a packet waits for an answer and nothing was asked.
    fn ask(&mut self, out: &mut Outgoing) {
        let Some(early) = &self.early else { return };
        if early.is_empty() && !self.links.iter().any(Link::waits) {
            return;
        }
        let mut database = self.database.borrow_mut();
        if database.is_full() {
            self.stopped.get_or_insert(Some(Stop::Internal("there are too many pieces of states".to_string())));
        } else if let Some(question) = database.question() {
            out.tell(DATABASE, [&[kind::QUESTION], &question[..]].concat());
        }
    }

    /// Looks whether a packet can be worked up now: not if it is for the database, or has to wait for it.
    pub fn admits(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<bool, Garbled> {
        let (Some(early), Some((&first, rest))) = (&mut self.early, bytes.split_first()) else { return Ok(true) };
        match first {
            kind::QUESTION => {
                for answer in self.database.borrow_mut().answer(Rest(rest))? {
                    out.tell(from, [&[kind::ANSWER], &answer[..]].concat());
                }
                Ok(false)
            }
            kind::ANSWER if from == DATABASE => {
                self.database.borrow_mut().learn(Rest(rest))?;
                self.links.iter_mut().enumerate().for_each(|(to, link)| link.release(to, out));
                Ok(false)
            }
            kind::STATES | kind::EDGES | kind::FAR if Rest(rest).number()? > self.database.borrow().count() => {
                early.push_back((from, bytes.to_vec()));
                Ok(false)
            }
            _ => Ok(true),
        }
    }

    /// A packet that had to wait and has waited long enough.
    pub fn admitted(&mut self) -> Option<(usize, Vec<u8>)> {
        let (early, known) = (self.early.as_mut()?, self.database.borrow().count());
        let needs = |bytes: &[u8]| Rest(bytes.get(1..).unwrap_or_default()).number();
        let at = early.iter().position(|(_, bytes)| needs(bytes).is_ok_and(|needs| needs <= known))?;
        early.remove(at)
    }

    /// A packet was worked up; the sender is told when there are some.
    pub fn thank(&mut self, from: usize, out: &mut Outgoing) {
        let many = self.window / 4;
        if let Some(link) = self.links.get_mut(from) {
            link.thanks += 1;
            if link.thanks >= many {
                link.thank(from, out);
            }
        }
    }

    /// Looks at a packet that is about the search itself; whether its end was told to all is noted.
    pub fn control(&mut self, from: usize, bytes: &[u8], told: &mut bool) -> Result<(), Garbled> {
        let (&first, rest) = bytes.split_first().ok_or(Garbled)?;
        let mut rest = Rest(rest);
        match first {
            kind::THANKS => {
                let link = self.links.get_mut(from).ok_or(Garbled)?;
                let count = rest.number()?;
                link.unthanked = u64::from(link.unthanked).checked_sub(count).ok_or(Garbled)? as u32;
            }
            kind::STOP => {
                let why = stop::read(&mut rest)?;
                self.stopped.get_or_insert(why);
                // Whoever said so has told everybody.
                *told = true;
            }
            kind::PULSE => {
                let heard = self.heard.get_mut(from).ok_or(Garbled)?;
                *heard = (rest.number()?, rest.number()?, rest.number()?);
            }
            _ => return Err(Garbled),
        }
        if rest.is_empty() { Ok(()) } else { Err(Garbled) }
    }

    /// What is left to do after some work, given whether something is open: sends what can be sent before somebody rests.
    pub fn rest(&mut self, open: bool, told: &mut bool, out: &mut Outgoing) -> Left {
        if self.stopped.is_some() {
            self.end(told, out);
            self.links.iter_mut().for_each(Link::clear);
            self.early.iter_mut().for_each(VecDeque::clear);
            return Left::Nothing;
        }
        self.ask(out);
        if open && !self.blocked() {
            return Left::More;
        }
        for (to, link) in self.links.iter_mut().enumerate().filter(|(to, _)| *to != self.me) {
            if link.unthanked < self.window {
                link.seal(to, out);
            }
            link.thank(to, out);
        }
        // What was sealed just now may want numbers.
        self.ask(out);
        if open || !self.is_sent() { Left::Waiting } else { Left::Nothing }
    }

    /// True if a receiver is too far behind.
    pub fn blocked(&self) -> bool {
        self.links.iter().any(|link| link.unthanked >= self.window)
    }

    /// Tells everybody that the search is over, if that is so and they do not know.
    fn end(&mut self, told: &mut bool, out: &mut Outgoing) {
        if let (Some(why), false) = (&self.stopped, *told) {
            *told = true;
            let mut bytes = vec![kind::STOP];
            stop::write(why.as_ref(), &mut bytes);
            out.tell_all(&bytes);
        }
    }

    /// Looks at the clock and the memory.
    pub fn check(&mut self) {
        let usage = self.store.usage();
        if let Some(bytes) = self.books.usage_elsewhere(usage) {
            self.store.besides(bytes);
        }
        if let Flow::Break(stop) = self.books.check_limits(0, usage) {
            self.stopped.get_or_insert(stop);
        }
    }

    /// Looks at the clock and the memory. Who has something to do tells the first process how far it is, which may then
    /// answer that it is time to stop; who rests must not speak.
    pub fn look(&mut self, open: bool, out: &mut Outgoing) {
        let usage = self.store.usage();
        self.heard[self.me] = (self.stored, self.matched, usage.bytes);
        let sum = |of: fn(&(u64, u64, u64)) -> u64| self.heard.iter().map(of).sum::<u64>();
        self.books.stats.states_stored = sum(|h| h.0);
        self.books.stats.states_matched = sum(|h| h.1);
        if self.most.is_some_and(|most| sum(|h| h.0) > most) {
            self.stopped.get_or_insert(Some(Stop::Settled));
        }
        self.check();
        if open && self.me != 0 && self.pulse.elapsed() >= PULSE {
            self.pulse = Instant::now();
            let mut bytes = vec![kind::PULSE];
            [self.stored, self.matched, usage.bytes].into_iter().for_each(|number| put(&mut bytes, number));
            out.tell(0, bytes);
        }
    }
}
