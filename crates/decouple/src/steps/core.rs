//! The working parts of a decoupled search: shapes, frames, sets, parties, and the remembered closures and images.

use crate::leaves::frame_facts::{Idle, Moves};
use crate::leaves::leaf_set::{Desk, Parties, Party, PartyId};
use crate::leaves::sets::{FrameId, Full, SetId, Sets, Subsets};
use crate::leaves::touches::TouchId;
use crate::steps::image::{Change, Effect, Fault, Group, Image};
use crate::steps::inner_runs::goes_back;
use crate::steps::product::Product;
use crate::steps::pulse::Pulse;
use crate::steps::result_cache::ResultCache;
use crate::steps::segment::{Condition, How, Outcome, Runner, Segment};
use crate::topology::decompose::Decomposition;
use crate::topology::shape::{ShapeId, Shapes};
use starwheel_engine::Stop;
use starwheel_model::{Handover, Interp, Model, Pid};
use std::ops::ControlFlow;
use std::rc::Rc;

/// A result, or the reason to stop the search.
pub type Flow<T = ()> = ControlFlow<Option<Stop>, T>;

/// Bytes that remembered results may take, roughly.
const CACHE_BYTES: u64 = 512 << 20;

/// The working parts.
pub struct Core<'m> {
    /// The model.
    pub model: &'m Model,
    /// Its decomposition.
    pub parts: &'m Decomposition,
    /// Shapes.
    pub shapes: Shapes<'m>,
    /// Frames and sets.
    pub sets: Sets,
    /// Which sets lie within which others.
    pub subsets: Subsets,
    /// Parties.
    pub parties: Parties,
    /// Executes steps.
    pub runner: Runner<'m>,
    /// The wider party, and whether it is closed.
    pub closures: ResultCache<(PartyId, bool)>,
    images: ResultCache<Rc<Image>>,
    /// Where leaf steps lead.
    pub moves: Moves,
    /// Frames without other steps.
    pub idle: Idle,
    /// Whether the party can go round by leaf steps.
    circles: ResultCache<bool>,
    scratch: Vec<u8>,
}

/// What there is, or the end of the search because nothing more fits.
pub fn room<T>(result: Result<T, Full>) -> Flow<T> {
    match result {
        Ok(value) => Flow::Continue(value),
        Err(Full) => Flow::Break(Some(Stop::StoreFull)),
    }
}

