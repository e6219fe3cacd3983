//! Whoever has states come in: packets that have to wait for the database are kept, and worked up when it has answered.

use crate::crew::Outgoing;
use crate::search::Search;
use crate::wire::Garbled;

/// A member of a phase in which states travel.
pub trait Host<'a> {
    /// What it searches.
    fn search(&mut self) -> &mut Search<'a>;

    /// Works up a packet in which everything is known.
    fn arrive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled>;
}

/// Looks at a packet, and at those that can be worked up because of it.
pub fn receive<'a>(host: &mut impl Host<'a>, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled> {
    if host.search().admits(from, bytes, out)? {
        host.arrive(from, bytes, out)?;
    }
    while let Some((from, bytes)) = host.search().admitted() {
        host.arrive(from, &bytes, out)?;
    }
    Ok(())
}
