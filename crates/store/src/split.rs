//! Which parts of a state are folded on which side of its tree.
//!
//! Memory depends on how evenly the two sides vary: where one side knows almost everything, it has almost as many values as
//! there are states. No rule is best for all models. With the better one of the two, seven models of protocols needed from
//! four to six bytes a state, with the worse one up to 23. [`Split::choose`] finds out from some states.

use crate::set::Vector;
use rapidhash::v3::rapidhash_v3;
use std::collections::HashSet;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Split {
    /// The first half of the parts (rounded up) is on the left.
    #[default]
    Halves,
    /// Parts are on the left and on the right in turn.
    InTurn,
}

/// Where parts of one side have their positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    first: u32,
    shift: u32,
}

impl Place {
    /// The position of a part on its side.
    #[inline(always)]
    pub fn of(self, part: u32) -> u32 {
        (part >> self.shift) - self.first
    }
}

impl Split {
    /// The rule that needs less memory for these states; a few thousand from different regions of the state space will do.
    pub fn choose<'a>(states: impl Iterator<Item = Vector<'a>> + Clone) -> Split {
        let values = |split: Split| {
            let mut seen = [HashSet::new(), HashSet::new()];
            for state in states.clone() {
                let sides = split.hashes(state);
                (0..2).for_each(|side| _ = seen[side].insert(sides[side]));
            }
            seen[0].len() + seen[1].len()
        };
        if values(Split::InTurn) < values(Split::Halves) { Split::InTurn } else { Split::Halves }
    }

    /// A hash of all parts of each side.
    fn hashes(self, state: Vector<'_>) -> [u64; 2] {
        let (mut sides, mut start) = ([0u64; 2], 0);
        for (at, &end) in state.ends.iter().enumerate() {
            let part = state.bytes.get(start..end as usize).unwrap_or_default();
            let side = &mut sides[self.side(at as u32, state.ends.len() as u32)];
            *side = crate::words::hash(*side ^ rapidhash_v3(part));
            start = end as usize;
        }
        sides
    }

    /// The side of a part: zero is left, one is right.
    #[inline(always)]
    pub(crate) fn side(self, part: u32, parts: u32) -> usize {
        match self {
            Split::Halves => usize::from(part >= parts.div_ceil(2)),
            Split::InTurn => (part & 1) as usize,
        }
    }

    /// Positions of parts on a side.
    #[inline(always)]
    pub(crate) fn place(self, side: usize, parts: u32) -> Place {
        match self {
            Split::Halves => Place { first: if side == 0 { 0 } else { parts.div_ceil(2) }, shift: 0 },
            Split::InTurn => Place { first: 0, shift: 1 },
        }
    }
}
