//! Closes a party under leaf steps, frame by frame over what is remembered of single frames.

use crate::leaves::bits::Bits;
use crate::leaves::frame_facts::{GroundId, Moves};
use crate::leaves::leaf_set::{Party, PartyId};
use crate::leaves::sets::FrameId;
use crate::leaves::touches::TouchId;
use crate::steps::core::{Core, Flow, room};
use crate::steps::segment::How;

/// Bytes that remembered leaf steps may take, roughly.
const MOVES: u64 = 256 << 20;

/// Frames that were reached, one bit for each.
#[derive(Default)]
struct Reached(Vec<u64>);

impl Reached {
    /// Adds a frame; true if it is new.
    fn add(&mut self, frame: FrameId) -> bool {
        let (place, bit) = (frame.0 as usize / 64, 1 << (frame.0 % 64));
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        let new = self.0[place] & bit == 0;
        self.0[place] |= bit;
        new
    }
}

/// The grounds that the frames of a party stand on in one center.
pub struct Survey<'c> {
    center: &'c [u8],
    /// By class: its ground, and whether all that matters to it matters to the party already.
    classes: Vec<(TouchId, GroundId, bool)>,
}

impl<'m> Core<'m> {
    /// The party together with all frames that leaf steps lead to.
    pub fn close(&mut self, mut id: PartyId, center: &[u8]) -> Flow<PartyId> {
        loop {
            let party = self.parties.get(id);
            if !party.leaf {
                return Flow::Continue(id);
            }
            let (next, closed) = match self.closures.find(id, &party.home, center, &How::Free) {
                Ok(next) => next,
                Err(hole) => {
                    let next = self.widen(id, center)?;
                    self.closures.fill(hole, next, 0);
                    next
                }
            };
            if closed {
                return Flow::Continue(next);
            }
            id = next;
        }
    }

    /// Adds frames by leaf steps, as far as the bytes that matter to the party say which; and whether that is all.
    fn widen(&mut self, id: PartyId, center: &[u8]) -> Flow<(PartyId, bool)> {
        let party = self.parties.keep(id);
        let mut survey = self.survey(center);
        let mut todo = self.sets.list(party.set);
        let mut reached = Reached(vec![0; self.sets.frames().div_ceil(64)]);
        todo.iter().for_each(|&f| _ = reached.add(f));
        let (mut closed, mut grown, mut next) = (true, false, Vec::new());
        while let Some(frame) = todo.pop() {
            self.leaf_moves(&mut survey, &party, frame, &mut next)?;
            for &to in next.iter().filter(|&&to| reached.add(to)) {
                grown = true;
                match self.place(&mut survey, &party, to)?.1 {
                    true => todo.push(to),
                    false => closed = false,
                }
            }
        }
        if !grown {
            return Flow::Continue((id, closed));
        }
        let set = room(self.sets.keep(&Bits::of_words(&reached.0)))?;
        Flow::Continue((self.party(party.shape, party.pid, set)?, closed))
    }

    /// Gets ready to follow the leaf steps of a party.
    pub fn survey<'c>(&mut self, center: &'c [u8]) -> Survey<'c> {
        if self.moves.usage() > MOVES {
            self.moves = Moves::default();
        }
        Survey { center, classes: Vec::new() }
    }

    /// The ground of a frame, and whether all that matters to its leaf steps matters to the party already.
    fn place(&mut self, survey: &mut Survey<'_>, party: &Party, frame: FrameId) -> Flow<(GroundId, bool)> {
        let touch = self.touch(party, frame);
        if let Some(class) = survey.classes.iter().find(|c| c.0 == touch) {
            return Flow::Continue((class.1, class.2));
        }
        let mask = &self.parties.touches.get(touch).leaf;
        let ground = room(self.moves.ground(party.owner, touch, mask, survey.center))?;
        let covered = party.home.covers(mask);
        survey.classes.push((touch, ground, covered));
        Flow::Continue((ground, covered))
    }

    /// The frames that the leaf steps of a frame lead to.
    pub fn leaf_moves(
        &mut self,
        survey: &mut Survey<'_>,
        party: &Party,
        frame: FrameId,
        out: &mut Vec<FrameId>,
    ) -> Flow {
        self.runner.pulse.beat()?;
        out.clear();
        let (ground, _) = self.place(survey, party, frame)?;
        if let Some(known) = self.moves.get(ground, frame) {
            out.extend_from_slice(known);
            return Flow::Continue(());
        }
        let segment = self.segment(party.shape, survey.center, party.pid, frame, &How::Free)?;
        for outcome in segment.outcomes.iter().filter(|o| o.leaf) {
            out.push(self.frame_of(party.shape, party.pid, outcome)?);
        }
        self.moves.put(ground, frame, out);
        Flow::Continue(())
    }
}
