//! Learns from states how to pack states: which values each word takes.

use crate::differing::unit;
use crate::lock::Lock;
use crate::packed::layout::{Known, LISTED, Layout};
use crate::packed::packer::Packer;
use crate::split::UNIT;

/// What was seen of the states of a system.
#[derive(Debug, Default)]
pub struct Census {
    words: Vec<Column>,
    lengths: Column,
}

/// The values of one word.
#[derive(Debug)]
struct Column {
    known: Known,
    /// A power of two of slots, at most half of them used: one more than the place of a value in the list, above it.
    slots: Vec<u64>,
    /// The value that was seen last, in most states the next one as well.
    last: Option<u32>,
}

impl Default for Column {
    fn default() -> Column {
        let known = Known { values: Some(Vec::new()), ..Known::default() };
        Column { known, slots: vec![0; 16], last: None }
    }
}

impl Census {
    /// Nothing has been seen.
    pub fn new() -> Census {
        Census::default()
    }

    /// All that a packer knows.
    pub(crate) fn of<L: Lock>(packer: &Packer<L>) -> Census {
        let (words, lengths) = packer.known();
        Census { words: words.into_iter().map(Column::of).collect(), lengths: Column::of(lengths) }
    }

    /// Looks at a state.
    pub fn add(&mut self, state: &[u8]) {
        let count = state.len().div_ceil(UNIT);
        if self.words.len() < count {
            self.words.resize_with(count, Column::default);
        }
        self.lengths.add(state.len() as u32);
        for (at, column) in self.words[..count].iter_mut().enumerate() {
            column.add(unit(state, at));
        }
    }

    /// A layout for all states that were seen, and others like them; none if they do not pack.
    pub fn layout(&self) -> Option<Layout> {
        let words: Vec<Known> = self.words.iter().map(|column| column.known.clone()).collect();
        Layout::choose(&words, &self.lengths.known)
    }
}

impl Column {
    fn of(known: Known) -> Column {
        let mut column = Column { last: None, ..Column::default() };
        match &known.values {
            Some(values) => {
                values.iter().for_each(|&value| column.add(value));
                column.known.before = known.before;
            }
            None => column.known = known,
        }
        column
    }

    #[inline(always)]
    fn add(&mut self, value: u32) {
        if self.last != Some(value) {
            self.note(value);
        }
    }

    fn note(&mut self, value: u32) {
        if self.last.is_none() && self.known.values.as_ref().is_some_and(Vec::is_empty) {
            self.known.first = value;
        }
        self.last = Some(value);
        self.known.varying |= value ^ self.known.first;
        let Some(values) = &mut self.known.values else { return };
        let Err(place) = find(&self.slots, value) else { return };
        if values.len() == LISTED {
            (self.known.values, self.slots) = (None, Vec::new());
            return;
        }
        values.push(value);
        self.slots[place] = (values.len() as u64) << u32::BITS | u64::from(value);
        if values.len() * 2 > self.slots.len() {
            self.slots = vec![0; self.slots.len() * 2];
            for (number, &value) in values.iter().enumerate() {
                if let Err(place) = find(&self.slots, value) {
                    self.slots[place] = (number as u64 + 1) << u32::BITS | u64::from(value);
                }
            }
        }
    }
}

/// The slot of a value, or the free one where it belongs.
fn find(slots: &[u64], value: u32) -> Result<usize, usize> {
    let mask = slots.len() - 1;
    let mut place = (value.wrapping_mul(0x9e37_79b1) >> (u32::BITS - slots.len().ilog2())) as usize;
    loop {
        match slots[place & mask] {
            0 => return Err(place & mask),
            slot if slot as u32 == value => return Ok(place & mask),
            _ => place += 1,
        }
    }
}
