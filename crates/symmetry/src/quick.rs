//! The usual case of our own strategy in one pass: points that have nothing to do with each other are put in order.
//!
//! In most states whatever belongs to a point belongs to it alone and names nobody else, and whatever else names points is
//! global. Then the colours of [`crate::refine`] stand still after one round, and points of one colour are twins: the same
//! belongs to them, and what is global names one point only, so it names neither. What is masked, where names lie and how
//! each of them counts is worked out beforehand. (Should two hashes be equal by accident, a state gets an alike name that is
//! not canonical, and one more state is stored.)
//!
//! Whether a state is of this kind does not depend on what its points are called, so alike states go the same way.

use crate::plan::Plan;
use crate::refine::mix;
use starwheel_model::Ty;

/// The most points, as [`crate::infer()`] has it.
const MOST: usize = 64;

/// How points are put in order.
#[derive(Debug)]
pub struct Quick {
    parts: Vec<Part>,
    globals: Vec<Inner>,
}

/// What belongs to each point alone.
#[derive(Debug)]
struct Part {
    /// By word of eight bytes: the bytes that are no names.
    masks: Vec<u64>,
    /// By point: where it lies.
    pieces: Vec<(u8, usize)>,
    /// Where names lie in it.
    names: Vec<Inner>,
}

/// A place for a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    at: usize,
    ty: Ty,
    names: usize,
    id: u64,
}

impl Quick {
    /// For a plan; none if points share things.
    pub fn new(plan: &Plan) -> Option<Quick> {
        let inner =
            |s: &crate::plan::Scalar, base: usize| Inner { at: s.at - base, ty: s.ty, names: s.names, id: s.id };
        if plan.points > MOST || plan.fields.iter().any(|f| !f.scalar.coords.is_empty()) {
            return None;
        }
        let (mut parts, mut placed) = (Vec::new(), 0);
        for group in &plan.groups {
            let mut names: Option<Vec<Inner>> = None;
            let mut pieces = Vec::new();
            for (coords, at) in &group.pieces {
                let [point] = coords[..] else { return None };
                let inside = plan.scalars.iter().filter(|s| (*at..*at + group.len).contains(&s.at));
                let own: Vec<Inner> = inside.clone().map(|s| inner(s, *at)).collect();
                placed += own.len();
                if inside.clone().any(|s| s.coords != [point]) || names.as_ref().is_some_and(|n| *n != own) {
                    return None;
                }
                names = Some(own);
                pieces.push((point, *at));
            }
            let names = names.unwrap_or_default();
            let mut bytes = vec![u8::MAX; group.len];
            for name in &names {
                bytes.get_mut(name.at..name.at + name.ty.size() as usize)?.fill(0);
            }
            bytes.resize(group.len.next_multiple_of(8), 0);
            let masks = bytes.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
            parts.push(Part { masks, pieces, names });
        }
        let globals: Vec<Inner> = plan.scalars.iter().filter(|s| s.coords.is_empty()).map(|s| inner(s, 0)).collect();
        // What belongs to a point lies in one of its pieces.
        (globals.len() + placed == plan.scalars.len()).then_some(Quick { parts, globals })
    }

    /// The renaming that puts the points of a complete state in order; false if they have to do with each other.
    pub fn order(&self, plan: &Plan, state: &[u8], to: &mut Vec<u8>) -> bool {
        let mut sums = [0u64; MOST];
        for (number, part) in self.parts.iter().enumerate() {
            for &(point, at) in &part.pieces {
                let mut h = number as u64 + 1;
                for (i, mask) in part.masks.iter().enumerate() {
                    h = mix(h, word(state, at + 8 * i) & mask);
                }
                for name in &part.names {
                    let value = name.ty.read(state, at + name.at);
                    h = match plan.names[name.names].whose(value) {
                        Some((row, who)) if who == usize::from(point) => mix(h, row as u64),
                        Some(_) => return false,
                        None => mix(h, u64::from(value as u32) << 16 | 0xffff),
                    };
                }
                sums[usize::from(point)] = sums[usize::from(point)].wrapping_add(h);
            }
        }
        for name in &self.globals {
            if let Some((row, who)) = plan.names[name.names].whose(name.ty.read(state, name.at)) {
                sums[who] = sums[who].wrapping_add(mix(name.id, row as u64));
            }
        }
        for field in &plan.fields {
            for (m, at) in field.places(state).enumerate() {
                if let Some((row, who)) = plan.names[field.scalar.names].whose(field.scalar.ty.read(state, at)) {
                    sums[who] = sums[who].wrapping_add(mix(field.scalar.id, (m as u64 + 1) << 16 | row as u64));
                }
            }
        }
        to.clear();
        to.extend(0..plan.points as u8);
        let mut order = [0u8; MOST];
        for block in &plan.blocks {
            let order = &mut order[..block.len()];
            for (n, &point) in block.iter().enumerate() {
                // Blocks are small, and mostly nearly in order: the state before was.
                let mut at = n;
                while at > 0 && sums[usize::from(order[at - 1])] > sums[usize::from(point)] {
                    order[at] = order[at - 1];
                    at -= 1;
                }
                order[at] = point;
            }
            for (slot, point) in block.iter().zip(order.iter()) {
                to[usize::from(*point)] = *slot;
            }
        }
        true
    }
}

/// Eight bytes of a state; what lies behind its end is zero.
#[inline]
fn word(state: &[u8], at: usize) -> u64 {
    match state.get(at..at + 8).and_then(|w| w.first_chunk::<8>()) {
        Some(whole) => u64::from_le_bytes(*whole),
        None => state.iter().skip(at).rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}
