//! The usual case of our own strategy in one pass: points are put in order by what a state says about each of them.
//!
//! What belongs to a point counts with the names in it as *its own*, *another's* or *nobody's*, what belongs to two counts for
//! both, and each place that names a point counts for that point. None of this depends on what points are called, so if all
//! points of a block differ in it, their order is the same in all alike states, and the image is canonical. Points of which the
//! same is said may still be *twins*: to exchange them changes nothing, so any order of them gives the same image. They are if
//! nothing that belongs to a point names another one or belongs to another one as well: then the colours of [`crate::refine`]
//! stand still after one round, the same belongs to both, and what is global names one point only, so it names neither. Else they
//! are exchanged, to see. What is left, points of which the same is said and that are no twins, is for [`crate::refine`]. (Should
//! two hashes be equal by accident, a state may get an alike name that is not canonical, and one more state is stored.)
//!
//! Whether a state is of this kind does not depend on what its points are called, so alike states go the same way.
//!
//! What is said of a point is a sum over *items*, each of which looks at a few bytes. So the sums of a successor are those of
//! the state before it but for the items that the step has changed, and few points have to be put elsewhere
//! ([`crate::moves`]). A place that always holds the name of whom it belongs to says nothing and never changes.

use crate::moves::Moves;
use crate::plan::{Field, Plan, Scalar};
use crate::refine::mix;
use starwheel_model::Ty;
use starwheel_model::layout::CHANNEL_HEADER;
use starwheel_system::{Batch, changed};

/// The most points, as [`crate::infer()`] has it.
pub const MOST: usize = 64;

/// So many points are few: there are tables of this length for them, which are quickly made.
const FEW: usize = 8;

/// How points are put in order.
#[derive(Debug)]
pub struct Quick {
    parts: Vec<Part>,
    items: Vec<Item>,
    looks: Vec<Look>,
    /// By word of four bytes: the items that look at it, as bits; none if there are too many words or items.
    lookers: Option<Vec<u128>>,
    moves: Moves,
    /// Some things belong to two points.
    shared: bool,
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub struct Desk {
    /// By item: what it said in the state before.
    said: Vec<u64>,
    scratch: Vec<u8>,
    other: Vec<u8>,
}

/// What belongs to each point alone, whoever it is, or to each pair.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    /// Where names lie in it.
    names: Vec<Inner>,
    /// Where names lie in the messages of channels in it.
    fields: Vec<InnerField>,
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
}

impl Look {
    #[inline(always)]
    fn read(&self, state: &[u8]) -> u64 {
        let word = state.get(self.at..).and_then(|rest| rest.first_chunk::<8>());
        word.map_or(0, |word| u64::from_le_bytes(*word) >> self.skip)
    }

    /// Puts here what another one sees.
    #[inline(always)]
    pub fn take(&self, from: &Look, before: &[u8], state: &mut [u8]) {
        if let Some(word) = state.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut::<8>()) {
            let (new, mask) = (from.read(before) << self.skip, self.all << self.skip);
            *word = (u64::from_le_bytes(*word) & !mask | new & mask).to_le_bytes();
        }
    }
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

/// A field that may hold names, of the messages of a channel that belongs to a point.
#[derive(Clone, Debug, PartialEq, Eq)]
struct InnerField {
    /// Where the channel begins in what it is part of.
    channel: usize,
    /// The first place for a name.
    first: Inner,
    /// Bytes of a message.
    message: usize,
}

/// Something in a state that says something about points.
#[derive(Debug)]
enum Item {
    /// What belongs to a point or two.
    Own(Own),
    /// A global place for a name.
    Global(Inner),
    /// A field of global messages, by its number.
    Field(usize),
}

/// A part of a point, or of two.
#[derive(Debug)]
struct Own {
    point: u8,
    /// The second one, if it belongs to two; these may be the same.
    with: Option<u8>,
    part: usize,
    /// Where it lies.
    at: usize,
    len: usize,
    /// Its looks: the first of them, and the one behind the last.
    looks: (usize, usize),
}

