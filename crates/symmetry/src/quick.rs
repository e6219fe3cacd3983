//! The usual case of our own strategy in one pass: points are put in order by what a state says about each of them.
//!
//! What belongs to a point counts with the names in it as *its own*, *another's* or *nobody's*, what belongs to two counts for
//! both, and each place that names a point counts for that point. None of this depends on what points are called, so if all
//! points of a block differ in it, their order is the same in all alike states, and the image is canonical. Points of which the
//! same is said may still be *twins*: to exchange them changes nothing, so any order of them gives the same image. They are if
//! nothing that belongs to a point names another one or belongs to another one as well: then the colours of [`crate::refine`]
//! stand still after one round, the same belongs to both, and what is global names one point only, so it names neither. Else they
//! are exchanged, to see. Points of which the same is said and that are no twins are looked at with those around them (`around.rs`),
//! and what is left is for [`crate::refine`]. (Should two hashes be equal by accident, a state may get an alike name that is not canonical, and one more state is stored.)
//!
//! Whether a state is of this kind does not depend on what its points are called, so alike states go the same way.
//!
//! What is said of a point is a sum: each eight bytes of it count, and each place for a name. So the sums of a successor are those
//! of the state before it but for what the step has changed, and few points have to be put elsewhere
//! ([`crate::moves`]). A place that always holds the name of whom it belongs to says nothing and never changes.

mod around;
mod named;

use self::named::{Named, What};
use crate::moves::{Moves, Scratch};
use crate::plan::{Field, Plan, Scalar};
use crate::refine::mix;
use starwheel_model::layout::CHANNEL_HEADER;
use starwheel_system::{Batch, changed};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most points, as [`crate::infer()`] has it.
pub const MOST: usize = 64;

/// So many points are few: there are tables of this length for them, which are quickly made.
pub const FEW: usize = 8;

/// If so many words of four bytes differ at most, what a state says is worked out from what another one does.
const NEAR: u32 = 8;

/// How points are put in order.
#[derive(Debug)]
pub struct Quick {
    /// No other one has it.
    number: u64,
    /// First those of what belongs to one point.
    looks: Vec<Look>,
    /// By point: those of what belongs to it alone, and those of what belongs to it first and to another one.
    runs: Vec<(u8, Range<usize>, Range<usize>)>,
    /// Where those of what belongs to two points begin.
    pairs: usize,
    /// The second of the two points, for each of these.
    others: Vec<u8>,
    /// By point: a number for its block, or for itself if it is in none.
    homes: Vec<u64>,
    named: Vec<Named>,
    /// By word of four bytes: who looks at it, as bits; none if there are too many words or lookers.
    lookers: Option<Vec<Lookers>>,
    /// Points of a block that stand beside each other.
    neighbours: Vec<(u8, u8)>,
    moves: Moves,
    /// Some things belong to two points.
    shared: bool,
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub struct Desk {
    scratch: Scratch,
    other: Vec<u8>,
    least: Vec<u8>,
    known: Known,
}

/// A state, and what it says about each point.
#[derive(Debug)]
struct Known {
    /// Who has found out: [`Quick::number`].
    by: u64,
    state: Vec<u8>,
    sums: [u64; MOST],
    others: u32,
}

impl Default for Known {
    fn default() -> Known {
        Known { by: 0, state: Vec::new(), sums: [0; MOST], others: 0 }
    }
}

impl Known {
    /// Takes the place of what was known before.
    #[inline(always)]
    fn set<const M: usize>(&mut self, by: u64, state: &[u8], sums: &[u64; M], others: u32) {
        (self.by, self.others) = (by, others);
        self.state.clear();
        self.state.extend_from_slice(state);
        self.sums[..M].copy_from_slice(sums);
    }
}

/// Those of [`Quick::looks`] and of [`Quick::named`] that see a word.
#[derive(Clone, Copy, Debug, Default)]
struct Lookers {
    looks: u128,
    named: u128,
}

/// Whose something is: a point's, or two points' (which may be the same one).
#[derive(Clone, Copy, Debug)]
struct Owner {
    point: u8,
    with: Option<u8>,
}

/// Eight bytes of what belongs to a point.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Where they are read, never beyond the end of the state.
    at: usize,
    /// The bits to skip there.
    skip: u32,
    /// The bytes that belong to it, but for those that always hold its name.
    all: u64,
    /// Those of them that are no names.
    plain: u64,
    /// What it is, whoever it belongs to.
    id: u64,
    owner: Owner,
}

