//! A set of hashes, written down and read.

use super::{Compact, Hashes, PrivateCompact, SharedCompact};
use crate::archive::{LoadError, Save};
use crate::lock::Lock;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::sync::Arc;

impl<L: Lock> Hashes<L> {
    fn load(limit: Option<u64>, marks: u32, from: &mut dyn Read) -> Result<Hashes<L>, LoadError> {
        let hashes = Hashes::new(limit, marks);
        hashes.root.load(from, &hashes.budget)?;
        Ok(hashes)
    }
}

impl<L: Lock, T: Deref<Target = Hashes<L>>> Save for Compact<T> {
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.hashes.root.save(out)
    }
}

impl PrivateCompact {
    /// The set that was saved.
    pub fn load(limit: Option<u64>, marks: u32, from: &mut dyn Read) -> Result<PrivateCompact, LoadError> {
        Ok(Compact { hashes: Box::new(Hashes::load(limit, marks, from)?) })
    }
}

impl SharedCompact {
    /// The set that was saved.
    pub fn load(limit: Option<u64>, marks: u32, from: &mut dyn Read) -> Result<SharedCompact, LoadError> {
        Ok(Compact { hashes: Arc::new(Hashes::load(limit, marks, from)?) })
    }
}
