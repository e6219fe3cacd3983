//! The search shortest first, shared by several processes: level by level, so that trails are the shortest there are.
//!
//! Distances are those of `engine/src/method/shortest_first.rs`: single steps, a handshake is two, and time comes before steps.
//! Edges between stored states are chains of different lengths, so a level is all states at one distance, and each level is a
//! phase of its own: it ends when everything that it leads to has arrived. Then all agree on the next distance (Dial 1969, by
//! several). An error in the middle of a chain counts when nothing shorter can come. Of those of one length the one with the
//! least state wins, by a hash of its content, so the same error is found whatever the number of processes.

use crate::crew::{Crew, Left, Member, Outgoing, Trouble};
use crate::cycles::exchange;
use crate::host::{self, Host};
use crate::link::kind;
use crate::search::{Came, Origin, Search};
use crate::wire::Garbled;
use crate::wrongs::Met;
use rapidhash::v3::rapidhash_v3;
use starwheel_engine::{Arrival, Flow, Key, Led, Stop, Walk, key};
use starwheel_store::{Inserted, NumberedTree, StateId, StateRef, StateSet};
use starwheel_system::{Actor, Step, System, Violation};
use std::collections::{BTreeMap, HashMap};

/// How much longer a slice of time is than a step: no trail has so many.
const SLICE: u64 = 1 << 32;
/// States that are expanded before somebody looks at what has arrived.
const BURST: usize = 512;

/// How far it is to where a step has led.
fn far(arrival: &Arrival) -> u64 {
    arrival.depth + if arrival.step.actor == Actor::Clock { SLICE } else { 0 }
}

/// What one process knows of distances.
struct Levels<'a> {
    walk: Walk<'a>,
    /// By state: the length of the shortest way so far.
    distance: Vec<u64>,
    /// States that wait, by distance; some were reached on a shorter way meanwhile.
    queue: BTreeMap<u64, Vec<u32>>,
    /// By kind and place of an error: its number in the list; one for all if one error is enough.
    known: HashMap<Option<Key>, usize>,
    one: bool,
}

impl Levels<'_> {
    /// The least distance of a state that waits.
    fn nearest(&mut self) -> u64 {
        while let Some(mut first) = self.queue.first_entry() {
            let at = *first.key();
            first.get_mut().retain(|&number| self.distance[number as usize] == at);
            if !first.get().is_empty() {
                return at;
            }
            first.remove();
        }
        u64::MAX
    }
}

/// Visits all states, or those up to the shortest error if one is enough.
pub fn visit<'a>(search: &mut Search<'a>, crew: &mut Crew, system: &'a dyn System, one: bool) -> Result<(), Trouble> {
    let (distance, queue, known) = (Vec::new(), BTreeMap::new(), HashMap::new());
    let mut levels = Levels { walk: Walk::new(system, u64::MAX), distance, queue, known, one };
    if search.stored > 0 {
        levels.distance.push(0);
        levels.queue.insert(0, vec![0]);
    }
    loop {
        let own = levels.nearest();
        let at = exchange(crew, own)?.into_iter().min().unwrap_or(u64::MAX);
        let best = search.met.iter().map(|met| met.rank.0).min().filter(|_| one).unwrap_or(u64::MAX);
        let best = exchange(crew, best)?.into_iter().min().unwrap_or(u64::MAX);
        if at == u64::MAX || at > best || crate::cycles::stopped(search, crew)? {
            if best != u64::MAX {
                search.stopped.get_or_insert(None);
            }
            break;
        }
        search.books.stats.max_depth = search.books.stats.max_depth.max(at % SLICE);
        let open = levels.queue.remove(&at).unwrap_or_default();
        let mut level = Level { search, levels: &mut levels, at, open, told: false };
        crew.phase(&mut level)?;
    }
    search.all_expanded();
    Ok(())
}

/// What one process does in one level.
struct Level<'l, 'a> {
    search: &'l mut Search<'a>,
    levels: &'l mut Levels<'a>,
    at: u64,
    open: Vec<u32>,
    told: bool,
}

impl Level<'_, '_> {
    /// Follows all chains from a state whose distance is final.
    fn expand(&mut self, number: u32, out: &mut Outgoing) -> Flow {
        let (at, mut ordinal, mut own) = (self.at, 0, Vec::new());
        self.search.read(number, &mut own);
        let hidden = own[..self.search.skip()].to_vec();
        self.levels.walk.begin(StateId(number), &hidden, &self.search.store, at);
        if let Some(violation) = self.levels.walk.stuck() {
            self.wrong(&violation, (number, ordinal), at);
            ordinal += 1;
        }
        while let Some(arrival) = self.levels.walk.advance(&self.search.store) {
            self.search.books.step(&arrival, at % SLICE, &self.search.store)?;
            for violation in &arrival.violations {
                self.wrong(violation, (number, ordinal), arrival.depth);
                ordinal += 1;
            }
            if arrival.led == Led::Stored {
                own.clear();
                own.extend_from_slice(self.levels.walk.hidden());
                own.extend_from_slice(self.levels.walk.visible());
                match self.search.elsewhere(&own) {
                    Some(to) => self.search.send_far(&own, to, number, far(&arrival) - at, out),
                    None => {
                        let name = self.search.name(&own);
                        let origin = Origin::new(self.search.me(), number);
                        self.enter(name, &own[..self.search.skip()], origin, far(&arrival));
                    }
                }
            }
        }
        Flow::Continue(())
    }

