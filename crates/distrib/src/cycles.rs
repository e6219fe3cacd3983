//! Is there a run that passes an accepting state again and again? Waves through the states that were stored, by all processes.
//!
//! OWCTY, *one way catch them young*: I. Černá, R. Pelánek, Distributed Explicit Fair Cycle Detection (SPIN 2003). From a set of
//! states, first all, only those stay that can be reached within it from its accepting states, and of these only those that can
//! be reached from one that stays; this is repeated until nothing changes. If something is left, every state of it has a
//! predecessor in it, so each of its components that no other leads to is a cycle with an accepting state.
//!
//! The cycle is found by maximal accepting predecessors: L. Brim, I. Černá, P. Moravec, J. Šimša, Accepting Predecessors Are Better
//! than Back Edges in Distributed LTL Model-Checking (FMCAD 2004), within what is left. In a component that no other leads to,
//! the greatest accepting state is its own greatest accepting predecessor. Where we differ: values are the names of states, which
//! any order does for. The same values answer early, while states are still visited (`heralds.rs`).
//!
//! Transitions are counted with multiplicity, by the same expansion in each wave, or a count would not come to zero.

use crate::crew::{Crew, Left, Member, Outgoing, Trouble};
use crate::heralds::Heralds;
use crate::host::{self, Host};
use crate::link::kind;
use crate::search::{Came, Origin, Search};
use crate::wire::{Garbled, Rest, put, put_bytes};
use starwheel_engine::Flow;
use starwheel_store::{StateId, StateStore};

/// In the set that is looked at.
const INSIDE: u8 = 1;
/// Reached in this round.
const REACHED: u8 = 2;
/// Accepting.
const ACCEPTS: u8 = 4;
/// Waits to be expanded.
const WAITS: u8 = 8;

/// States that are expanded before somebody looks at what has arrived.
const BURST: usize = 512;

/// States between two looks at the clock.
const LOOK: u32 = 1 << 12;

/// What is known of each state of a process.
#[derive(Default)]
struct Marks {
    flags: Vec<u8>,
    /// Transitions into it from states of the set.
    into: Vec<u32>,
    /// The greatest accepting state before it, by its name; zero if there is none.
    greatest: Vec<u64>,
    /// From where a state was reached on the way round.
    round: Vec<Origin>,
}

/// A run without end: stored states to the start of the cycle, and from there on until it comes round. The latter are none if it
/// stays where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// From the initial state to the first state of the cycle.
    pub stem: Vec<Vec<u8>>,
    /// The states after that, up to the first one again.
    pub cycle: Vec<Vec<u8>>,
}

/// What a wave is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// What can be reached from accepting states.
    Reach,
    /// What has no predecessor.
    Trim,
    /// The greatest accepting predecessors.
    Greatest,
    /// The way from a state, by its name, to itself.
    Round(u64),
}

/// The name of a state; never zero.
pub fn name(process: usize, number: u32) -> u64 {
    (process as u64) << 32 | (u64::from(number) + 1)
}

/// The process and the number of a state.
pub fn named(name: u64) -> (usize, u32) {
    ((name >> 32) as usize, (name as u32).wrapping_sub(1))
}

