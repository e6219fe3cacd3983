//! The names of a root table, written down and read.

use super::{Root, Sought, mask, shards};
use crate::archive::{LoadError, get_number, put_number};
use crate::budget::Budget;
use crate::lock::Lock;
use crate::shard::Put;
use std::io::{self, Read, Write};

impl<L: Lock> Root<L> {
    /// Writes all names with their marks.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        put_number(out, self.marks.into())?;
        put_number(out, self.len())?;
        for (number, shard) in self.shards.iter().enumerate() {
            let mut written = Ok(());
            shard.lock().each(self.marks, |(low, high), value| {
                if written.is_ok() {
                    written = self.write(out, joined::<L>(number as u64, low, high), value);
                }
            });
            written?;
        }
        Ok(())
    }

    fn write(&self, out: &mut dyn Write, name: u64, value: u8) -> io::Result<()> {
        put_number(out, name)?;
        if self.marks > 0 { out.write_all(&[value]) } else { Ok(()) }
    }

    /// Puts names into an empty table.
    pub fn load(&self, from: &mut dyn Read, budget: &Budget) -> Result<(), LoadError> {
        if get_number(from)? != u64::from(self.marks) {
            return Err(LoadError::Broken("states have other marks"));
        }
        for _ in 0..get_number(from)? {
            let (name, mut value) = (get_number(from)?, [0]);
            if self.marks > 0 {
                from.read_exact(&mut value)?;
            }
            match self.put(&Sought::new(name), value[0], budget) {
                Put::New => {}
                Put::Known(_) => return Err(LoadError::Broken("a state came twice")),
                Put::Full => return Err(LoadError::Full),
            }
        }
        Ok(())
    }
}

/// The name of what a shard knows: the opposite of `cut`.
pub(super) fn joined<L: Lock>(shard: u64, low: u32, high: u32) -> u64 {
    let bits = shards::<L>();
    let rest = u64::from(high) << 32 | u64::from(low << bits);
    rest | (shard ^ mask::<L>(rest)) & ((1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lock::{Private, Spin};

    #[test]
    fn names_are_joined_as_they_were_cut() {
        for at in 0..10_000u64 {
            let name = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ at;
            let (shard, low, high) = crate::root::cut::<Private>(name);
            assert_eq!(joined::<Private>(shard as u64, low, high), name);
            let (shard, low, high) = crate::root::cut::<Spin>(name);
            assert_eq!(joined::<Spin>(shard as u64, low, high), name);
        }
    }
}
