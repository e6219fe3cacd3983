//! Which statements a property can see: those that may change what it asks for. A leaf step that is seen is a center step
//! in the search for the property.

use crate::topology::decompose::Decomposition;
use starwheel_model::footprint::{ChannelUse, Footprint, Special, Touch};
use starwheel_model::{Model, ProctypeId, TransId};

/// By transition: true if a claim may see it.
pub fn visible(model: &Model, claim: ProctypeId) -> Vec<bool> {
    let parts = Decomposition::watched(model, claim);
    let (mut reads, mut channels) = (Touch::default(), Vec::new());
    for (t, f) in model.transitions.iter().zip(&parts.footprints).filter(|(t, _)| t.proctype == claim) {
        debug_assert_eq!(t.proctype, claim);
        reads.join(&f.reads);
        channels.push(&f.channels);
    }
    let all = (0..model.transitions.len() as u32).map(TransId);
    all.map(|t| {
        let f = &parts.footprints[t.index()];
        model.transition(t).proctype != claim && (touches(f, &reads, &channels) || parts.seen.sees(model, f, t))
    })
    .collect()
}

/// True if a step may change something in the center that is read.
fn touches(f: &Footprint, reads: &Touch, channels: &[&ChannelUse]) -> bool {
    f.writes.globals.meets(&reads.globals)
        || f.writes.special.without(Special::LOCATIONS).meets(reads.special)
        || channels.iter().any(|asked| clash(&f.channels, asked))
}

fn clash(used: &ChannelUse, asked: &ChannelUse) -> bool {
    let some = |one: &ChannelUse| !one.any.is_empty() || !one.known.is_empty();
    let unknown = |a: &ChannelUse, b: &ChannelUse| {
        some(b) && (a.any.clashes(b.any) || b.known.iter().any(|&(_, ops)| a.any.clashes(ops)))
    };
    let same = used.known.iter().any(|&(c, ops)| asked.known.iter().any(|&(d, other)| c == d && ops.clashes(other)));
    same || unknown(used, asked) || unknown(asked, used)
}
