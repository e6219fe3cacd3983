//! Where each word of a state lies in a packed name and how it is written there: a value that can be learned, stored and sent.

use crate::archive::{LoadError, get_number, put_number};
use crate::packed::dictionary::MOST;
use crate::packed::gather::Gather;
use std::collections::HashSet;
use std::io::{self, Read, Write};

/// Bits of a name; the one above them says that a state did not pack.
pub(crate) const BITS: u32 = 63;
/// Most values of a word that are listed.
pub(crate) const LISTED: usize = 1 << (MOST - 1);
/// A list with more bits than this is not at hand: so many more bits are not too many for a word as it is.
const LONG: (u32, u32) = (12, 3);

/// How states are packed: the layout of a packed store, and the values it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// By word of a state.
    pub(crate) words: Vec<Field>,
    /// How many bytes a state has.
    pub(crate) length: Field,
}

/// One word of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Bits in a name.
    pub bits: u32,
    /// What they mean.
    pub coding: Coding,
}

/// How a value becomes a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// By its place in a list.
    Listed(Vec<u32>),
    /// By the bits that vary.
    Gathered(Gather),
}

/// What is known of the values of one word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Those that are listed, in an order that stays; none if there are too many.
    pub values: Option<Vec<u32>>,
    /// One of them.
    pub first: u32,
    /// The bits in which some differ.
    pub varying: u32,
    /// If there was a layout before: the bits that it had for this word, and which of them varied.
    pub before: Option<(u32, u32)>,
}

impl Layout {
    /// The layout for words and lengths of which this is known; none if names have no room for them.
    pub(crate) fn choose(words: &[Known], length: &Known) -> Option<Layout> {
        let with = |room: bool| {
            let words: Option<Vec<Field>> = words.iter().map(|known| Field::choose(known, room)).collect();
            let layout = Layout { words: words?, length: Field::choose(length, room)? };
            (layout.bits() <= BITS).then_some(layout)
        };
        with(true).or_else(|| with(false))
    }

    /// Bits of a name.
    pub fn bits(&self) -> u32 {
        self.words.iter().map(|field| field.bits).sum::<u32>() + self.length.bits
    }

    /// Writes everything.
    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        put_number(out, self.words.len() as u64)?;
        self.words.iter().chain([&self.length]).try_for_each(|field| {
            put_number(out, field.bits.into())?;
            match &field.coding {
                Coding::Listed(values) => {
                    put_number(out, values.len() as u64)?;
                    values.iter().try_for_each(|&value| put_number(out, value.into()))
                }
                Coding::Gathered(gather) => {
                    put_number(out, u64::MAX)?;
                    put_number(out, gather.example().into())?;
                    put_number(out, gather.mask().into())
                }
            }
        })
    }

    /// What was written.
    pub(crate) fn load(from: &mut dyn Read) -> Result<Layout, LoadError> {
        let mut words = Vec::new();
        for _ in 0..get_number(from)? {
            words.push(Field::load(from)?);
        }
        let layout = Layout { words, length: Field::load(from)? };
        let bits = layout.words.iter().chain([&layout.length]).try_fold(0u32, |sum, it| sum.checked_add(it.bits));
        match bits.filter(|&bits| bits <= BITS) {
            Some(_) => Ok(layout),
            None => Err(LoadError::Broken("a name has too many bits")),
        }
    }
}

impl Field {
    /// How to write such values; with `room` for more if a list is nearly full.
    fn choose(known: &Known, room: bool) -> Option<Field> {
        // What has outgrown its bits goes on growing: the next bits get ready, and a list twice the room.
        let risen =
            known.before.filter(|_| room && known.values.is_none()).map_or(0, |(_, bits)| known.varying & !bits);
        let outgrown = |count: usize| room && known.before.is_some_and(|(bits, _)| count as u64 > 1 << bits);
        let gather = Gather::new(known.first, known.varying | risen << 1);
        let gathered = Field { bits: gather.bits(), coding: Coding::Gathered(gather) };
        let listed = known.values.as_ref().map(|values| {
            let least = values.len().next_power_of_two();
            let full = room && values.len() > 1 && values.len() > least / 4 * 3;
            let bits = least.ilog2() + u32::from(full) + u32::from(outgrown(values.len()));
            Field { bits, coding: Coding::Listed(values.clone()) }
        });
        match listed.filter(|listed| listed.bits <= MOST) {
            None => Some(gathered),
            Some(listed) if gathered.bits <= listed.bits && listed.bits > 0 => Some(gathered),
            Some(listed) if room && listed.bits > LONG.0 && gathered.bits <= listed.bits + LONG.1 => Some(gathered),
            Some(listed) => Some(listed),
        }
    }

    fn load(from: &mut dyn Read) -> Result<Field, LoadError> {
        let number = |from: &mut dyn Read| -> Result<u32, LoadError> {
            u32::try_from(get_number(from)?).map_err(|_| LoadError::Broken("a value has too many bits"))
        };
        let bits = number(from)?;
        let coding = match get_number(from)? {
            u64::MAX => {
                let (example, mask) = (number(from)?, number(from)?);
                let gather = Gather::new(example, mask);
                if gather.bits() != bits {
                    return Err(LoadError::Broken("a word has other bits than it had"));
                }
                Coding::Gathered(gather)
            }
            count if bits <= MOST && count <= 1 << bits => {
                let values = (0..count).map(|_| number(from)).collect::<Result<Vec<u32>, _>>()?;
                if values.iter().collect::<HashSet<_>>().len() < values.len() {
                    return Err(LoadError::Broken("a value came twice"));
                }
                Coding::Listed(values)
            }
            _ => return Err(LoadError::Broken("a word has more values than numbers")),
        };
        Ok(Field { bits, coding })
    }
}