impl Look {
    #[inline(always)]
    fn read(&self, state: &[u8]) -> u64 {
        let word = state.get(self.at..).and_then(|rest| rest.first_chunk::<8>());
        word.map_or(0, |word| u64::from_le_bytes(*word) >> self.skip)
    }

    /// The bytes that another one sees, and where they go if this one sees the same.
    pub fn bytes(&self, from: &Look) -> impl Iterator<Item = (usize, usize)> {
        let skipped = |look: &Look| look.at + look.skip as usize / 8;
        let (from, to) = (skipped(from), skipped(self));
        (0..8).filter(|byte| self.all >> (8 * byte) & 0xff != 0).map(move |byte| (from + byte, to + byte))
    }

    /// Puts here what another one sees.
    #[inline(always)]
    pub fn take(&self, from: &Look, before: &[u8], state: &mut [u8]) {
        let new = from.read(before);
        if let Some(word) = state.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut::<8>()) {
            let (new, mask) = (new << self.skip, self.all << self.skip);
            *word = (u64::from_le_bytes(*word) & !mask | new & mask).to_le_bytes();
        }
    }
}

impl Quick {
    /// For a plan; none if more than two points share things.
    pub fn new(plan: &Plan) -> Option<Quick> {
        if plan.points > MOST || plan.len < 8 {
            return None;
        }
        let (mut looks, mut named, mut moves) = (Vec::new(), Vec::new(), Moves::new(plan));
        let (mut placed, mut carried, mut shared) = (0, 0, false);
        for (number, group) in plan.groups.iter().enumerate() {
            // What is a name in one of them is one in all.
            let mut form: Option<Vec<u64>> = None;
            for (coords, at) in &group.pieces {
                let owner = match coords[..] {
                    [point] => Owner { point, with: None },
                    [point, with] => Owner { point, with: Some(with) },
                    _ => return None,
                };
                let place = *at..*at + group.len;
                let inside: Vec<&Scalar> = plan.scalars.iter().filter(|s| place.contains(&s.at)).collect();
                let fields: Vec<usize> =
                    (0..plan.fields.len()).filter(|f| place.contains(&plan.fields[*f].channel)).collect();
                (placed, carried) = (placed + inside.len(), carried + fields.len());
                let messages = || fields.iter().map(|f| &plan.fields[*f]);
                let strange = inside.iter().any(|s| s.coords != *coords)
                    || messages().any(|f| f.scalar.coords != *coords || f.channel + f.bytes > place.end);
                let ids = inside.iter().map(|s| mix(s.id, (s.at - at) as u64 * 2 + u64::from(s.own)));
                let ids: Vec<u64> = ids.chain(messages().map(|f| mix(f.scalar.id, (f.channel - at) as u64))).collect();
                if strange || form.as_ref().is_some_and(|other| *other != ids) {
                    return None;
                }
                form = Some(ids);
                let first = looks.len();
                look_at(plan, place.clone(), (&inside, &fields), (number as u64, owner), &mut looks)?;
                let moving = inside.iter().filter(|s| !s.own);
                match owner.with {
                    None => moves.add(owner.point, place, &looks[first..], moving.clone().copied()),
                    Some(_) => moves.globals(moving.clone().copied()),
                }
                named.extend(moving.map(|s| Named::variable(Some(owner), s)));
                named.extend(fields.iter().map(|f| Named::field(Some(owner), *f, &plan.fields[*f])));
            }
            if group.pieces.first()?.0.len() == 2 {
                moves.add_pairs(group)?;
                shared = true;
            }
        }
        let globals: Vec<&Scalar> = plan.scalars.iter().filter(|s| s.coords.is_empty()).collect();
        placed += globals.len();
        moves.globals(globals.iter().copied());
        named.extend(globals.iter().map(|s| Named::variable(None, s)));
        let global: Vec<usize> = (0..plan.fields.len()).filter(|f| plan.fields[*f].scalar.coords.is_empty()).collect();
        carried += global.len();
        named.extend(global.iter().map(|f| Named::field(None, *f, &plan.fields[*f])));
        // What belongs to a point lies in one of its pieces.
        if placed != plan.scalars.len() || carried != plan.fields.len() {
            return None;
        }
        // Where there are names only, nothing else is said.
        looks.retain(|look: &Look| look.plain != 0);
        looks.sort_by_key(|look| (look.owner.with.is_some(), look.owner.point));
        let pairs = looks.partition_point(|look| look.owner.with.is_none());
        let others = looks[pairs..].iter().filter_map(|look| look.owner.with).collect();
        let of = |part: &[Look], first: usize, point: usize| {
            let before = |other: usize| first + part.partition_point(|look| usize::from(look.owner.point) < other);
            before(point)..before(point + 1)
        };
        let run = |point| (point as u8, of(&looks[..pairs], 0, point), of(&looks[pairs..], pairs, point));
        let runs = (0..plan.points).map(run).collect();
        let lookers = lookers(plan, &looks, &named);
        let beside = |block: &Vec<u8>| block.windows(2).map(|two| (two[0], two[1])).collect::<Vec<_>>();
        let neighbours = plan.blocks.iter().flat_map(beside).collect();
        let homes = Quick::homes(plan);
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Some(Quick { number, looks, runs, pairs, others, homes, named, lookers, neighbours, moves, shared })
    }

