//! The graph of all states by several processes: when all are stored, each process writes about its own, with the numbers that
//! others have given to theirs, and the first one puts the pages together.
//!
//! A state is numbered by its place among those of its owner, after all those of the owners before; the owner of the initial
//! state comes first. So the numbers depend on how many processes there are, and the graph does not.

use crate::codec::Wire;
use crate::crew::{Crew, Left, Member, Outgoing, Trouble};
use crate::cycles::{exchange, stopped};
use crate::host::{self, Host};
use crate::link::{Head, kind};
use crate::run::{agree, visit};
use crate::search::Search;
use crate::wire::{Garbled, Rest, put};
use starwheel_engine::{Job, Ledger, Monitor, Stop};
use starwheel_store::{StateId, StateStore};
use std::collections::HashMap;
use std::io;

/// Kinds of packets, besides those of searches.
const NUMBERS: u8 = 64;
const PAGE: u8 = 65;
const WRITTEN: u8 = 66;

/// Bytes of a page.
const FULL: usize = 64 << 10;
/// Pages that may be on their way to the first process from each other one.
const WINDOW: u32 = 8;
/// States that may wait for the numbers of their successors.
const MANY: usize = 1 << 12;
/// States that are followed before somebody looks at what has arrived.
const BURST: usize = 64;

/// Follows all transitions of a state, and writes them down when it is known where they lead.
pub trait Scribe {
    /// What is remembered of a state in between.
    type Note;

    /// Follows the transitions of a state, and shows the state at the end of each that has one. What goes wrong is said in words.
    fn follow(&mut self, state: &[u8], show: &mut dyn FnMut(&[u8])) -> Result<Self::Note, String>;

    /// Appends a state with a number, given those of the states that were shown.
    fn write(
        &mut self,
        number: u64,
        state: &[u8],
        note: Self::Note,
        ends: &[u64],
        out: &mut Vec<u8>,
    ) -> Result<(), String>;
}

/// How large a graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// States.
    pub states: u64,
    /// Transitions between them.
    pub transitions: u64,
}

/// Why there is no graph.
#[derive(Debug)]
pub enum NoGraph {
    /// There are more states than were allowed.
    Limit(u64),
    /// The search was stopped.
    Stopped(Stop),
    /// It could not be written down.
    Unwritten(io::Error),
}

/// Where the first process puts the graph.
pub trait Sink {
    /// All states were found: so large it is.
    fn begin(&mut self, size: Size) -> io::Result<()>;

    /// Some states and all that leads out of them.
    fn page(&mut self, text: &[u8]) -> io::Result<()>;
}

/// Visits all states of a job together with the others of a crew and writes them down, unless there are more than a limit says.
/// The answer of the first process counts.
pub fn graph<S: Scribe>(
    job: &Job<'_>,
    crew: &mut Crew,
    (wire, limit): (Wire, Option<u64>),
    watch: &dyn Monitor,
    scribe: &mut S,
    sink: &mut dyn Sink,
) -> Result<Size, NoGraph> {
    let lost = |crew: &Crew, trouble| NoGraph::Stopped(Stop::Lost(crew.told(trouble)));
    let books = Ledger::new(job, watch);
    let place = (crew.index(), crew.count());
    let cut = agree(job.system, crew, wire).map_err(|trouble| lost(crew, trouble))?;
    let mut search = Search::new(job, job.system, books, place, (&cut, crew.window));
    search.most = limit;
    search.begin();
    visit(&mut search, crew, None, &cut).map_err(|trouble| lost(crew, trouble))?;
    let mut failed = None;
    let size = tell(&mut search, crew, scribe, sink, &mut failed).map_err(|trouble| lost(crew, trouble))?;
    match (failed, search.stopped.take()) {
        (Some(error), _) => Err(NoGraph::Unwritten(error)),
        (None, _) if limit.is_some_and(|limit| size.states > limit) => Err(NoGraph::Limit(limit.unwrap_or(0))),
        (None, Some(stop)) => Err(NoGraph::Stopped(stop.unwrap_or(Stop::Interrupted))),
        (None, None) => Ok(size),
    }
}

