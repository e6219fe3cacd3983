//! Writes states as numbers of a few dozen bits, each word in its field, and reads them back.
//!
//! The name of a state is the number of its length and, for each of its words of four bytes, the number of its value, each in
//! as many bits as [`Layout`] gives it; a last word that is short is filled up with zeros. Words that a shorter state does not
//! have are zero. This is one to one: no number is wider than its field, a list and gathered bits give different numbers to
//! different values, the length says which fields count, and equal lengths with equal words are equal bytes. A
//! value that has no number has no name: its state does not pack. That stays so as long as the packer lives, because a list
//! never gives a number to a value that it has refused ([`Dictionary`]) and gathered bits never change.

use crate::budget::Budget;
use crate::differing::unit;
use crate::lock::Lock;
use crate::packed::dictionary::Dictionary;
use crate::packed::gather::Gather;
use crate::packed::layout::{Coding, Field, Known, Layout};
use crate::split::UNIT;

/// A layout at work.
#[derive(Debug)]
pub(crate) struct Packer<L> {
    /// By word.
    fields: Box<[Place<L>]>,
    length: Place<L>,
    /// A longest state, right in all words that never vary.
    template: Vec<u8>,
    /// The words that do.
    varying: Vec<usize>,
    /// The length of all states, if there is one.
    even: Option<usize>,
    /// By bit of a name: the word whose field it is in.
    words: Box<[u16]>,
    /// A name says all that varies: all states have one length, and every word that may vary has bits.
    steady: bool,
}

/// Where a word lies in a name.
#[derive(Debug)]
pub(crate) struct Place<L> {
    coder: Coder<L>,
    shift: u32,
    bits: u32,
    /// Its bits in a name.
    mask: u64,
}

#[derive(Debug)]
enum Coder<L> {
    Listed(Dictionary<L>),
    Gathered(Gather),
    /// The same if the bits that vary lie side by side, or in two places.
    Once(Gather<1>),
    Twice(Gather<2>),
}

impl<L: Lock> Coder<L> {
    /// Bits that are gathered in as few instructions as they need.
    fn gathered(gather: &Gather) -> Coder<L> {
        let once = gather.few().map(Coder::Once);
        once.or_else(|| gather.few().map(Coder::Twice)).unwrap_or(Coder::Gathered(*gather))
    }
}

impl<L: Lock> Place<L> {
    fn new(field: &Field, shift: u32, budget: &Budget) -> Option<Place<L>> {
        let coder = match &field.coding {
            Coding::Listed(values) => Coder::Listed(Dictionary::new(field.bits, values, budget)?),
            Coding::Gathered(gather) => Coder::gathered(gather),
        };
        Some(Place { coder, shift, bits: field.bits, mask: !(u64::MAX << field.bits) << shift })
    }

    /// The number of a value, where it belongs in a name; none if it has none.
    #[inline(always)]
    fn put(&self, value: u32) -> Option<u64> {
        let number = match &self.coder {
            Coder::Listed(list) => list.number(value)?,
            Coder::Once(few) => few.number(value)?,
            Coder::Twice(few) => few.number(value)?,
            Coder::Gathered(gather) => gather.number(value)?,
        };
        Some(u64::from(number) << self.shift)
    }

    /// The value in a name.
    #[inline(always)]
    fn get(&self, name: u64) -> u32 {
        let number = ((name & self.mask) >> self.shift) as u32;
        match &self.coder {
            Coder::Listed(list) => list.value(number),
            Coder::Once(few) => few.value(number),
            Coder::Twice(few) => few.value(number),
            Coder::Gathered(gather) => gather.value(number),
        }
    }

    fn known(&self) -> Known {
        match self.field().coding {
            Coding::Listed(values) => Known { values: Some(values), before: Some((self.bits, 0)), ..Known::default() },
            Coding::Gathered(gather) => Known {
                values: None,
                first: gather.example(),
                varying: gather.mask(),
                before: Some((self.bits, gather.mask())),
            },
        }
    }

    fn field(&self) -> Field {
        let coding = match &self.coder {
            Coder::Listed(list) => Coding::Listed(list.values()),
            Coder::Once(few) => Coding::Gathered(few.whole()),
            Coder::Twice(few) => Coding::Gathered(few.whole()),
            Coder::Gathered(gather) => Coding::Gathered(*gather),
        };
        Field { bits: self.bits, coding }
    }