    /// What a complete state says about each point; how often one of them names another.
    fn sums<const M: usize>(&self, plan: &Plan, state: &[u8], sums: &mut [u64; M]) -> u32 {
        *sums = [0; M];
        let say = |look: &Look| mix(look.id, look.read(state) & look.plain);
        for (point, own, pairs) in &self.runs {
            let of = |looks: &Range<usize>| self.looks.get(looks.clone()).unwrap_or_default();
            let mut sum = of(own).iter().map(say).fold(0, u64::wrapping_add);
            for (look, with) in of(pairs).iter().zip(&self.others[pairs.start - self.pairs..]) {
                let what = say(look);
                sum = sum.wrapping_add(what);
                let second = &mut sums[usize::from(*with) % M];
                *second = second.wrapping_add(what.wrapping_mul(SECOND));
            }
            let first = &mut sums[usize::from(*point) % M];
            *first = first.wrapping_add(sum);
        }
        let others: u32 = self.named.iter().map(|named| named.count::<true, M>(plan, state, sums)).sum();
        others + u32::from(self.shared)
    }

    /// The same, from what is known of another state if it differs in few words.
    #[inline(never)]
    fn said<const M: usize>(&self, plan: &Plan, state: &[u8], known: &Known, sums: &mut [u64; M]) -> u32 {
        if let (Some(lookers), Some(before)) = (&self.lookers, known.sums.first_chunk::<M>())
            && known.by == self.number
        {
            let words = changed(&known.state, state);
            if words.count_ones() <= NEAR {
                return self.updated(plan, (&known.state, before, known.others), (state, words, lookers), sums);
            }
        }
        self.sums(plan, state, sums)
    }