/// Writes all states down, if nobody was stopped. What cannot be written is noted.
fn tell<S: Scribe>(
    search: &mut Search<'_>,
    crew: &mut Crew,
    scribe: &mut S,
    sink: &mut dyn Sink,
    failed: &mut Option<io::Error>,
) -> Result<Size, Trouble> {
    let all = exchange(crew, search.stored)?;
    let arrivals = exchange(crew, search.matched)?.iter().sum::<u64>();
    let states = all.iter().sum::<u64>();
    // The initial state was entered and nothing led to it.
    let size = Size { states, transitions: (states + arrivals).saturating_sub(1) };
    if stopped(search, crew)? {
        return Ok(size);
    }
    if search.most.is_some_and(|most| states > most) {
        search.stop(Stop::Settled);
        return Ok(size);
    }
    let first = search.initial_owner();
    let mut bases = vec![0; all.len()];
    let mut next = 0;
    for turn in 0..all.len() {
        let process = (first + turn) % all.len();
        bases[process] = next;
        next += all[process];
    }
    if search.me() == 0
        && let Err(error) = sink.begin(size)
    {
        search.stop(Stop::Disk(error.to_string()));
        *failed = Some(error);
    }
    let mut telling = Telling {
        search,
        scribe,
        sink,
        failed,
        bases,
        next: 0,
        notes: HashMap::new(),
        ends: Vec::new(),
        page: Vec::new(),
        unwritten: 0,
        transitions: 0,
        told: false,
    };
    crew.phase(&mut telling)?;
    let own = telling.transitions;
    let transitions = exchange(crew, own)?.iter().sum::<u64>();
    if !stopped(search, crew)? && transitions != size.transitions {
        search.stop(Stop::Internal(format!("{} transitions were counted, and {transitions} told", size.transitions)));
    }
    Ok(size)
}

/// A state that waits for the numbers of its successors.
struct Waiting<N> {
    note: N,
    ends: Vec<u64>,
    missing: usize,
}

/// No number yet.
const UNKNOWN: u64 = u64::MAX;

/// What one process does while all is told.
struct Telling<'t, 'a, S: Scribe> {
    search: &'t mut Search<'a>,
    scribe: &'t mut S,
    sink: &'t mut dyn Sink,
    failed: &'t mut Option<io::Error>,
    /// By process: the number of its first state.
    bases: Vec<u64>,
    /// The state that is followed next.
    next: u32,
    notes: HashMap<u32, Waiting<S::Note>>,
    /// Scratch memory: the successors of a state.
    ends: Vec<Vec<u8>>,
    page: Vec<u8>,
    /// Pages that were sent and are not written.
    unwritten: u32,
    transitions: u64,
    told: bool,
}

impl<S: Scribe> Telling<'_, '_, S> {
    /// Follows the next state.
    fn follow(&mut self, out: &mut Outgoing) {
        let number = self.next;
        self.next += 1;
        let mut state = Vec::new();
        self.search.read(number, &mut state);
        self.ends.clear();
        let ends = &mut self.ends;
        let note = match self.scribe.follow(&state, &mut |end| ends.push(end.to_vec())) {
            Ok(note) => note,
            Err(why) => return self.search.stop(Stop::Internal(why)),
        };
        self.transitions += self.ends.len() as u64;
        let ends = std::mem::take(&mut self.ends);
        let mut waiting = Waiting { note, ends: vec![UNKNOWN; ends.len()], missing: 0 };
        let own = self.bases[self.search.me()];
        for (at, end) in ends.iter().enumerate() {
            if let Some(to) = self.search.elsewhere(end) {
                waiting.missing += 1;
                self.search.send_far(end, to, number, at as u64, out);
            } else if let Some(StateId(known)) = self.search.store.lookup(&end[self.search.skip()..]) {
                waiting.ends[at] = own + u64::from(known);
            } else {
                self.search.stop(Stop::Internal("a successor was not stored".to_string()));
            }
        }
        self.ends = ends;
        match waiting.missing {
            0 => self.write(number, waiting, out),
            _ => _ = self.notes.insert(number, waiting),
        }
    }

    /// Writes a state down of which everything is known.
    fn write(&mut self, number: u32, waiting: Waiting<S::Note>, out: &mut Outgoing) {
        let mut state = Vec::new();
        self.search.read(number, &mut state);
        let name = self.bases[self.search.me()] + u64::from(number);
        if let Err(why) = self.scribe.write(name, &state, waiting.note, &waiting.ends, &mut self.page) {
            self.search.stop(Stop::Internal(why));
        }
        if self.page.len() >= FULL {
            self.turn(out);
        }
    }

