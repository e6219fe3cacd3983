//! An array of bits, written down and read: the bits as they are, since nothing else is known of states.

use super::{Bits, Bitstate, PrivateBitstate, SharedBitstate};
use crate::archive::{LoadError, Save, get_number, put_number};
use crate::lock::Lock;
use crate::sync::Ordering;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::sync::Arc;

impl<L: Lock> Bits<L> {
    fn load(bytes: u64, functions: u32, from: &mut dyn Read) -> Result<Bits<L>, LoadError> {
        let bits: Bits<L> = Bits::new(bytes, functions).ok_or(LoadError::Full)?;
        if (get_number(from)?, get_number(from)?) != (bits.size(), bits.functions.into()) {
            return Err(LoadError::Broken("the array of bits has another size"));
        }
        for counter in [&bits.states, &bits.set, &bits.omitted] {
            counter.store(get_number(from)?, Ordering::Relaxed);
        }
        for word in &bits.words {
            word.store(get_number(from)?, Ordering::Relaxed);
        }
        bits.first.end();
        Ok(bits)
    }
}

impl<T: Deref<Target = Bits<L>>, L: Lock> Save for Bitstate<T, L> {
    /// Of other handles, up to 255 states each may not be counted; their bits are there.
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let (bits, omitted) = (&*self.bits, self.expected_omissions() * 1e6);
        bits.leave_first();
        put_number(out, bits.size())?;
        put_number(out, bits.functions.into())?;
        put_number(out, bits.states.load(Ordering::Relaxed) + self.states)?;
        put_number(out, bits.set.load(Ordering::Relaxed) + self.set)?;
        put_number(out, omitted as u64)?;
        bits.words.iter().try_for_each(|word| put_number(out, word.load(Ordering::Relaxed)))
    }
}

impl PrivateBitstate {
    /// The set that was saved, if it had this size.
    pub fn load(bytes: u64, functions: u32, from: &mut dyn Read) -> Result<PrivateBitstate, LoadError> {
        Ok(Bitstate { bits: Box::new(Bits::load(bytes, functions, from)?), states: 0, set: 0 })
    }
}

impl SharedBitstate {
    /// The set that was saved, if it had this size.
    pub fn load(bytes: u64, functions: u32, from: &mut dyn Read) -> Result<SharedBitstate, LoadError> {
        Ok(Bitstate { bits: Arc::new(Bits::load(bytes, functions, from)?), states: 0, set: 0 })
    }
}
