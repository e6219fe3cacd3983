//! The usual case of our own strategy in one pass: points that have nothing to do with each other are put in order.
//!
//! In most states whatever belongs to a point belongs to it alone and names nobody else, and whatever else names points is
//! global. Then the colours of [`crate::refine`] stand still after one round, and points of one colour are twins: the same
//! belongs to them, and what is global names one point only, so it names neither. What is masked, where names lie and how
//! each of them counts is worked out beforehand. (Should two hashes be equal by accident, a state gets an alike name that is
//! not canonical, and one more state is stored.)
//!
//! Whether a state is of this kind does not depend on what its points are called, so alike states go the same way.
//!
//! The colour of a point is a sum over *items*, each of which looks at a few bytes. So the colours of a successor are those of
//! the state before it but for the items that the step has changed, and few points have to be put elsewhere
//! ([`crate::moves`]).

use crate::moves::Moves;
use crate::plan::{Field, Plan, Scalar};
use crate::refine::mix;
use starwheel_model::Ty;
use starwheel_system::{Batch, changed};

/// The most points, as [`crate::infer()`] has it.
pub const MOST: usize = 64;

/// What a state says about each point.
type Sums = [u64; MOST];

/// How points are put in order.
#[derive(Debug)]
pub struct Quick {
    parts: Vec<Part>,
    items: Vec<Item>,
    /// By word of four bytes: the items that look at it, as bits; none if there are too many words or items.
    lookers: Option<Vec<u64>>,
    moves: Moves,
}

/// What belongs to each point alone, whoever it is.
#[derive(Debug)]
struct Part {
    /// By word of eight bytes: the bytes that are no names.
    masks: Vec<u64>,
    /// Where names lie in it.
    names: Vec<Inner>,
}

/// A place for a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inner {
    /// Where, in the state or in what it is part of.
    pub at: usize,
    /// How it is stored.
    pub ty: Ty,
    /// Whose names; index into [`Plan::names`].
    pub names: usize,
    id: u64,
}

impl Inner {
    /// Its value, in what begins at some place.
    #[inline(always)]
    pub fn read(&self, state: &[u8], start: usize) -> i32 {
        match self.ty {
            Ty::Byte => i32::from(state[start + self.at]),
            ty => ty.read(state, start + self.at),
        }
    }
}

/// Something in a state that says something about points.
#[derive(Debug)]
enum Item {
    /// A part of a point, where it lies and its length.
    Own(u8, usize, usize, usize),
    /// A global place for a name.
    Global(Inner),
    /// A field of global messages, by its number.
    Field(usize),
}

impl Item {
    /// True if it certainly says the same in two states.
    #[inline(always)]
    fn same(&self, a: &[u8], b: &[u8]) -> bool {
        match self {
            Item::Own(_, _, at, len) => a[*at..*at + *len] == b[*at..*at + *len],
            Item::Global(name) => name.read(a, 0) == name.read(b, 0),
            Item::Field(_) => false,
        }
    }
}

impl Quick {
    /// For a plan; none if points share things.
    pub fn new(plan: &Plan) -> Option<Quick> {
        let inner = |s: &Scalar, base: usize| Inner { at: s.at - base, ty: s.ty, names: s.names, id: s.id };
        if plan.points > MOST || plan.fields.iter().any(|f| !f.scalar.coords.is_empty()) {
            return None;
        }
        let (mut parts, mut items, mut moves, mut placed) = (Vec::new(), Vec::new(), Moves::new(plan), 0);
        for group in &plan.groups {
            let mut names: Option<Vec<Inner>> = None;
            for (coords, at) in &group.pieces {
                let [point] = coords[..] else { return None };
                let inside = plan.scalars.iter().filter(|s| (*at..*at + group.len).contains(&s.at));
                let own: Vec<Inner> = inside.clone().map(|s| inner(s, *at)).collect();
                placed += own.len();
                if inside.clone().any(|s| s.coords != [point]) || names.as_ref().is_some_and(|n| *n != own) {
                    return None;
                }
                names = Some(own);
                items.push(Item::Own(point, parts.len(), *at, group.len));
            }
            let names = names.unwrap_or_default();
            moves.add(group, &names)?;
            let mut bytes = vec![u8::MAX; group.len];
            for name in &names {
                bytes.get_mut(name.at..name.at + name.ty.size() as usize)?.fill(0);
            }
            bytes.resize(group.len.next_multiple_of(8), 0);
            let masks = bytes.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
            parts.push(Part { masks, names });
        }
        let globals = plan.scalars.iter().filter(|s| s.coords.is_empty()).map(|s| inner(s, 0));
        placed += globals.clone().count();
        moves.globals = globals.clone().collect();
        items.extend(globals.map(Item::Global));
        items.extend((0..plan.fields.len()).map(Item::Field));
        // What belongs to a point lies in one of its pieces.
        if placed != plan.scalars.len() {
            return None;
        }
        let lookers = lookers(plan, &items);
        Some(Quick { parts, items, lookers, moves })
    }

