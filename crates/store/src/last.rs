//! The codes of the state that was folded last, so that the next one, which is mostly similar, folds only what it changes.

use crate::lock::Lock;
use crate::parts::{Code, WORD};
use crate::tree::{Tables, name};

/// A state and all codes of its tree.
#[derive(Debug, Default)]
pub(crate) struct Last {
    /// The state, unless a fold broke off.
    bytes: Option<Vec<u8>>,
    sides: [Side; 2],
    numbers: [u32; 2],
}

/// The codes of one side, level by level: those of the parts, then the pairs above them, up to two or fewer.
#[derive(Debug, Default)]
struct Side {
    levels: Vec<Vec<Code>>,
    /// The places in a level whose codes have changed, in rising order.
    changed: Vec<usize>,
}

impl Last {
    /// The name of a state that is cut every [`WORD`] bytes; none if there is no memory.
    pub fn fold<L: Lock>(&mut self, tables: &Tables<L>, state: &[u8]) -> Option<u64> {
        // If there is no memory, the codes are of no state at all.
        let last = self.bytes.take().filter(|last| last.len() == state.len());
        let fresh = last.is_none();
        let mut last = match last {
            Some(last) => last,
            None => self.begin(state.len())?,
        };
        let half = state.len().div_ceil(WORD).div_ceil(2);
        for (at, part) in state.chunks(WORD).enumerate() {
            let start = at * WORD;
            if fresh || last[start..start + part.len()] != *part {
                let (side, place) = if at < half { (0, at) } else { (1, at - half) };
                self.sides[side].set(place, tables.part(part)?);
            }
        }
        for (at, side) in self.sides.iter_mut().enumerate() {
            if fresh || !side.changed.is_empty() {
                side.climb(tables)?;
                self.numbers[at] = tables.top(at, side.levels.last().map_or(&[], |top| top))?;
            }
        }
        last.clear();
        last.extend_from_slice(state);
        self.bytes = Some(last);
        Some(name(self.numbers))
    }

    /// Makes room for the codes of a state of this length; gives an empty buffer, which is no such state.
    fn begin(&mut self, len: usize) -> Option<Vec<u8>> {
        let count = len.div_ceil(WORD);
        self.sides[0].begin(count.div_ceil(2))?;
        self.sides[1].begin(count / 2)?;
        let mut bytes = Vec::new();
        bytes.try_reserve(len).ok()?;
        Some(bytes)
    }
}

impl Side {
    /// Makes levels for so many parts.
    fn begin(&mut self, count: usize) -> Option<()> {
        self.changed.clear();
        self.changed.try_reserve(count).ok()?;
        self.levels.clear();
        let mut size = count;
        loop {
            let mut level = Vec::new();
            level.try_reserve(size).ok()?;
            level.resize(size, Code::NONE);
            self.levels.push(level);
            if size <= 2 {
                return Some(());
            }
            size = size.div_ceil(2);
        }
    }

    /// Changes the code of a part.
    fn set(&mut self, place: usize, code: Code) {
        self.levels[0][place] = code;
        self.changed.push(place);
    }

    /// Makes the pairs above all parts that have changed.
    fn climb<L: Lock>(&mut self, tables: &Tables<L>) -> Option<()> {
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let (below, above) = (&below[level - 1], &mut above[0]);
            let mut kept = 0;
            for at in 0..self.changed.len() {
                let place = self.changed[at] / 2;
                if kept > 0 && self.changed[kept - 1] == place {
                    continue;
                }
                let right = below.get(2 * place + 1).copied().unwrap_or(Code::NONE);
                above[place] = tables.node(below[2 * place], right)?;
                self.changed[kept] = place;
                kept += 1;
            }
            self.changed.truncate(kept);
        }
        self.changed.clear();
        Some(())
    }
}