impl Quick {
    /// For a plan; none if more than two points share things.
    pub fn new(plan: &Plan) -> Option<Quick> {
        if plan.points > MOST || plan.len < 8 {
            return None;
        }
        let (mut parts, mut items, mut looks, mut moves) = (Vec::new(), Vec::new(), Vec::new(), Moves::new(plan));
        let (mut placed, mut carried, mut shared) = (0, 0, false);
        for group in &plan.groups {
            let mut whose: Option<Part> = None;
            for (coords, at) in &group.pieces {
                let (point, with) = match coords[..] {
                    [point] => (point, None),
                    [point, with] => (point, Some(with)),
                    _ => return None,
                };
                let place = *at..*at + group.len;
                let inside: Vec<&Scalar> = plan.scalars.iter().filter(|s| place.contains(&s.at)).collect();
                let messages: Vec<&Field> = plan.fields.iter().filter(|f| place.contains(&f.channel)).collect();
                (placed, carried) = (placed + inside.len(), carried + messages.len());
                let strange = inside.iter().any(|s| s.coords != *coords)
                    || messages.iter().any(|f| f.scalar.coords != *coords || f.channel + f.bytes > place.end);
                let (fixed, moving): (Vec<&Scalar>, Vec<&Scalar>) = inside.iter().partition(|s| s.own);
                let names: Vec<Inner> = moving.iter().map(|s| inner(s, *at)).collect();
                let part = Part { names, fields: messages.iter().map(|f| of_messages(f, *at)).collect() };
                if strange || whose.as_ref().is_some_and(|other| *other != part) {
                    return None;
                }
                let first = looks.len();
                look_at(plan, *at, group.len, (&part, &fixed), &mut looks)?;
                let own = Own { point, with, part: parts.len(), at: *at, len: group.len, looks: (first, looks.len()) };
                let moving = moving.iter().map(|s| inner(s, 0));
                match with {
                    None => moves.add(point, place, &looks[first..], moving),
                    Some(_) => moves.globals.extend(moving),
                }
                items.push(Item::Own(own));
                whose = Some(part);
            }
            if group.pieces.first()?.0.len() == 2 {
                moves.add_pairs(group)?;
                shared = true;
            }
            parts.push(whose?);
        }
        let globals: Vec<&Scalar> = plan.scalars.iter().filter(|s| s.coords.is_empty()).collect();
        placed += globals.len();
        moves.globals.extend(globals.iter().map(|s| inner(s, 0)));
        items.extend(globals.iter().map(|s| Item::Global(inner(s, 0))));
        let global: Vec<usize> = (0..plan.fields.len()).filter(|f| plan.fields[*f].scalar.coords.is_empty()).collect();
        carried += global.len();
        items.extend(global.into_iter().map(Item::Field));
        // What belongs to a point lies in one of its pieces.
        if placed != plan.scalars.len() || carried != plan.fields.len() {
            return None;
        }
        let lookers = lookers(plan, &items);
        Some(Quick { parts, items, looks, lookers, moves, shared })
    }

    /// True if an item certainly says the same in two states.
    #[inline(always)]
    fn same(&self, plan: &Plan, item: &Item, a: &[u8], b: &[u8]) -> bool {
        match item {
            Item::Own(own) => {
                let looks = &self.looks[own.looks.0..own.looks.1];
                looks.iter().all(|look| (look.read(a) ^ look.read(b)) & look.all == 0)
            }
            Item::Global(name) => name.read(a, 0) == name.read(b, 0),
            Item::Field(number) => {
                let Field { channel, bytes, .. } = &plan.fields[*number];
                a[*channel..*channel + *bytes] == b[*channel..*channel + *bytes]
            }
        }
    }