/// Looks for a cycle among the states that a search has stored, all of which were expanded. The lasso is for the first process;
/// the others get one that is empty. None if there is no cycle, or if the search was stopped, as it says then.
pub fn find(search: &mut Search<'_>, crew: &mut Crew, stutter: bool) -> Result<Option<Lasso>, Trouble> {
    let mut marks = Marks::default();
    accepting(search, &mut marks);
    let mut size = exchange(crew, search.stored)?.iter().sum::<u64>();
    loop {
        let stays = wave(search, crew, &mut marks, Aim::Reach, (stutter, false))?;
        let stays = exchange(crew, stays)?;
        if stopped(search, crew)? {
            return Ok(None);
        }
        if let Some(&stays) = stays.iter().find(|&&name| name != 0) {
            return lasso(search, crew, &marks, stays, None).map(Some);
        }
        for flag in &mut marks.flags {
            *flag = if *flag & REACHED != 0 { *flag & !REACHED } else { *flag & !(INSIDE | REACHED) };
        }
        wave(search, crew, &mut marks, Aim::Trim, (stutter, false))?;
        let left = marks.flags.iter().filter(|&&flag| flag & INSIDE != 0).count() as u64;
        let left = exchange(crew, left)?.iter().sum::<u64>();
        if stopped(search, crew)? || left == 0 {
            return Ok(None);
        }
        if left == size {
            break;
        }
        size = left;
    }
    wave(search, crew, &mut marks, Aim::Greatest, (stutter, false))?;
    let own = search.me();
    let round = |(number, &greatest): (usize, &u64)| Some(greatest).filter(|&g| g == name(own, number as u32));
    let first = marks.greatest.iter().enumerate().find_map(round).unwrap_or(0);
    let first = exchange(crew, first)?.into_iter().find(|&name| name != 0);
    if stopped(search, crew)? {
        return Ok(None);
    }
    // There is one, as was proved above.
    let Some(first) = first else { return Err(Trouble::Mute) };
    let last = wave(search, crew, &mut marks, Aim::Round(first), (stutter, false))?;
    let last = exchange(crew, last)?.into_iter().find(|&name| name != 0);
    if stopped(search, crew)? {
        return Ok(None);
    }
    lasso(search, crew, &marks, first, Some(last.ok_or(Trouble::Mute)?)).map(Some)
}

/// The run without end that was found before all states were visited, if one was and nobody was stopped. Its cycle is among the
/// states that were stored, and some of these lead to others that were not.
pub fn early(search: &mut Search<'_>, crew: &mut Crew) -> Result<Option<Lasso>, Trouble> {
    let own = search.heralds.as_ref().and_then(Heralds::found);
    let own = own.map_or(0, |(name, stays)| name << 1 | u64::from(stays));
    let found = exchange(crew, own)?.into_iter().find(|&found| found != 0);
    let (Some(found), false) = (found, stopped(search, crew)?) else { return Ok(None) };
    let (first, stays) = (found >> 1, found & 1 == 1);
    let mut marks = Marks { flags: vec![INSIDE; search.stored as usize], ..Marks::default() };
    let mut last = None;
    if !stays {
        let met = wave(search, crew, &mut marks, Aim::Round(first), (false, true))?;
        let met = exchange(crew, met)?.into_iter().find(|&name| name != 0);
        if stopped(search, crew)? {
            return Ok(None);
        }
        last = Some(met.ok_or(Trouble::Mute)?);
    }
    let lasso = lasso(search, crew, &marks, first, last)?;
    // That was enough.
    search.stopped = Some(None);
    Ok(Some(lasso))
}

/// Whether anybody was stopped: the same answer for all.
pub fn stopped(search: &Search<'_>, crew: &mut Crew) -> Result<bool, Trouble> {
    Ok(exchange(crew, u64::from(search.stopped.is_some()))?.iter().any(|&stopped| stopped != 0))
}

/// Notes which states are accepting; all are in the set.
fn accepting(search: &mut Search<'_>, marks: &mut Marks) {
    let mut state = Vec::new();
    for number in 0..search.stored as u32 {
        search.read(number, &mut state);
        let accepts = search.expander.accepting(&state);
        marks.flags.push(INSIDE | if accepts { ACCEPTS } else { 0 });
        if number % LOOK == 0 {
            search.check();
        }
    }
}

