//! Finds out what a party can do in a center. In a large set, frames that are known to have leaf steps only are left out at
//! once, without a look at each of them.

use crate::leaves::frame_facts::{GroundId, Idle};
use crate::leaves::leaf_set::{Party, PartyId};
use crate::leaves::sets::FrameId;
use crate::leaves::touches::{LARGE, TouchId};
use crate::steps::core::{Core, Flow, room};
use crate::steps::image::{Draft, Image};
use crate::steps::segment::{How, Segment};

/// Bytes that may be spent to remember which frames are idle, roughly.
const IDLE: u64 = 128 << 20;

/// Classes of frames of a large set: their grounds, and frames that turned out to be idle.
type Yard = Vec<(TouchId, GroundId, Vec<FrameId>)>;

/// True if all a frame can do are leaf steps in which nothing goes wrong.
fn idle(segment: &Segment) -> bool {
    segment.moves && segment.flaws.is_empty() && segment.outcomes.iter().all(|o| o.leaf)
}

impl<'m> Core<'m> {
    /// All that a party can do in a center.
    pub fn find_image(&mut self, id: PartyId, center: &[u8], how: &How) -> Flow<Image> {
        let party = self.parties.keep(id);
        let mut draft = Draft::default();
        let (frames, mut yard) = match *how == How::Free && self.sets.len(party.set) > LARGE {
            true => self.busy(&party, center)?,
            false => (self.sets.list(party.set), Yard::new()),
        };
        for frame in frames {
            let segment = self.segment(party.shape, center, party.pid, frame, how)?;
            if !yard.is_empty() && idle(&segment) {
                let touch = self.touch(&party, frame);
                yard.iter_mut().filter(|y| y.0 == touch).for_each(|y| y.2.push(frame));
            }
            self.add(&party, center, how, frame, &segment, &mut draft)?;
        }
        for (_, ground, found) in yard.into_iter().filter(|y| !y.2.is_empty()) {
            self.idle.add(ground, found);
        }
        draft.finish(&mut self.sets).map_or_else(|full| room(Err(full)), Flow::Continue)
    }

    /// The frames of a large set that are not known to be idle.
    fn busy(&mut self, party: &Party, center: &[u8]) -> Flow<(Vec<FrameId>, Yard)> {
        if self.idle.usage() > IDLE {
            self.idle = Idle::default();
        }
        let (mut frames, mut yard) = (Vec::new(), Yard::new());
        for (touch, part) in self.parties.touches.split(party.owner, self.sets.view(party.set)) {
            let mask = &self.parties.touches.get(touch).all;
            let ground = room(self.idle.ground(party.owner, touch, mask, center))?;
            let rest = part.view().difference(self.idle.get(ground).view());
            frames.extend(rest.view().iter().map(FrameId));
            yard.push((touch, ground, Vec::new()));
        }
        frames.sort_unstable();
        Flow::Continue((frames, yard))
    }

    fn add(
        &mut self,
        party: &Party,
        center: &[u8],
        how: &How,
        frame: FrameId,
        segment: &Segment,
        draft: &mut Draft,
    ) -> Flow {
        self.faults(party, center, segment, &mut draft.image);
        if *how == How::Free && !segment.moves {
            draft.block(frame, &segment.offers);
        }
        for outcome in segment.outcomes.iter().filter(|o| !(o.leaf && *how == How::Free)) {
            let (effect, after) = self.effect(party, center, outcome)?;
            draft.group(effect, outcome, after);
        }
        Flow::Continue(())
    }
}