    /// Adds what an item says about points, or takes it away; what it says of whom it belongs to, and how often it has one
    /// name another.
    #[inline(always)]
    fn count<const ADD: bool, const M: usize>(
        &self,
        plan: &Plan,
        item: &Item,
        state: &[u8],
        sums: &mut [u64; M],
    ) -> (u64, u32) {
        let mut say = |point: usize, what: u64| {
            let sum = &mut sums[point % M];
            *sum = if ADD { sum.wrapping_add(what) } else { sum.wrapping_sub(what) };
        };
        match item {
            Item::Own(own) => {
                let part = &self.parts[own.part];
                let mut h = own.part as u64 + 1;
                for look in &self.looks[own.looks.0..own.looks.1] {
                    h = mix(h, look.read(state) & look.plain);
                }
                let mut others = 0;
                if !(part.names.is_empty() && part.fields.is_empty()) {
                    let whose = [usize::from(own.point), own.with.map_or(MOST, usize::from)];
                    let mut name = |h: u64, names: usize, id: u64, value: i32| match plan.names[names].whose(value) {
                        Some((row, who)) if who == whose[0] => mix(h, row as u64),
                        Some((row, who)) if who == whose[1] => mix(h, 1 << 33 | row as u64),
                        Some((row, who)) => {
                            others += 1;
                            say(who, mix(id, 1 << 32 | row as u64));
                            mix(h, 1 << 32 | row as u64)
                        }
                        None => mix(h, u64::from(value as u32) << 16 | 0xffff),
                    };
                    for n in &part.names {
                        h = name(h, n.names, n.id, n.read(state, own.at));
                    }
                    for field in &part.fields {
                        let start = own.at + field.channel;
                        let count = usize::from(u16::from_le_bytes([state[start], state[start + 1]]));
                        for m in 0..count {
                            let (first, back) = (&field.first, own.at + m * field.message);
                            h = name(h, first.names, mix(first.id, m as u64 + 1), first.read(state, back));
                        }
                    }
                }
                say(usize::from(own.point), h);
                if let Some(with) = own.with {
                    say(usize::from(with), mix(h, SECOND));
                }
                (h, others)
            }
            Item::Global(name) => {
                if let Some((row, who)) = plan.names[name.names].whose(name.read(state, 0)) {
                    say(who, mix(name.id, row as u64));
                }
                (0, 0)
            }
            Item::Field(number) => {
                let field = &plan.fields[*number];
                for (m, at) in field.places(state).enumerate() {
                    if let Some((row, who)) = plan.names[field.scalar.names].whose(field.scalar.ty.read(state, at)) {
                        say(who, mix(field.scalar.id, (m as u64 + 1) << 16 | row as u64));
                    }
                }
                (0, 0)
            }
        }
    }

    /// What a complete state says about each point; how often one of them names another. Tells what each item said.
    fn sums<const M: usize>(
        &self,
        plan: &Plan,
        state: &[u8],
        sums: &mut [u64; M],
        mut tell: impl FnMut(usize, u64),
    ) -> u32 {
        *sums = [0; M];
        let mut others = u32::from(self.shared);
        for (i, item) in self.items.iter().enumerate() {
            let (said, named) = self.count::<true, M>(plan, item, state, sums);
            tell(i, said);
            others += named;
        }
        others
    }

    /// What a successor says, given what the state before it did and which words may have changed.
    #[inline(always)]
    fn updated<const M: usize>(
        &self,
        plan: &Plan,
        (at, said, before, others): (&[u8], &[u64], &[u64; M], u32),
        (state, touched, lookers): (&[u8], u64, &[u128]),
        sums: &mut [u64; M],
    ) -> u32 {
        *sums = *before;
        let (mut items, mut words, mut others) = (0u128, touched, others);
        while words != 0 {
            items |= lookers.get(words.trailing_zeros() as usize).copied().unwrap_or(0);
            words &= words - 1;
        }
        while items != 0 {
            let number = items.trailing_zeros() as usize;
            let item = &self.items[number];
            items &= items - 1;
            // A word is looked at by several, and mostly only one of them has another byte than before.
            if self.same(plan, item, at, state) {
                continue;
            }
            match item {
                // It named nobody.
                Item::Own(Own { point, with: None, part, .. }) if self.parts[*part].says_all() => {
                    let sum = &mut sums[usize::from(*point) % M];
                    *sum = sum.wrapping_sub(said[number]);
                }
                _ => others -= self.count::<false, M>(plan, item, at, sums).1,
            }
            others += self.count::<true, M>(plan, item, state, sums).1;
        }
        others
    }

    /// The renaming that puts the points of a complete state in order; false if that needs a closer look.
    pub fn order(&self, plan: &Plan, state: &[u8], desk: &mut Desk, to: &mut Vec<u8>) -> bool {
        let (mut sums, mut all) = ([0; MOST], identity());
        let others = self.sums(plan, state, &mut sums, |_, _| ());
        let (_, tie) = sorted(plan, &sums, &mut all);
        to.clear();
        to.extend_from_slice(&all[..plan.points]);
        others == 0 || !tie || self.twins(plan, &sums, state, desk)
    }