/// Sends a wave through all processes. It answers with a name, or with zero: of a state where the system stays for ever, or of
/// the last state on the way round.
fn wave(
    search: &mut Search<'_>,
    crew: &mut Crew,
    marks: &mut Marks,
    aim: Aim,
    (stutter, part): (bool, bool),
) -> Result<u64, Trouble> {
    let count = marks.flags.len();
    let mut open = Vec::new();
    match aim {
        Aim::Reach => {
            marks.into.clear();
            marks.into.resize(count, 0);
            for (number, flag) in marks.flags.iter_mut().enumerate() {
                if *flag & (INSIDE | ACCEPTS) == INSIDE | ACCEPTS {
                    *flag |= REACHED;
                    open.push(number as u32);
                }
            }
        }
        Aim::Trim => {
            for (number, flag) in marks.flags.iter_mut().enumerate() {
                if *flag & INSIDE != 0 && marks.into[number] == 0 {
                    *flag &= !INSIDE;
                    open.push(number as u32);
                }
            }
        }
        Aim::Greatest => {
            marks.greatest.resize(count, 0);
            for (number, flag) in marks.flags.iter_mut().enumerate() {
                if *flag & (INSIDE | ACCEPTS) == INSIDE | ACCEPTS {
                    *flag |= WAITS;
                    open.push(number as u32);
                }
            }
        }
        Aim::Round(first) => {
            marks.round.resize(count, Origin::NONE);
            let (process, number) = named(first);
            if process == search.me() {
                open.push(number);
            }
        }
    }
    let mut wave = Wave { search, marks, aim, open, told: false, stutter, part, answer: 0 };
    crew.phase(&mut wave)?;
    Ok(wave.answer)
}

/// What one process does in a wave.
struct Wave<'w, 'a> {
    search: &'w mut Search<'a>,
    marks: &'w mut Marks,
    aim: Aim,
    open: Vec<u32>,
    told: bool,
    stutter: bool,
    /// Not all successors of states were stored.
    part: bool,
    answer: u64,
}

impl Wave<'_, '_> {
    fn expand(&mut self, number: u32, out: &mut Outgoing) {
        let search = &mut *self.search;
        let me = search.me();
        let mut state = Vec::new();
        search.read(number, &mut state);
        let flow = search.passes(&state);
        if let Flow::Break(stop) = flow {
            search.stopped.get_or_insert(stop);
            return;
        }
        let flag = &mut self.marks.flags[number as usize];
        *flag &= !WAITS;
        let accepts = *flag & ACCEPTS != 0;
        let value = match self.aim {
            Aim::Greatest if accepts => self.marks.greatest[number as usize].max(name(me, number)),
            Aim::Greatest => self.marks.greatest[number as usize],
            _ => 0,
        };
        if self.aim == Aim::Reach && self.stutter && accepts && search.expander.at_end() {
            self.answer = name(me, number);
        }
        for successor in 0..search.expander.count() {
            let next = search.expander.successor(successor).0;
            if let Some(to) = search.elsewhere(next) {
                search.send_edge(successor, to, number, value, out);
                continue;
            }
            let Some(StateId(next)) = search.store.lookup(&next[search.skip()..]) else {
                if self.part {
                    continue;
                }
                search.stopped.get_or_insert(Some(lost()));
                return;
            };
            let from = Origin::new(me, number);
            arrive(self.marks, self.aim, (me, next), from, value, &mut self.open, &mut self.answer);
        }
    }
}

fn lost() -> starwheel_engine::Stop {
    starwheel_engine::Stop::Internal("a successor was not stored".to_string())
}