    /// Stores a state, and puts it in the queue if it was never reached on so short a way.
    fn enter(&mut self, name: Option<StateRef>, hidden: &[u8], origin: Origin, distance: u64) {
        let Levels { distance: known, queue, .. } = &mut *self.levels;
        let number = match self.search.insert(name, hidden, origin) {
            Inserted::Full => return,
            Inserted::New(StateId(number)) => {
                known.push(distance);
                number
            }
            Inserted::Known(StateId(number)) if distance < known[number as usize] => {
                known[number as usize] = distance;
                self.search.shorten(number, hidden, origin);
                number
            }
            Inserted::Known(_) => return,
        };
        queue.entry(distance).or_default().push(number);
    }

    /// Notes that something went wrong after so many steps: the n-th thing in the expansion of a state.
    fn wrong(&mut self, violation: &Violation, (number, ordinal): (u32, u64), length: u64) {
        let search = &mut *self.search;
        if !search.books.counts(violation) {
            return;
        }
        search.errors += 1;
        let mut state = Vec::new();
        search.read(number, &mut state);
        let rank = (length, rapidhash_v3(&state[search.skip()..]), ordinal);
        let met = Met { at: number, ordinal, events: 1, rank };
        let rivals = (!self.levels.one).then(|| key(violation));
        let place = *self.levels.known.entry(rivals).or_insert(search.met.len());
        match search.met.get_mut(place) {
            None => search.met.push(met),
            Some(known) if rank < known.rank => *known = Met { events: known.events + 1, ..met },
            Some(known) => known.events += 1,
        }
    }
}

impl<'a> Host<'a> for Level<'_, 'a> {
    fn search(&mut self) -> &mut Search<'a> {
        self.search
    }

    fn arrive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        if bytes.first() != Some(&kind::FAR) {
            return self.search.control(from, bytes, &mut self.told);
        }
        let mut packet = self.search.edges(from, bytes)?;
        while let Some(Came { origin, value, end }) = self.search.next_edge(&mut packet)? {
            let distance = self.at.checked_add(value).ok_or(Garbled)?;
            self.search.remote += 1;
            if self.search.stopped.is_none() {
                self.enter(end, &packet.hidden, origin, distance);
            }
        }
        self.search.thank(from, out);
        Ok(())
    }
}

impl Member for Level<'_, '_> {
    fn receive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
        host::receive(self, from, bytes, out)
    }

    fn work(&mut self, out: &mut Outgoing) -> Left {
        self.search.look(!self.open.is_empty(), out);
        let mut burst = BURST;
        while burst > 0 && self.search.stopped.is_none() && !self.search.blocked() {
            let Some(number) = self.open.pop() else { break };
            burst -= 1;
            if self.levels.distance[number as usize] != self.at {
                continue;
            }
            if let Flow::Break(stop) = self.expand(number, out) {
                self.search.stopped.get_or_insert(stop);
            }
        }
        if self.search.stopped.is_some() {
            self.open.clear();
        }
        self.search.rest(!self.open.is_empty(), &mut self.told, out)
    }
}

/// What goes wrong as the n-th thing in the expansion of a state, and the shortest steps to it.
pub fn again(system: &dyn System, state: &[u8], ordinal: u64) -> Option<(Violation, Vec<Step>)> {
    let (store, mut walk) = given(system, state)?;
    walk.begin(StateId(0), &state[..system.hidden_bytes()], &store, 0);
    let mut seen = 0;
    if let Some(violation) = walk.stuck() {
        if ordinal == 0 {
            return Some((violation, Vec::new()));
        }
        seen += 1;
    }
    while let Some(arrival) = walk.advance(&store) {
        for violation in arrival.violations {
            if seen == ordinal {
                return Some((violation, walk.trail()));
            }
            seen += 1;
        }
    }
    None
}

/// The steps along a path of stored states, with the shortest chains between them.
pub fn trail(system: &dyn System, path: &[Vec<u8>]) -> Result<Vec<Step>, Stop> {
    let lost = || Stop::Internal("the steps to an error cannot be found again".to_string());
    let (mut out, skip) = (Vec::new(), system.hidden_bytes());
    for pair in path.windows(2) {
        let (store, mut walk) = given(system, &pair[0]).ok_or_else(lost)?;
        walk.begin(StateId(0), &pair[0][..skip], &store, 0);
        let mut best: Option<(u64, Vec<Step>)> = None;
        while let Some(arrival) = walk.advance(&store) {
            let there =
                arrival.led == Led::Stored && walk.visible() == &pair[1][skip..] && walk.hidden() == &pair[1][..skip];
            if there && best.as_ref().is_none_or(|best| far(&arrival) < best.0) {
                best = Some((far(&arrival), walk.trail()));
            }
        }
        out.append(&mut best.ok_or_else(lost)?.1);
    }
    Ok(out)
}

/// A store with one state, and a walk that may begin there.
fn given<'a>(system: &'a dyn System, state: &[u8]) -> Option<(NumberedTree, Walk<'a>)> {
    let mut store = NumberedTree::new(None);
    let inserted = store.insert(&state[system.hidden_bytes()..]);
    matches!(inserted, Inserted::New(_)).then(|| (store, Walk::new(system, u64::MAX)))
}