    fn bytes(&self) -> u64 {
        match &self.coder {
            Coder::Listed(list) => list.bytes(),
            Coder::Once(_) | Coder::Twice(_) | Coder::Gathered(_) => 0,
        }
    }
}

impl<L: Lock> Packer<L> {
    /// Packs as a layout says; none if there is no memory for its lists.
    pub fn new(layout: &Layout, budget: &Budget) -> Option<Packer<L>> {
        let (mut shift, mut paid) = (0, 0);
        let mut place = |field: &Field| {
            let place = Place::new(field, shift, budget)?;
            shift += field.bits;
            paid += place.bytes();
            Some(place)
        };
        let fields: Option<Box<[Place<L>]>> = layout.words.iter().map(&mut place).collect();
        let made = fields.and_then(|fields| place(&layout.length).map(|length| (fields, length)));
        let Some((fields, length)) = made else {
            budget.give_back(paid);
            return None;
        };
        let template = fields.iter().flat_map(|field| field.get(0).to_le_bytes()).collect();
        // A list that is still empty says nothing yet.
        let settled = |field: &Field| field.bits == 0 && field.coding != Coding::Listed(Vec::new());
        let varying: Vec<usize> = (0..fields.len()).filter(|&at| !settled(&layout.words[at])).collect();
        let even = match &layout.length {
            Field { bits: 0, coding: Coding::Listed(lengths) } => lengths.first().map(|&length| length as usize),
            _ => None,
        };
        let steady =
            even.is_some() && varying.iter().all(|&at| fields[at].bits > 0) && fields.len() < usize::from(u16::MAX);
        let words = fields.iter().enumerate().flat_map(|(at, field)| (0..field.bits).map(move |_| at as u16)).collect();
        Some(Packer { fields, length, template, varying, even, words, steady })
    }

    /// True if [`Packer::unpack_differing`] can be used.
    #[inline(always)]
    pub fn is_even(&self) -> bool {
        self.steady
    }

    /// Bits of a name.
    pub fn bits(&self) -> u32 {
        self.length.shift + self.length.bits
    }

    /// The layout, with all values that are known by now.
    pub fn layout(&self) -> Layout {
        Layout { words: self.fields.iter().map(Place::field).collect(), length: self.length.field() }
    }

    /// What is known of all words, and of lengths.
    pub fn known(&self) -> (Vec<Known>, Known) {
        (self.fields.iter().map(Place::known).collect(), self.length.known())
    }

    /// The name of a state; none if it does not pack.
    pub fn pack(&self, state: &[u8]) -> Option<u64> {
        let fields = self.fields.get(..state.len().div_ceil(UNIT))?;
        let mut name = self.length.put(u32::try_from(state.len()).ok()?)?;
        for (at, field) in fields.iter().enumerate() {
            name |= field.put(unit(state, at))?;
        }
        Some(name)
    }

    /// A name with another value of a word; none if that does not pack.
    #[inline(always)]
    pub fn repack(&self, name: u64, value: u32, at: usize) -> Option<u64> {
        let field = self.fields.get(at)?;
        Some(name & !field.mask | field.put(value)?)
    }

    /// Makes `state`, which is the one with the name `before`, the one with another name.
    #[inline]
    pub fn unpack_differing(&self, before: u64, name: u64, state: &mut [u8]) {
        debug_assert!(self.steady);
        let mut differing = before ^ name;
        while differing != 0 {
            let Some(&at) = self.words.get(differing.trailing_zeros() as usize) else { return };
            let (at, Some(field)) = (usize::from(at), self.fields.get(usize::from(at))) else { return };
            // A last word may be short.
            let value = field.get(name).to_le_bytes();
            match state.get_mut(at * UNIT..) {
                Some(rest) if rest.len() >= UNIT => rest[..UNIT].copy_from_slice(&value),
                Some(rest) => rest.copy_from_slice(&value[..rest.len()]),
                None => return,
            }
            differing &= !field.mask;
        }
    }

    /// Makes `state` the one with a name.
    #[inline]
    pub fn unpack(&self, name: u64, state: &mut Vec<u8>) {
        state.clear();
        state.extend_from_slice(&self.template);
        let (words, _) = state.as_chunks_mut::<UNIT>();
        for &at in &self.varying {
            if let (Some(word), Some(field)) = (words.get_mut(at), self.fields.get(at)) {
                *word = field.get(name).to_le_bytes();
            }
        }
        state.truncate(self.even.unwrap_or_else(|| self.length.get(name) as usize));
    }
}