impl<'m> Core<'m> {
    /// For a model.
    pub fn new(model: &'m Model, parts: &'m Decomposition, pulse: Pulse<'m>) -> Core<'m> {
        Core {
            model,
            parts,
            shapes: Shapes::new(model),
            sets: Sets::default(),
            subsets: Subsets::default(),
            parties: Parties::default(),
            runner: Runner::new(Interp::new(model), parts, pulse),
            closures: ResultCache::new(CACHE_BYTES),
            images: ResultCache::new(CACHE_BYTES),
            moves: Moves::default(),
            idle: Idle::default(),
            circles: ResultCache::new(CACHE_BYTES / 4),
            scratch: Vec::new(),
        }
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        self.sets.usage() + self.subsets.usage() + self.parties.usage() + self.remembered()
    }

    fn remembered(&self) -> u64 {
        let caches = self.closures.usage() + self.images.usage() + self.circles.usage();
        caches + self.moves.usage() + self.idle.usage()
    }

    /// What matters to a frame of a party.
    pub fn touch(&mut self, party: &Party, frame: FrameId) -> TouchId {
        let Core { shapes, sets, runner, parties, parts, .. } = self;
        let mut desk = Desk { shapes, sets, runner, parts };
        parties.touches.of(&mut desk, party.owner, party.shape, party.pid, frame)
    }

    /// The number of a party.
    pub fn party(&mut self, shape: ShapeId, pid: Pid, set: SetId) -> Flow<PartyId> {
        let Core { shapes, sets, runner, parties, parts, .. } = self;
        room(parties.intern(Desk { shapes, sets, runner, parts }, shape, pid, set))
    }

    /// True if one party's frames are all among another's; both are of the same process.
    pub fn within(&self, small: PartyId, large: PartyId) -> bool {
        small == large || self.subsets.ask(&self.sets, self.parties.get(small).set, self.parties.get(large).set)
    }

    /// The product that holds just one state.
    pub fn single(&mut self, state: &[u8]) -> Flow<Product> {
        let shape = self.shapes.of(state);
        let mut center = Vec::new();
        self.shapes.get(shape).center(state, &mut center);
        let mut parties = Vec::new();
        for pid in (0..self.shapes.get(shape).count()).map(|i| Pid(i as u8)) {
            let frame = room(self.sets.frame(self.shapes.get(shape).frame(state, pid)))?;
            let set = room(self.sets.set(vec![frame]))?;
            parties.push(self.party(shape, pid, set)?);
        }
        Flow::Continue(Product { shape, center, parties })
    }

    /// One state: a center with some frames.
    pub fn compose(&self, shape: ShapeId, center: &[u8], frames: &[(Pid, FrameId)], out: &mut Vec<u8>) {
        let form = self.shapes.get(shape);
        form.compose(center, out);
        for &(pid, frame) in frames {
            form.put(out, pid, self.sets.bytes(frame));
        }
    }

    /// What a process in a frame can do in a center.
    pub fn segment(&mut self, shape: ShapeId, center: &[u8], pid: Pid, frame: FrameId, how: &How) -> Flow<Segment> {
        let mut state = std::mem::take(&mut self.scratch);
        self.compose(shape, center, &[(pid, frame)], &mut state);
        let segment = self.runner.run(&state, pid, how);
        self.scratch = state;
        let mut segment = segment?;
        if !self.parts.seen.is_blind() {
            self.hide(shape, pid, frame, &mut segment);
        }
        Flow::Continue(segment)
    }

    /// A leaf step that the property sees is a center step.
    fn hide(&self, shape: ShapeId, pid: Pid, frame: FrameId, segment: &mut Segment) {
        let before = self.parts.seen.look(self.sets.bytes(frame));
        for outcome in segment.outcomes.iter_mut().filter(|o| o.leaf) {
            outcome.leaf = self.parts.seen.look(self.shapes.get(shape).frame(&outcome.state, pid)) == before;
        }
    }

    /// Whether a closed party can go round by leaf steps.
    pub fn circles(&mut self, id: PartyId, center: &[u8]) -> Flow<bool> {
        let party = self.parties.get(id);
        if !party.leaf {
            return Flow::Continue(false);
        }
        match self.circles.find(id, &party.home, center, &How::Free) {
            Ok(known) => Flow::Continue(known),
            Err(hole) => {
                let found = goes_back(self, id, center)?;
                self.circles.fill(hole, found, 0);
                Flow::Continue(found)
            }
        }
    }

    /// The frame of a process after an outcome.
    pub fn frame_of(&mut self, shape: ShapeId, pid: Pid, outcome: &Outcome) -> Flow<FrameId> {
        room(self.sets.frame(self.shapes.get(shape).frame(&outcome.state, pid)))
    }

    /// All that a party can do in a center.
    pub fn image(&mut self, id: PartyId, center: &[u8], how: &How) -> Flow<Rc<Image>> {
        let party = self.parties.get(id);
        match self.images.find(id, &party.all, center, how) {
            Ok(image) => Flow::Continue(image),
            Err(hole) => {
                let image = Rc::new(self.find_image(id, center, how)?);
                self.images.fill(hole, image.clone(), image.weight());
                Flow::Continue(image)
            }
        }
    }

    /// Notes what goes wrong.
    pub fn faults(&mut self, party: &Party, center: &[u8], segment: &Segment, image: &mut Image) {
        for flaw in &segment.flaws {
            let conditions = self.changes(party, center, &flaw.conditions);
            let first = flaw.links.len() == 1;
            let same = |f: &Fault| f.violation == flaw.violation && f.conditions == conditions && f.first == first;
            if !image.faults.iter().any(same) {
                let marks =
                    if conditions.is_empty() { Vec::new() } else { flaw.links.iter().map(|l| l.trans()).collect() };
                image.faults.push(Fault { violation: flaw.violation.clone(), conditions, first, marks });
            }
        }
    }

    fn changes(&mut self, party: &Party, center: &[u8], conditions: &[Condition]) -> Vec<(Change, Handover)> {
        let change = |c: &Condition| (self.change(party.shape, center, &c.state), c.offer.clone());
        conditions.iter().map(change).collect()
    }

    fn change(&mut self, shape: ShapeId, center: &[u8], state: &[u8]) -> Change {
        let after = self.shapes.of(state);
        let mut bytes = Vec::new();
        self.shapes.get(after).center(state, &mut bytes);
        Change::between(shape, center, after, &bytes)
    }

    /// What an outcome leaves behind for the others, and the frame of the process itself.
    pub fn effect(&mut self, party: &Party, center: &[u8], outcome: &Outcome) -> Flow<(Effect, Option<FrameId>)> {
        let change = self.change(party.shape, center, &outcome.state);
        let after = self.shapes.of(&outcome.state);
        let (old, new) = (self.shapes.get(party.shape).count(), self.shapes.get(after).count());
        let mut created = Vec::new();
        for pid in (old..new).map(|i| Pid(i as u8)) {
            created.push(room(self.sets.frame(self.shapes.get(after).frame(&outcome.state, pid)))?);
        }
        let own = match party.pid.index() < new {
            true => Some(room(self.sets.frame(self.shapes.get(after).frame(&outcome.state, party.pid)))?),
            false => None,
        };
        let effect = Effect {
            change,
            created,
            pending: outcome.pending.clone(),
            conditions: self.changes(party, center, &outcome.conditions),
            frame: own.filter(|_| !party.leaf),
            seen: own.map(|f| self.parts.seen.look(self.sets.bytes(f))).unwrap_or_default(),
        };
        Flow::Continue((effect, own))
    }

    /// The product after a party has moved; none if the others cannot be as they must.
    pub fn apply(&mut self, before: &Product, pid: Pid, group: &Group) -> Flow<Option<Product>> {
        let mut after = before.clone();
        after.shape = group.effect.change.apply(before.shape, &mut after.center);
        if after.shape == before.shape {
            if let Some(set) = group.set {
                after.parties[pid.index()] = self.party(after.shape, pid, set)?;
            }
        } else {
            after.parties = self.reshape(before, pid, group, after.shape)?;
        }
        self.restrict(before, after, pid, &group.effect.conditions)
    }

    fn reshape(&mut self, before: &Product, pid: Pid, group: &Group, shape: ShapeId) -> Flow<Vec<PartyId>> {
        let mut parties = Vec::new();
        for j in (0..self.shapes.get(shape).count()).map(|i| Pid(i as u8)) {
            let set = match (before.parties.get(j.index()), group.set) {
                (Some(_), Some(set)) if j == pid => set,
                (Some(&party), _) => self.parties.get(party).set,
                (None, _) => room(self.sets.set(vec![group.effect.created[j.index() - before.parties.len()]]))?,
            };
            parties.push(self.party(shape, j, set)?);
        }
        Flow::Continue(parties)
    }

    /// Keeps the frames in which nobody takes the messages of the conditions.
    pub fn restrict(
        &mut self,
        before: &Product,
        mut after: Product,
        pid: Pid,
        conditions: &[(Change, Handover)],
    ) -> Flow<Option<Product>> {
        for (change, offer) in conditions {
            let mut center = before.center.clone();
            let shape = change.apply(before.shape, &mut center);
            for j in (0..self.shapes.get(shape).count()).map(|i| Pid(i as u8)).filter(|&j| j != pid) {
                let set = self.parties.get(after.parties[j.index()]).set;
                let kept = self.refusers(shape, &center, j, set, offer);
                if kept.is_empty() {
                    return Flow::Continue(None);
                }
                let set = room(self.sets.set(kept))?;
                after.parties[j.index()] = self.party(after.shape, j, set)?;
            }
        }
        Flow::Continue(Some(after))
    }

    /// The frames of a set in which a process does not take a message.
    fn refusers(&mut self, shape: ShapeId, center: &[u8], pid: Pid, set: SetId, offer: &Handover) -> Vec<FrameId> {
        let members = self.sets.list(set);
        members.into_iter().filter(|&f| !self.accepts(shape, center, pid, f, offer)).collect()
    }

    /// Whether a process in a frame can do something alone because nothing else can happen.
    pub fn wakes(&mut self, shape: ShapeId, center: &[u8], pid: Pid, frame: FrameId) -> bool {
        let mut state = std::mem::take(&mut self.scratch);
        self.compose(shape, center, &[(pid, frame)], &mut state);
        let wakes = self.runner.choices(&state, pid, true).iter().any(|c| c.offer.is_none());
        self.scratch = state;
        wakes
    }

    /// Whether a process in a frame takes a message.
    pub fn accepts(&mut self, shape: ShapeId, center: &[u8], pid: Pid, frame: FrameId, offer: &Handover) -> bool {
        let mut state = std::mem::take(&mut self.scratch);
        self.compose(shape, center, &[(pid, frame)], &mut state);
        let takes = self.runner.accepts(&state, pid, offer);
        self.scratch = state;
        takes
    }
}