    /// What a successor says, given what the state before it did and which words may have changed.
    #[inline(always)]
    fn updated<const M: usize>(
        &self,
        plan: &Plan,
        (at, before, others): (&[u8], &[u64; M], u32),
        (state, touched, lookers): (&[u8], u64, &[Lookers]),
        sums: &mut [u64; M],
    ) -> u32 {
        *sums = *before;
        let (mut looks, mut named, mut words, mut others) = (0u128, 0u128, touched, others);
        while words != 0 {
            if let Some(here) = lookers.get(words.trailing_zeros() as usize) {
                looks |= here.looks;
                named |= here.named;
            }
            words &= words - 1;
        }
        each(looks, |number| {
            let look = &self.looks[number];
            let (old, new) = (look.read(at) & look.plain, look.read(state) & look.plain);
            // A word is looked at by several, and mostly only one of them has another byte than before.
            if old != new {
                look.owner.add(mix(look.id, new).wrapping_sub(mix(look.id, old)), sums);
            }
        });
        each(named, |number| {
            let place = &self.named[number];
            if !place.same(plan, at, state) {
                others -= place.count::<false, M>(plan, at, sums);
                others += place.count::<true, M>(plan, state, sums);
            }
        });
        others
    }

    /// The renaming that puts the points of a complete state in order; false if that needs a closer look.
    pub fn order(&self, plan: &Plan, state: &[u8], desk: &mut Desk, to: &mut Vec<u8>) -> bool {
        let (mut sums, mut all) = ([0; MOST], identity());
        let others = self.sums(plan, state, &mut sums);
        let (sorted, tie) = self.in_order(&sums);
        let tie = if sorted { tie } else { sort(plan, &sums, &mut all).1 };
        let clear = others == 0 || !tie || self.twins(plan, &sums, state, desk);
        let found = clear || self.closer(plan, &sums, state, desk, &mut all).is_some();
        to.clear();
        to.extend_from_slice(&all[..plan.points]);
        found
    }

    /// True if points are in order already; true if of two of them the same is said.
    #[inline(always)]
    fn in_order<const M: usize>(&self, sums: &[u64; M]) -> (bool, bool) {
        let (mut wrong, mut tie) = (false, false);
        for &(one, next) in &self.neighbours {
            let (one, next) = (sums[usize::from(one) % M], sums[usize::from(next) % M]);
            wrong |= one > next;
            tie |= one == next;
        }
        (!wrong, tie)
    }

    /// True if all points of which the same is said are twins.
    #[cold]
    fn twins<const M: usize>(&self, plan: &Plan, sums: &[u64; M], state: &[u8], desk: &mut Desk) -> bool {
        let Desk { scratch, other, .. } = desk;
        plan.blocks.iter().all(|block| {
            block.iter().enumerate().all(|(i, x)| {
                let same = |y: &&u8| sums[usize::from(**y) % M] == sums[usize::from(*x) % M];
                block[..i].iter().rfind(same).is_none_or(|y| {
                    let mut to = identity::<M>();
                    to.swap(usize::from(*x) % M, usize::from(*y) % M);
                    other.clear();
                    other.extend_from_slice(state);
                    self.moves.make(plan, &to, (1 << x | 1 << y, true), other, scratch);
                    other[plan.hidden..] == state[plan.hidden..]
                })
            })
        })
    }

    /// Replaces all stored successors of a state by their names. Those that need a closer look are left to somebody who has
    /// more time.
    pub fn batch(
        &self,
        plan: &Plan,
        at: &[u8],
        out: &mut Batch,
        desk: &mut Desk,
        slowly: impl FnMut(&mut [u8]) -> u64,
    ) {
        if plan.points <= FEW {
            self.batch_of::<FEW>(plan, at, out, desk, slowly);
        } else {
            self.batch_of::<MOST>(plan, at, out, desk, slowly);
        }
    }

