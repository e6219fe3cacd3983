//! Decoupled states up to the names of like processes.
//!
//! A renaming `p` of a model ([`starwheel_symmetry`]) takes a decoupled state to another one: it moves and rewrites the
//! center, and the set of frames of process `i`, each frame renamed, becomes that of process `p(i)`. The new one represents
//! exactly the renamed states of the old one, since every combination of frames is one state in both.
//!
//! # Why it is sound to keep one of them
//!
//! Let `R` be the reachable states. Renamings are symmetries, so `p(R) = R` (for complete states), `s` leads to `t` if and
//! only if `p(s)` leads to `p(t)`, and both go wrong or are stuck alike.
//!
//! 1. What is kept represents reachable states only: what a search reaches from reachable states is reachable, and so is what
//!    a renaming makes of it. (Closing a renamed state anew adds nothing but reachable states; where what is a leaf step is
//!    itself symmetric, it adds nothing.)
//! 2. Each reachable state is represented up to a renaming, by induction over the way to it. If `p(s)` is represented by `D`,
//!    and `s` leads to `t`, then `p(s)` leads to `p(t)`, which by the property of the decoupled search is represented by some
//!    successor `E` of `D`; what is kept is `q(E)`, which represents `q(p(t))`, or
//! 3. with dominance a state that was kept before, with the center of `q(E)` and larger sets: it represents `q(p(t))`, too. So
//!    dominance may be asked about renamed states as it is: the group acts by bisimulations, and an unlucky choice of `q`
//!    only misses a state that would have covered another one.
//!
//! Nothing depends on which `q` is chosen, so it need not be canonical: states that could have been one are kept twice. It is
//! chosen by colours (`refine.rs` in [`starwheel_symmetry`]) of one state that the decoupled state represents, with the sets as
//! first colours: a sum over the frames of a set, in which names occur as one's own or another's. So processes with the same
//! set under a center are twins, and the others are sorted by their sets.
//!
//! Trails: the way back from a kept state `n` to the one that it was reached from needs the renaming `b` of the last step. If
//! `t` follows `m` and `n = b(t)`, then `n` follows `b(m)`. So the last one stays as it is, and the ones before it are renamed by
//! the product of what came after them; that is a way of the search without renaming, from the initial state since this one
//! is symmetric.

use crate::leaves::leaf_set::PartyId;
use crate::leaves::sets::FrameId;
use crate::states::space::{NodeId, Space};
use crate::steps::core::{Core, Flow, room};
use crate::steps::product::Product;
use crate::trail::{Last, along, product};
use rapidhash::RapidHashMap;
use starwheel_model::{Pid, Step};
use starwheel_symmetry::Renaming;

/// Renames decoupled states.
pub struct Renamer<'a> {
    renaming: &'a Renaming<'a>,
    /// By party: what its set looks like without names, and a frame of it that stands for all.
    looks: RapidHashMap<PartyId, (u64, FrameId)>,
    /// By party and renaming: the renamed one.
    parties: RapidHashMap<(PartyId, Vec<u8>), PartyId>,
    /// By node: how it was renamed.
    by: Vec<Vec<u8>>,
    state: Vec<u8>,
    image: Vec<u8>,
}

