//! What a property sees of the frames of processes: a leaf step that changes it is a center step.
//!
//! All frames of a leaf in one decoupled state look the same to the property, so the property can be told what holds there
//! from any of the states that it stands for.

use crate::topology::decompose::Refusal;
use starwheel_model::footprint::Footprint;
use starwheel_model::{Expr, LocId, Model, Place, ProctypeId, Region, Stmt, TransId};

/// What a property sees of frames; nothing if there is no property.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// True if it asks for the location of a process by its number.
    everywhere: bool,
    /// The locations that it asks for, in processes of any type.
    locations: Vec<LocId>,
    /// Bytes of the frames of a type: first, and one past the last.
    variables: Vec<(ProctypeId, usize, usize)>,
}

impl Seen {
    /// What a claim sees.
    pub fn by(model: &Model, claim: ProctypeId) -> Seen {
        let mut seen = Seen::default();
        for t in model.transitions.iter().filter(|t| t.proctype == claim) {
            t.stmt.walk(&mut |e| match e {
                Expr::PcValue(_) => seen.everywhere = true,
                Expr::RemoteLabel { loc, .. } => seen.locations.push(*loc),
                Expr::RemoteVar { proctype, place, .. } => seen.variable(*proctype, place),
                _ => {}
            });
        }
        seen
    }

    /// An element of an array may be any of them.
    fn variable(&mut self, proctype: ProctypeId, place: &Place) {
        let (first, end) = place.widest(1);
        self.variables.push((proctype, first as usize, end as usize));
    }

    /// True if frames do not matter to the property.
    pub fn is_blind(&self) -> bool {
        !self.everywhere && self.locations.is_empty() && self.variables.is_empty()
    }

    /// True if a step may change what the property sees of the frame of its process.
    pub fn sees(&self, model: &Model, footprint: &Footprint, trans: TransId) -> bool {
        let t = model.transition(trans);
        let leaves = |loc: &LocId| {
            let place = model.proctype(t.proctype).locs.get(loc.index());
            place.is_some_and(|l| l.out.contains(&trans))
        };
        let moves = |loc: &LocId| leaves(loc) != (t.to == *loc);
        let writes = |&(proctype, first, end): &(ProctypeId, usize, usize)| {
            proctype == t.proctype && footprint.writes.locals.meets_piece((first as u32, end as u32))
        };
        self.everywhere || self.locations.iter().any(moves) || self.variables.iter().any(writes)
    }

    /// What the property sees of a frame.
    pub fn look(&self, frame: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let place = [frame[2], frame[3]];
        if self.everywhere {
            out.extend_from_slice(&place);
        }
        let at = LocId(u16::from_le_bytes(place));
        out.extend(self.locations.iter().map(|&loc| u8::from(loc == at)));
        for &(_, first, end) in self.variables.iter().filter(|v| v.0.0 == frame[0]) {
            out.extend_from_slice(&frame[first..end]);
        }
        out
    }
}

/// What a claim asks that cannot be answered for a decoupled state, if there is such a thing.
pub fn property_refusal(model: &Model, claim: ProctypeId) -> Option<Refusal> {
    let own = model.transitions.iter().filter(|t| t.proctype == claim);
    own.into_iter().find_map(|t| {
        let mut found = match &t.stmt {
            Stmt::Guard(_) | Stmt::Skip(_) => None,
            _ => Some("a claim with statements that are no conditions"),
        };
        t.stmt.walk(&mut |e| found = found.or(forbidden(e)));
        found.map(|what| Refusal { what: format!("{what} in a property"), span: t.span })
    })
}

fn forbidden(e: &Expr) -> Option<&'static str> {
    match e {
        Expr::Last => Some("`_last`"),
        Expr::Priority | Expr::GetPriority(_) => Some("a priority"),
        Expr::Enabled(_) => Some("`enabled()`"),
        Expr::NonProgress => Some("`np_`"),
        Expr::Timeout => Some("`timeout`"),
        Expr::Run(_) => Some("`run`"),
        Expr::Load(place) if place.region == Region::Hidden => Some("a hidden variable"),
        Expr::Load(place) if place.region == Region::Local => Some("a variable of the claim"),
        _ => None,
    }
}