    fn batch_of<const M: usize>(
        &self,
        plan: &Plan,
        at: &[u8],
        out: &mut Batch,
        desk: &mut Desk,
        mut slowly: impl FnMut(&mut [u8]) -> u64,
    ) {
        let (mut before, mut sums, mut first) = ([0; M], [0; M], 0);
        let lookers = self.lookers.as_deref().filter(|_| out.entries.len() > 1 && plan.complete(at));
        if lookers.is_some() {
            // Where nothing belongs to two points, all is soon said.
            first = match self.shared {
                true => self.said(plan, at, &desk.known, &mut before),
                false => self.sums(plan, at, &mut before),
            };
            desk.known.set(self.number, at, &before, first);
        }
        // What became of the first one that is the state before it again, and took more than a look.
        let mut again: Option<([u8; M], u64)> = None;
        for entry in &mut out.entries {
            let state = &mut out.bytes[entry.start as usize..][..entry.len as usize];
            if entry.broken() || entry.transient() || !plan.complete(state) {
                continue;
            }
            let mut same = false;
            let others = match lookers {
                Some(lookers) if entry.changed != u64::MAX => {
                    // Many steps write what is there already.
                    entry.changed = really(entry.changed, at, state);
                    same = entry.changed == 0;
                    self.updated(plan, (at, &before, first), (state, entry.changed, lookers), &mut sums)
                }
                _ => self.said(plan, state, &desk.known, &mut sums),
            };
            let (sorted, tie) = self.in_order(&sums);
            if sorted && (!tie || others == 0) {
                if entry.changed == u64::MAX {
                    entry.changed = changed(at, state);
                }
                continue;
            }
            let mut to = identity::<M>();
            let (mut moved, tie) = if sorted { (0, tie) } else { sort(plan, &sums, &mut to) };
            if tie && others > 0 {
                if let Some(found) = again.filter(|_| same) {
                    (to, moved) = found;
                } else if !self.twins(plan, &sums, state, desk) {
                    let Some(all) = self.closer(plan, &sums, state, desk, &mut to) else {
                        entry.changed = slowly(state);
                        continue;
                    };
                    moved = all;
                }
                if same {
                    again = Some((to, moved));
                }
            }
            if moved != 0 {
                entry.changed |= self.moves.make(plan, &to, (moved, others > 0), state, &mut desk.scratch);
            }
            if entry.changed == u64::MAX {
                entry.changed = changed(at, state);
            }
        }
    }
}

impl Owner {
    /// Says something of whom it is.
    #[inline(always)]
    fn add<const M: usize>(self, what: u64, sums: &mut [u64; M]) {
        let sum = &mut sums[usize::from(self.point) % M];
        *sum = sum.wrapping_add(what);
        if let Some(with) = self.with {
            let sum = &mut sums[usize::from(with) % M];
            *sum = sum.wrapping_add(what.wrapping_mul(SECOND));
        }
    }
}

/// What belongs to two points says something else of the second one. (A factor, so that differences can be added as well.)
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

/// Those of some words in which two states of one length differ.
#[inline(always)]
fn really(words: u64, before: &[u8], after: &[u8]) -> u64 {
    let word = |state: &[u8], at: usize| state.get(at..).and_then(|rest| rest.first_chunk::<4>().copied());
    let (mut left, mut out) = (words, 0);
    while left != 0 {
        let number = left.trailing_zeros() as usize;
        // The last word may be a part of one.
        let same = word(before, 4 * number).is_some_and(|old| word(after, 4 * number) == Some(old));
        out |= u64::from(!same) << number;
        left &= left - 1;
    }
    out
}