    /// Adds what an item says about points, or takes it away; false if it has one to do with another.
    #[inline(always)]
    fn count<const ADD: bool>(&self, plan: &Plan, item: &Item, state: &[u8], sums: &mut Sums) -> bool {
        let mut say = |point: usize, what: u64| {
            let sum = &mut sums[point % MOST];
            *sum = if ADD { sum.wrapping_add(what) } else { sum.wrapping_sub(what) };
        };
        match item {
            Item::Own(point, part, at, _) => {
                let (mut h, Part { masks, names }) = (*part as u64 + 1, &self.parts[*part]);
                for (i, mask) in masks.iter().enumerate() {
                    h = mix(h, word(state, at + 8 * i) & mask);
                }
                for name in names {
                    let value = name.read(state, *at);
                    h = match plan.names[name.names].whose(value) {
                        Some((row, who)) if who == usize::from(*point) => mix(h, row as u64),
                        Some(_) => return false,
                        None => mix(h, u64::from(value as u32) << 16 | 0xffff),
                    };
                }
                say(usize::from(*point), h);
            }
            Item::Global(name) => {
                if let Some((row, who)) = plan.names[name.names].whose(name.read(state, 0)) {
                    say(who, mix(name.id, row as u64));
                }
            }
            Item::Field(number) => {
                let field = &plan.fields[*number];
                for (m, at) in field.places(state).enumerate() {
                    if let Some((row, who)) = plan.names[field.scalar.names].whose(field.scalar.ty.read(state, at)) {
                        say(who, mix(field.scalar.id, (m as u64 + 1) << 16 | row as u64));
                    }
                }
            }
        }
        true
    }

    /// What a complete state says about each point; false if they have to do with each other.
    fn sums(&self, plan: &Plan, state: &[u8], sums: &mut Sums) -> bool {
        sums[..plan.points].fill(0);
        self.items.iter().all(|item| self.count::<true>(plan, item, state, sums))
    }

    /// What a successor says, given what the state before it did and which words may have changed.
    #[inline]
    fn updated(
        &self,
        plan: &Plan,
        (at, before, lookers): (&[u8], &Sums, &[u64]),
        (state, touched): (&[u8], u64),
        sums: &mut Sums,
    ) -> bool {
        sums[..plan.points].copy_from_slice(&before[..plan.points]);
        let (mut items, mut words) = (0, touched);
        while words != 0 {
            items |= lookers.get(words.trailing_zeros() as usize).copied().unwrap_or(0);
            words &= words - 1;
        }
        while items != 0 {
            let item = &self.items[items.trailing_zeros() as usize];
            items &= items - 1;
            // A word is looked at by several, and mostly only one of them has another byte than before.
            if item.same(at, state) {
                continue;
            }
            if !self.count::<false>(plan, item, at, sums) || !self.count::<true>(plan, item, state, sums) {
                return false;
            }
        }
        true
    }