impl<'a> Renamer<'a> {
    /// By a renaming of the model.
    pub fn new(renaming: &'a Renaming<'a>) -> Renamer<'a> {
        let (looks, parties) = (RapidHashMap::default(), RapidHashMap::default());
        Renamer { renaming, looks, parties, by: Vec::new(), state: Vec::new(), image: Vec::new() }
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        let points = self.renaming.plan().points as u64;
        32 * self.looks.len() as u64 + (64 + points) * self.parties.len() as u64 + (32 + points) * self.by.len() as u64
    }

    /// A node was added that had been renamed like this.
    pub fn added(&mut self, node: NodeId, to: Vec<u8>) {
        self.by.resize(node.0 as usize + 1, Vec::new());
        self.by[node.0 as usize] = to;
    }

    /// Renames a closed product; how.
    pub fn normalise(&mut self, core: &mut Core<'_>, at: &mut Product) -> Flow<Vec<u8>> {
        let plan = self.renaming.plan();
        let mut to = plan.identity();
        if !self.complete(core, at) {
            return Flow::Continue(to);
        }
        let (mut frames, mut seeds) = (Vec::new(), vec![0u64; plan.points]);
        for (i, &party) in at.parties.iter().enumerate() {
            let pid = Pid(i as u8);
            let (look, frame) = self.look(core, at, pid, party);
            frames.push((pid, frame));
            if let Some((point, which)) = self.renaming.member(pid.0) {
                let seed = &mut seeds[usize::from(point)];
                *seed = seed.wrapping_add(look.wrapping_mul(2 * which as u64 + 3));
            }
        }
        core.compose(at.shape, &at.center, &frames, &mut self.state);
        self.renaming.find_coloured(&self.state, &seeds, &mut to);
        self.apply(core, &to, at)?;
        Flow::Continue(to)
    }

    /// Only states in which all processes exist are renamed.
    fn complete(&self, core: &Core<'_>, at: &Product) -> bool {
        let (plan, shape) = (self.renaming.plan(), core.shapes.get(at.shape));
        shape.count() == usize::from(plan.processes) && shape.full == plan.len
    }

    /// What a party looks like without names, and a frame that stands for its set: the one that looks least.
    fn look(&mut self, core: &Core<'_>, at: &Product, pid: Pid, party: PartyId) -> (u64, FrameId) {
        if let Some(&known) = self.looks.get(&party) {
            return known;
        }
        let shape = core.shapes.get(at.shape);
        let (mut sum, mut least) = (0u64, None);
        for frame in core.sets.members(core.parties.get(party).set) {
            core.compose(at.shape, &at.center, &[(pid, frame)], &mut self.state);
            let look = self.renaming.look(&self.state, shape.place(pid), pid.0);
            sum = sum.wrapping_add(look);
            if least.is_none_or(|(l, _)| look < l) {
                least = Some((look, frame));
            }
        }
        let known = (sum, least.map_or(FrameId(0), |l| l.1));
        self.looks.insert(party, known);
        known
    }

    /// Renames a product in a given way.
    pub fn apply(&mut self, core: &mut Core<'_>, to: &[u8], at: &mut Product) -> Flow {
        let same = to.iter().enumerate().all(|(i, t)| i == usize::from(*t));
        if same || !self.complete(core, at) {
            return Flow::Continue(());
        }
        let mut center = Vec::new();
        core.compose(at.shape, &at.center, &[], &mut self.state);
        self.renaming.plan().apply(to, &self.state, &mut self.image);
        core.shapes.get(at.shape).center(&self.image, &mut center);
        let mut parties = at.parties.clone();
        for (i, &party) in at.parties.iter().enumerate() {
            let pid = Pid(i as u8);
            let target = Pid(self.renaming.goes(pid.0, to));
            let renamed = self.party(core, to, at, (pid, target), party)?;
            parties[target.index()] = core.close(renamed, &center)?;
        }
        (at.center, at.parties) = (center, parties);
        Flow::Continue(())
    }

    /// A party with all its frames renamed.
    fn party(
        &mut self,
        core: &mut Core<'_>,
        to: &[u8],
        at: &Product,
        (pid, target): (Pid, Pid),
        party: PartyId,
    ) -> Flow<PartyId> {
        let key = (party, to.to_vec());
        if let Some(&known) = self.parties.get(&key) {
            return Flow::Continue(known);
        }
        let mut frames = core.sets.list(core.parties.get(party).set);
        for frame in &mut frames {
            core.compose(at.shape, &at.center, &[(pid, *frame)], &mut self.state);
            self.renaming.plan().apply(to, &self.state, &mut self.image);
            *frame = room(core.sets.frame(core.shapes.get(at.shape).frame(&self.image, target)))?;
        }
        let set = room(core.sets.set(frames))?;
        let renamed = core.party(at.shape, target, set)?;
        self.parties.insert(key, renamed);
        Flow::Continue(renamed)
    }

    /// An ordinary trail that ends as said, from a node on.
    pub fn trail(&mut self, core: &mut Core<'_>, space: &Space, node: NodeId, last: Last<'_>) -> Flow<Vec<Step>> {
        let mut whole = self.renaming.plan().identity();
        let mut products = Vec::new();
        for at in space.path(node).into_iter().rev() {
            let mut real = product(space, at);
            self.apply(core, &whole, &mut real)?;
            products.push(real);
            let by = self.by.get(at.0 as usize).filter(|by| !by.is_empty());
            whole = by.map_or(whole.clone(), |by| by.iter().map(|t| whole[usize::from(*t)]).collect());
        }
        let (mut real, mut path) = (Space::new(false), Vec::new());
        for product in products.iter().rev() {
            path.push(real.number(product)?);
        }
        along(core, &real, &path, last)
    }
}
