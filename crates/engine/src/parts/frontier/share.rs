//! Gives away a part of what waits, with the ways to it.

use super::{Frame, Frontier, GROUP, append};
use std::ops::Range;
use std::sync::Arc;

/// Most states that are given away at once.
const MOST_GIVEN: u64 = 1 << 16;

impl Frontier {
    /// Gives away about half of the waiting states, the oldest ones, with the ways to them. It should be many at once: most of
    /// what follows old states is known already, so whoever gets a few comes back at once for more.
    pub fn split(&mut self) -> Option<Frontier> {
        let wish = (self.waiting / 2).min(MOST_GIVEN);
        let (mut first, mut given) = (None, 0);
        for f in self.oldest..self.frames.len() {
            let (floor, ceiling) = self.waiting_in(f);
            let count = self.back(ceiling, floor, usize::MAX).1 as u64;
            if count == 0 {
                // A frame that is not the topmost one gets no others.
                if first.is_none() && f + 1 < self.frames.len() {
                    self.oldest = f + 1;
                }
                continue;
            }
            if given + count > wish {
                return match first {
                    Some(first) if given >= wish / 2 => Some(self.give(first, f - 1, given)),
                    _ => self.halve(f, count),
                };
            }
            first = first.or(Some(f));
            given += count;
        }
        None
    }

    /// Gives away half of the waiting states of a frame, which are so many.
    fn halve(&mut self, frame: usize, count: u64) -> Option<Frontier> {
        if count < 2 {
            return None;
        }
        let (floor, ceiling) = self.waiting_in(frame);
        let (cut, given) = self.back(ceiling, floor, count as usize / 2);
        let part = self.part(frame..frame + 1, cut..ceiling, given as u64);
        match self.frames.get_mut(frame + 1) {
            Some(above) => above.below = cut,
            None => self.bytes.truncate(cut),
        }
        self.waiting -= given as u64;
        Some(part)
    }

    /// Gives away all waiting states of some frames, of which the last one is not the topmost.
    fn give(&mut self, first: usize, last: usize, given: u64) -> Frontier {
        let (floor, ceiling) = (self.frames[first].end, self.waiting_in(last).1);
        let part = self.part(first..last + 1, floor..ceiling, given);
        for f in first..=last {
            self.frames[f + 1].below = self.frames[f].end;
        }
        self.oldest = last + 1;
        self.waiting -= given;
        part
    }

    /// Where the waiting states of a frame start and end.
    fn waiting_in(&self, frame: usize) -> (usize, usize) {
        (self.frames[frame].end, self.frames.get(frame + 1).map_or(self.bytes.len(), |above| above.below))
    }

    /// A frontier of some of the waiting states of some frames.
    fn part(&self, frames: Range<usize>, range: Range<usize>, waiting: u64) -> Frontier {
        let Frame { start, end, .. } = self.frames[frames.start];
        let (_, members) = self.back(end, start, usize::MAX);
        let origins = (0..members).map(|m| Arc::new(self.way(frames.start + 1, m))).collect();
        let mut bytes = Vec::new();
        for number in (0..members).rev() {
            let (record, _) = self.record(&self.frames[frames.start], number);
            append(&mut bytes, record, number);
        }
        let (from, to) = (range.start, bytes.len());
        let moved = |at: usize| at - from + to;
        let mut kept = vec![Frame { start: 0, end: to, below: 0 }];
        kept.extend(self.frames[frames].iter().skip(1).map(|frame| Frame {
            start: moved(frame.start),
            end: moved(frame.end),
            below: moved(frame.below),
        }));
        bytes.extend_from_slice(&self.bytes[range]);
        Frontier { bytes, frames: kept, waiting, places: [0; GROUP], oldest: 0, origins, settled: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_ways_of_the_whole() {
        let mut whole = Frontier::default();
        whole.push(&[0], 0);
        whole.take();
        (1..=20).for_each(|state| whole.push(&[state], 0));
        whole.take();
        whole.push(&[101], 1);
        whole.take();
        let mut part = whole.split().expect("four states wait");
        assert_eq!((part.waiting(), whole.waiting()), (2, 2));
        assert_eq!(part.take(), 2);
        assert_eq!(part.path(0), [[0], [4]]);
        part.push(&[44], 0);
        part.push(&[33], 1);
        part.take();
        assert_eq!(part.path(0), [[0], [3], [33]]);
        part.push(&[55], 1);
        part.push(&[56], 1);
        let mut third = part.split().expect("two states wait");
        assert_eq!((third.take(), part.take()), (1, 1));
        assert_eq!(third.path(0), [[0], [4], [44], [56]]);
        assert_eq!(part.path(0), [[0], [4], [44], [55]]);
        let rest: Vec<_> = std::iter::from_fn(|| Some(whole.take()).filter(|&n| n > 0)).collect();
        assert_eq!(rest, [2], "what was given away does not come back");
    }

    /// Expands all of a random tree, whose nodes are the ways to them, while parts are given away at random; the number of
    /// nodes, and the most frames of a part.
    fn visited(seed: u64) -> (u64, usize) {
        let mut random = seed;
        let mut next = move |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let mut first = Frontier::default();
        first.push(&[0], 0);
        let (mut parts, mut stored, mut taken, mut frames) = (vec![first], 1, 0, 0);
        while let Some(mut frontier) = parts.pop() {
            loop {
                let members = frontier.take();
                taken += members as u64;
                let below: Vec<_> = (0..members).map(|m| frontier.member(m).to_vec()).collect();
                for (member, node) in below.iter().enumerate() {
                    let way: Vec<_> = (1..=node.len()).map(|len| node[..len].to_vec()).collect();
                    assert_eq!(frontier.path(member), way, "seed {seed}");
                    let children = if stored < 3000 { next(6) } else { 0 };
                    for child in 0..children {
                        frontier.push(&[&node[..], &[child as u8]].concat(), member);
                        stored += 1;
                    }
                }
                if members == 0 {
                    break;
                }
                let before = frontier.waiting();
                if next(4) == 0
                    && let Some(part) = frontier.split()
                {
                    assert!(part.waiting() > 0 && frontier.waiting() > 0, "seed {seed}: all of it was given away");
                    assert_eq!(part.waiting() + frontier.waiting(), before, "seed {seed}");
                    frames = frames.max(part.depth());
                    parts.push(part);
                }
            }
            assert_eq!(frontier.waiting(), 0, "seed {seed}");
        }
        assert_eq!(taken, stored, "seed {seed}: a state was lost or came twice");
        (stored, frames)
    }

    #[test]
    fn nobody_is_lost_when_parts_are_given_away() {
        let sizes: Vec<_> = (0..40).map(visited).collect();
        assert!(sizes.iter().filter(|size| size.0 > 1000).count() > 20, "the trees are too small: {sizes:?}");
        assert!(sizes.iter().any(|size| size.1 > 2), "no part had several frames: {sizes:?}");
    }
}