/// A transition into a state of this process.
fn arrive(
    marks: &mut Marks,
    aim: Aim,
    (me, to): (usize, u32),
    from: Origin,
    value: u64,
    open: &mut Vec<u32>,
    answer: &mut u64,
) {
    let at = to as usize;
    let flag = &mut marks.flags[at];
    if *flag & INSIDE == 0 {
        return;
    }
    match aim {
        Aim::Reach => {
            marks.into[at] += 1;
            if *flag & REACHED == 0 {
                *flag |= REACHED;
                open.push(to);
            }
        }
        Aim::Trim => {
            marks.into[at] = marks.into[at].saturating_sub(1);
            if marks.into[at] == 0 {
                *flag &= !INSIDE;
                open.push(to);
            }
        }
        Aim::Greatest => {
            if value > marks.greatest[at] {
                marks.greatest[at] = value;
                if *flag & WAITS == 0 {
                    *flag |= WAITS;
                    open.push(to);
                }
            }
        }
        Aim::Round(first) => {
            let Some((process, number)) = from.get() else { return };
            if first == name(me, to) {
                if *answer == 0 {
                    *answer = name(process, number);
                }
            } else if marks.round[at] == Origin::NONE {
                marks.round[at] = from;
                open.push(to);
            }
        }
    }
}

impl<'a> Host<'a> for Wave<'_, 'a> {
    fn search(&mut self) -> &mut Search<'a> {
        self.search
    }

    fn arrive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        if bytes.first() != Some(&kind::EDGES) {
            return self.search.control(from, bytes, &mut self.told);
        }
        let mut packet = self.search.edges(from, bytes)?;
        while let Some(Came { origin, value, end }) = self.search.next_edge(&mut packet)? {
            if self.search.stopped.is_some() {
                continue;
            }
            let to = match end.and_then(|end| self.search.store.entered(end)) {
                Some(StateId(to)) => to,
                None if self.part => continue,
                None => return Err(Garbled),
            };
            let me = self.search.me();
            arrive(self.marks, self.aim, (me, to), origin, value, &mut self.open, &mut self.answer);
        }
        self.search.thank(from, out);
        Ok(())
    }
}

impl Member for Wave<'_, '_> {
    fn receive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        host::receive(self, from, bytes, out)
    }

    fn work(&mut self, out: &mut Outgoing) -> Left {
        let open = !self.open.is_empty();
        self.search.look(open, out);
        let mut burst = BURST;
        while burst > 0 && self.search.stopped.is_none() && !self.search.blocked() {
            let Some(number) = self.open.pop() else { break };
            self.expand(number, out);
            burst -= 1;
        }
        if self.search.stopped.is_some() {
            self.open.clear();
        }
        self.search.rest(!self.open.is_empty(), &mut self.told, out)
    }
}

/// Tells everybody a number, and hears theirs: by process.
pub fn exchange(crew: &mut Crew, own: u64) -> Result<Vec<u64>, Trouble> {
    let mut bytes = Vec::new();
    put(&mut bytes, own);
    let all = exchange_bytes(crew, bytes)?;
    all.iter().map(|bytes| Rest(bytes).number()).collect::<Result<Vec<u64>, Garbled>>().map_err(|Garbled| Trouble::Mute)
}

/// Tells everybody something, and hears what they have to tell: by process.
pub fn exchange_bytes(crew: &mut Crew, own: Vec<u8>) -> Result<Vec<Vec<u8>>, Trouble> {
    let mut all = vec![None; crew.count()];
    all[crew.index()] = Some(own.clone());
    let mut exchange = Exchange { own, told: false, all };
    crew.phase(&mut exchange)?;
    exchange.all.into_iter().collect::<Option<Vec<Vec<u8>>>>().ok_or(Trouble::Mute)
}

struct Exchange {
    own: Vec<u8>,
    told: bool,
    all: Vec<Option<Vec<u8>>>,
}

impl Member for Exchange {
    fn receive(&mut self, from: usize, bytes: &[u8], _out: &mut Outgoing) -> Result<(), Garbled> {
        *self.all.get_mut(from).ok_or(Garbled)? = Some(bytes.to_vec());
        Ok(())
    }

    fn work(&mut self, out: &mut Outgoing) -> Left {
        if !std::mem::replace(&mut self.told, true) {
            out.tell_all(&self.own);
        }
        Left::Nothing
    }
}