    /// True if all points of which the same is said are twins.
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
            let said = &mut desk.said;
            said.resize(self.items.len(), 0);
            first = self.sums(plan, at, &mut before, |i, h| said[i] = h);
        }
        for entry in &mut out.entries {
            let state = &mut out.bytes[entry.start as usize..][..entry.len as usize];
            if entry.broken() || entry.transient() || !plan.complete(state) {
                continue;
            }
            let others = match lookers {
                Some(lookers) if entry.changed != u64::MAX => {
                    let old = (at, &desk.said[..], &before, first);
                    self.updated(plan, old, (state, entry.changed, lookers), &mut sums)
                }
                _ => self.sums(plan, state, &mut sums, |_, _| ()),
            };
            let mut to = identity::<M>();
            let (moved, tie) = sorted(plan, &sums, &mut to);
            if tie && others > 0 && !self.twins(plan, &sums, state, desk) {
                entry.changed = slowly(state);
                continue;
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

impl Part {
    /// True if it says nothing about anybody but whom it belongs to.
    #[inline(always)]
    fn says_all(&self) -> bool {
        self.names.is_empty() && self.fields.is_empty()
    }
}

/// What belongs to two points says something else of the second one.
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

fn inner(scalar: &Scalar, base: usize) -> Inner {
    Inner { at: scalar.at - base, ty: scalar.ty, names: scalar.names, id: scalar.id }
}

/// A field of messages in what begins at some place.
fn of_messages(field: &Field, base: usize) -> InnerField {
    let (scalar, channel) = (&field.scalar, field.channel - base);
    let at = channel + CHANNEL_HEADER as usize + field.offset;
    InnerField {
        channel,
        first: Inner { at, ty: scalar.ty, names: scalar.names, id: scalar.id },
        message: field.message,
    }
}

/// The looks at what begins at some place.
fn look_at(
    plan: &Plan,
    at: usize,
    len: usize,
    (part, fixed): (&Part, &[&Scalar]),
    looks: &mut Vec<Look>,
) -> Option<()> {
    let size = len.next_multiple_of(8);
    let (mut all, mut plain) = (vec![0u8; size], vec![0u8; size]);
    all[..len].fill(u8::MAX);
    for scalar in fixed {
        all.get_mut(scalar.at - at..scalar.at - at + scalar.ty.size() as usize)?.fill(0);
    }
    plain.copy_from_slice(&all);
    for name in &part.names {
        plain.get_mut(name.at..name.at + name.ty.size() as usize)?.fill(0);
    }
    for field in &part.fields {
        let width = field.first.ty.size() as usize;
        let capacity = plan.fields.iter().find(|f| f.channel == at + field.channel).map(|f| f.bytes)?;
        let mut start = field.first.at;
        // Places of messages that are not there are zero, and no names.
        while start + width <= field.channel + capacity {
            plain.get_mut(start..start + width)?.fill(0);
            start += field.message.max(1);
        }
    }
    for (i, (all, plain)) in all.as_chunks::<8>().0.iter().zip(plain.as_chunks::<8>().0).enumerate() {
        let start = at + 8 * i;
        let read = start.min(plan.len - 8);
        let skip = u32::try_from(8 * (start - read)).ok().filter(|skip| *skip < 64)?;
        looks.push(Look { at: read, skip, all: u64::from_le_bytes(*all), plain: u64::from_le_bytes(*plain) });
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
fn sorted<const M: usize>(plan: &Plan, sums: &[u64; M], to: &mut [u8; M]) -> (u64, bool) {
    let (mut keys, mut order, mut moved, mut tie) = ([0u64; M], [0u8; M], 0, false);
    for block in &plan.blocks {
        let mut still = true;
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
            still &= at == n;
            (keys[at % M], order[at % M]) = (key, point);
        }
        if still {
            continue;
        }
        for (&slot, &point) in block.iter().zip(order.iter()) {
            to[usize::from(point) % M] = slot;
            moved |= u64::from(slot != point) << (point % MOST as u8);
        }
    }
    (moved, tie)
}

/// By word: the items that look at it; none if there are too many words or items for that.
fn lookers(plan: &Plan, items: &[Item]) -> Option<Vec<u128>> {
    if items.len() > 128 || plan.len > 4 * 64 {
        return None;
    }
    let mut out = vec![0; plan.len.div_ceil(4)];
    for (number, item) in items.iter().enumerate() {
        let (start, len) = match item {
            Item::Own(own) => (own.at, own.len),
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