    /// Sends the page away.
    fn turn(&mut self, out: &mut Outgoing) {
        if self.page.is_empty() || self.search.stopped.is_some() {
            return;
        }
        let page = std::mem::take(&mut self.page);
        if self.search.me() == 0 {
            self.put_down(&page);
        } else {
            self.unwritten += 1;
            out.tell(0, [&[PAGE], &page[..]].concat());
        }
    }

    fn put_down(&mut self, page: &[u8]) {
        if let Err(error) = self.sink.page(page) {
            self.search.stop(Stop::Disk(error.to_string()));
            *self.failed = Some(error);
        }
    }

    /// States of others ask for the numbers of ours.
    fn asked(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        let mut rest = self.search.unpack(from, bytes)?;
        let (mut answer, mut hidden, mut last) = (vec![NUMBERS], Vec::new(), 0);
        let base = self.bases[self.search.me()];
        while !rest.is_empty() {
            let head = Head::read(&mut rest, last)?;
            last = head.from;
            let at = rest.number()?;
            hidden.clear();
            let Some(end) = self.search.read_edge(from, head.kinds, &mut rest, &mut hidden)? else { break };
            let StateId(known) = self.search.store.entered(end).ok_or(Garbled)?;
            [u64::from(last), at, base + u64::from(known)].into_iter().for_each(|n| put(&mut answer, n));
        }
        out.tell(from, answer);
        self.search.thank(from, out);
        Ok(())
    }

    /// Numbers that were asked for.
    fn answered(&mut self, mut rest: Rest<'_>, out: &mut Outgoing) -> Result<(), Garbled> {
        while !rest.is_empty() {
            let number = u32::try_from(rest.number()?).map_err(|_| Garbled)?;
            let (at, name) = (rest.number()?, rest.number()?);
            if self.search.stopped.is_some() {
                continue;
            }
            let waiting = self.notes.get_mut(&number).ok_or(Garbled)?;
            let end = usize::try_from(at).ok().and_then(|at| waiting.ends.get_mut(at)).ok_or(Garbled)?;
            if std::mem::replace(end, name) != UNKNOWN {
                return Err(Garbled);
            }
            waiting.missing -= 1;
            if waiting.missing == 0
                && let Some(waiting) = self.notes.remove(&number)
            {
                self.write(number, waiting, out);
            }
        }
        Ok(())
    }
}

impl<'a, S: Scribe> Host<'a> for Telling<'_, 'a, S> {
    fn search(&mut self) -> &mut Search<'a> {
        self.search
    }

    fn arrive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        match bytes.split_first().ok_or(Garbled)? {
            (&kind::FAR, _) => self.asked(from, bytes, out),
            (&NUMBERS, rest) => self.answered(Rest(rest), out),
            (&PAGE, page) if self.search.me() == 0 => {
                if self.search.stopped.is_none() {
                    self.put_down(page);
                }
                out.tell(from, vec![WRITTEN]);
                Ok(())
            }
            (&WRITTEN, []) if from == 0 => {
                self.unwritten = self.unwritten.saturating_sub(1);
                Ok(())
            }
            _ => self.search.control(from, bytes, &mut self.told),
        }
    }
}

impl<S: Scribe> Member for Telling<'_, '_, S> {
    fn receive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        host::receive(self, from, bytes, out)
    }

    fn work(&mut self, out: &mut Outgoing) -> Left {
        let left = |telling: &Self| u64::from(telling.next) < telling.search.stored;
        let open = left(self);
        self.search.look(open, out);
        let mut burst = BURST;
        let ready = |t: &Self| !t.search.blocked() && t.notes.len() < MANY && t.unwritten < WINDOW;
        while burst > 0 && self.search.stopped.is_none() && left(self) && ready(self) {
            self.follow(out);
            burst -= 1;
        }
        if self.search.stopped.is_some() {
            (self.next, self.unwritten) = (self.search.stored as u32, 0);
            self.notes.clear();
            self.page.clear();
        } else if !left(self) && self.notes.is_empty() {
            self.turn(out);
        }
        let go_on = left(self) && ready(self);
        match self.search.rest(go_on, &mut self.told, out) {
            Left::Nothing if left(self) || !self.notes.is_empty() || self.unwritten > 0 => Left::Waiting,
            left => left,
        }
    }
}