/// Lets the first process fetch a run: the way to a state, and if that is not where it stays, the way round by a last state.
fn lasso(search: &Search<'_>, crew: &mut Crew, marks: &Marks, first: u64, last: Option<u64>) -> Result<Lasso, Trouble> {
    let mut haul = Haul {
        search,
        marks,
        me: search.me(),
        cycle: false,
        at: Some(first),
        asked: false,
        path: Vec::new(),
        ways: Vec::new(),
        first,
        last,
    };
    crew.phase(&mut haul)?;
    let mut ways = haul.ways.into_iter();
    let stem = ways.next().unwrap_or_default();
    Ok(Lasso { stem, cycle: ways.next().unwrap_or_default() })
}

/// What one process does while a run is fetched.
struct Haul<'h, 'a> {
    search: &'h Search<'a>,
    marks: &'h Marks,
    me: usize,
    /// On the way round.
    cycle: bool,
    /// The state that comes next, by its name.
    at: Option<u64>,
    asked: bool,
    /// States that came, the last one first.
    path: Vec<Vec<u8>>,
    ways: Vec<Vec<Vec<u8>>>,
    first: u64,
    last: Option<u64>,
}

/// The kinds of packets here, by their first byte.
const ASK: u8 = 32;
const ANSWER: u8 = 33;

impl Haul<'_, '_> {
    /// A state of this process and the name of the one before it; zero if there is none.
    fn own(&self, number: u32, cycle: bool) -> Option<(Vec<u8>, u64)> {
        let mut state = Vec::new();
        let origin = self.search.read(number, &mut state)?;
        let before = if cycle { *self.marks.round.get(number as usize)? } else { origin };
        Some((state, before.get().map_or(0, |(process, number)| name(process, number))))
    }

    fn came(&mut self, state: Vec<u8>, before: u64) {
        self.path.push(state);
        self.asked = false;
        let there = if self.cycle { before == self.first } else { before == 0 };
        let alone = self.cycle && self.at == Some(self.first);
        self.at = Some(before).filter(|_| !there && !alone);
        if self.at.is_some() {
            return;
        }
        let mut way = std::mem::take(&mut self.path);
        way.reverse();
        if self.cycle {
            // It ends where it began.
            let first = self.ways.first().and_then(|stem: &Vec<Vec<u8>>| stem.last()).cloned();
            if alone {
                way.clear();
            }
            way.extend(first);
        }
        self.ways.push(way);
        if let (Some(last), false) = (self.last, self.cycle) {
            (self.cycle, self.at) = (true, Some(last));
        }
    }
}

impl Member for Haul<'_, '_> {
    fn receive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        let (&first, rest) = bytes.split_first().ok_or(Garbled)?;
        let mut rest = Rest(rest);
        match first {
            ASK => {
                let cycle = rest.number()? == 1;
                let number = u32::try_from(rest.number()?).map_err(|_| Garbled)?;
                let (state, before) = self.own(number, cycle).ok_or(Garbled)?;
                let mut answer = vec![ANSWER];
                put(&mut answer, before);
                put_bytes(&mut answer, &state);
                out.tell(from, answer);
            }
            ANSWER if self.asked => {
                let before = rest.number()?;
                let state = rest.bytes()?.to_vec();
                self.came(state, before);
            }
            _ => return Err(Garbled),
        }
        Ok(())
    }

    fn work(&mut self, out: &mut Outgoing) -> Left {
        if self.me != 0 {
            return Left::Nothing;
        }
        while let Some(at) = self.at {
            let (process, number) = named(at);
            if process != self.me {
                if !std::mem::replace(&mut self.asked, true) {
                    let mut bytes = vec![ASK];
                    put(&mut bytes, u64::from(self.cycle));
                    put(&mut bytes, u64::from(number));
                    out.tell(process, bytes);
                }
                return Left::Waiting;
            }
            match self.own(number, self.cycle) {
                Some((state, before)) => self.came(state, before),
                // The first process notices: the trail cannot be replayed then.
                None => self.at = None,
            }
        }
        Left::Nothing
    }
}