    /// The renaming that puts the points of a complete state in order; false if they have to do with each other.
    pub fn order(&self, plan: &Plan, state: &[u8], to: &mut Vec<u8>) -> bool {
        let mut sums = [0; MOST];
        if !self.sums(plan, state, &mut sums) {
            return false;
        }
        let mut all = identity();
        sorted(plan, &sums, &mut all);
        to.clear();
        to.extend_from_slice(&all[..plan.points]);
        true
    }

    /// Replaces all stored successors of a state by their names. Those whose points have to do with each other are left to
    /// somebody who has more time.
    pub fn batch(
        &self,
        plan: &Plan,
        at: &[u8],
        out: &mut Batch,
        scratch: &mut Vec<u8>,
        mut slowly: impl FnMut(&mut [u8]) -> u64,
    ) {
        let (mut before, mut sums) = ([0; MOST], [0; MOST]);
        let several = out.entries.len() > 1 && plan.complete(at);
        let lookers = self.lookers.as_deref().filter(|_| several && self.sums(plan, at, &mut before));
        for entry in &mut out.entries {
            let state = &mut out.bytes[entry.start as usize..][..entry.len as usize];
            if entry.broken() || entry.transient() || !plan.complete(state) {
                continue;
            }
            let quick = match lookers {
                Some(lookers) if entry.changed != u64::MAX => {
                    self.updated(plan, (at, &before, lookers), (state, entry.changed), &mut sums)
                }
                _ => self.sums(plan, state, &mut sums),
            };
            if !quick {
                entry.changed = slowly(state);
                continue;
            }
            let mut to = identity();
            let moved = sorted(plan, &sums, &mut to);
            if moved != 0 {
                entry.changed |= self.moves.make(plan, &to, moved, state, scratch);
            }
            if entry.changed == u64::MAX {
                entry.changed = changed(at, state);
            }
        }
    }
}

/// Nobody moves.
#[inline]
fn identity() -> [u8; MOST] {
    std::array::from_fn(|i| i as u8)
}

/// Puts the points of each block in order; those that move, as bits.
#[inline]
fn sorted(plan: &Plan, sums: &Sums, to: &mut [u8; MOST]) -> u64 {
    let (mut order, mut moved) = ([0u8; MOST], 0);
    let sum = |point: u8| sums[usize::from(point) % MOST];
    for block in &plan.blocks {
        if block.is_sorted_by_key(|x| sum(*x)) {
            continue;
        }
        let order = &mut order[..block.len()];
        for (n, &point) in block.iter().enumerate() {
            // Blocks are small, and mostly nearly in order: the state before was.
            let mut at = n;
            while at > 0 && sum(order[at - 1]) > sum(point) {
                order[at] = order[at - 1];
                at -= 1;
            }
            order[at] = point;
        }
        for (&slot, &point) in block.iter().zip(order.iter()) {
            to[usize::from(point) % MOST] = slot;
            moved |= u64::from(slot != point) << (point % MOST as u8);
        }
    }
    moved
}

/// By word: the items that look at it; none if there are too many words or items for that.
fn lookers(plan: &Plan, items: &[Item]) -> Option<Vec<u64>> {
    if items.len() > 64 || plan.len > 4 * 64 {
        return None;
    }
    let mut out = vec![0; plan.len.div_ceil(4)];
    for (number, item) in items.iter().enumerate() {
        let (start, len) = match item {
            Item::Own(_, _, at, len) => (*at, *len),
            Item::Global(name) => (name.at, name.ty.size() as usize),
            Item::Field(field) => {
                let Field { channel, bytes, .. } = &plan.fields[*field];
                (*channel, *bytes)
            }
        };
        out.get_mut(start / 4..(start + len).div_ceil(4))?.iter_mut().for_each(|word| *word |= 1 << number);
    }
    Some(out)
}

/// Eight bytes of a state; what lies behind its end is zero.
#[inline]
fn word(state: &[u8], at: usize) -> u64 {
    match state.get(at..at + 8).and_then(|w| w.first_chunk::<8>()) {
        Some(whole) => u64::from_le_bytes(*whole),
        None => state.iter().skip(at).rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}