/// Calls a function for all bits that are set.
#[inline(always)]
fn each(bits: u128, mut f: impl FnMut(usize)) {
    for (half, first) in [(bits as u64, 0), ((bits >> 64) as u64, 64)] {
        let mut left = half;
        while left != 0 {
            f(first + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}

/// The looks at what lies at some place.
fn look_at(
    plan: &Plan,
    place: Range<usize>,
    (inside, fields): (&[&Scalar], &[usize]),
    (group, owner): (u64, Owner),
    looks: &mut Vec<Look>,
) -> Option<()> {
    let size = place.len().next_multiple_of(8);
    let (mut all, mut plain) = (vec![0u8; size], vec![0u8; size]);
    all[..place.len()].fill(u8::MAX);
    plain[..place.len()].fill(u8::MAX);
    for scalar in inside {
        let bytes = scalar.at - place.start..scalar.at - place.start + scalar.ty.size() as usize;
        plain.get_mut(bytes.clone())?.fill(0);
        if scalar.own {
            all.get_mut(bytes)?.fill(0);
        }
    }
    for number in fields {
        let Field { channel, bytes, message, offset, scalar } = &plan.fields[*number];
        let (end, width) = (channel + bytes - place.start, scalar.ty.size() as usize);
        let mut start = channel - place.start + CHANNEL_HEADER as usize + offset;
        // Places of messages that are not there are zero, and no names.
        while start + width <= end {
            plain.get_mut(start..start + width)?.fill(0);
            start += (*message).max(1);
        }
    }
    for (i, (all, plain)) in all.as_chunks::<8>().0.iter().zip(plain.as_chunks::<8>().0).enumerate() {
        let start = place.start + 8 * i;
        let at = start.min(plan.len - 8);
        let skip = u32::try_from(8 * (start - at)).ok().filter(|skip| *skip < 64)?;
        let (all, plain) = (u64::from_le_bytes(*all), u64::from_le_bytes(*plain));
        looks.push(Look { at, skip, all, plain, id: mix(mix(group, 0x2545_f491), i as u64), owner });
    }
    Some(())
}

/// Nobody moves.
#[inline(always)]
fn identity<const M: usize>() -> [u8; M] {
    std::array::from_fn(|i| i as u8)
}

/// Puts the points of each block in order; those that move, as bits, and whether of two of them the same is said.
#[inline(always)]
fn sort<const M: usize>(plan: &Plan, sums: &[u64; M], to: &mut [u8; M]) -> (u64, bool) {
    let (mut keys, mut order, mut moved, mut tie) = ([0u64; M], [0u8; M], 0, false);
    for block in &plan.blocks {
        for (n, &point) in block.iter().enumerate() {
            let key = sums[usize::from(point) % M];
            // Blocks are small, and mostly nearly in order: the state before was.
            let mut at = n;
            while at > 0 && keys[(at - 1) % M] > key {
                keys[at % M] = keys[(at - 1) % M];
                order[at % M] = order[(at - 1) % M];
                at -= 1;
            }
            tie |= at > 0 && keys[(at - 1) % M] == key;
            (keys[at % M], order[at % M]) = (key, point);
        }
        for (&slot, &point) in block.iter().zip(order.iter()) {
            to[usize::from(point) % M] = slot;
            moved |= u64::from(slot != point) << (point % MOST as u8);
        }
    }
    (moved, tie)
}

/// By word: who looks at it; none if there are too many words or lookers for that.
fn lookers(plan: &Plan, looks: &[Look], named: &[Named]) -> Option<Vec<Lookers>> {
    if looks.len() > 128 || named.len() > 128 || plan.len > 4 * 64 {
        return None;
    }
    let mut out = vec![Lookers::default(); plan.len.div_ceil(4)];
    for (number, look) in looks.iter().enumerate() {
        let plain = (look.plain << look.skip).to_le_bytes();
        for byte in (0..8).filter(|byte| plain[*byte] != 0) {
            out.get_mut((look.at + byte) / 4)?.looks |= 1 << number;
        }
    }
    for (number, place) in named.iter().enumerate() {
        let (start, len) = match place.what {
            What::Byte(at) => (at, 1),
            What::Variable(at, ty) => (at, ty.size() as usize),
            What::Field(field) => {
                let Field { channel, bytes, .. } = &plan.fields[field];
                (*channel, *bytes)
            }
        };
        out.get_mut(start / 4..(start + len).div_ceil(4))?.iter_mut().for_each(|word| word.named |= 1 << number);
    }
    Some(out)
}
