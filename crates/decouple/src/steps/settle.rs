//! Closes the parties of a new product under leaf steps.

use crate::steps::core::{Core, Flow};
use crate::steps::expand::Via;
use crate::steps::image::Change;
use crate::steps::product::Product;
use crate::steps::segment::How;

/// The product with all parties closed.
pub fn settle(core: &mut Core<'_>, after: Product, via: &Via<'_>) -> Flow<Product> {
    let mut closed = after;
    let changed = changed(via);
    for (i, party) in closed.parties.iter_mut().enumerate() {
        let untouched = match changed {
            // It was closed before, and nothing that matters to its leaf steps has changed.
            Some(bytes) if i != via.pid.index() => {
                let home = &core.parties.get(*party).home;
                !bytes.iter().any(|&(at, _)| home.has(at))
            }
            _ => false,
        };
        if !untouched {
            *party = core.close(*party, &closed.center)?;
        }
    }
    Flow::Continue(closed)
}

/// The bytes that have changed since all other parties were closed, if that is known.
fn changed<'a>(via: &Via<'a>) -> Option<&'a [(u32, u8)]> {
    let effect = via.effect?;
    match &effect.change {
        Change::Bytes(bytes) if via.earlier.is_empty() && *via.how == How::Free && effect.conditions.is_empty() => {
            Some(bytes)
        }
        _ => None,
    }
}
