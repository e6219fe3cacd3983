//! The usual case of our own strategy in one pass: points are put in order by what a state says about each of them.
//!
//! What belongs to a point counts with the names in it as *its own*, *another's* or *nobody's*, and each place that names a point
//! counts for that point. None of this depends on what points are called, so if all points of a block differ in it, their order
//! is the same in all alike states, and the image is canonical. Points of which the same is said are twins if nothing that
//! belongs to a point names another one: then the colours of [`crate::refine`] stand still after one round, the same belongs to
//! both, and what is global names one point only, so it names neither. What is left, points of which the same is said in a state
//! in which somebody names another, is for [`crate::refine`]. (Should two hashes be equal by accident, a state gets an alike
//! name that is not canonical, and one more state is stored.)
//!
//! Whether a state is of this kind does not depend on what its points are called, so alike states go the same way.
//!
//! What is said of a point is a sum over *items*, each of which looks at a few bytes. So the sums of a successor are those of
//! the state before it but for the items that the step has changed, and few points have to be put elsewhere
//! ([`crate::moves`]).

use crate::moves::Moves;
use crate::plan::{Field, Plan, Scalar};
use crate::refine::mix;
use starwheel_model::Ty;
use starwheel_model::layout::CHANNEL_HEADER;
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
    looks: Vec<Look>,
    /// By word of four bytes: the items that look at it, as bits; none if there are too many words or items.
    lookers: Option<Vec<u64>>,
    moves: Moves,
}

/// What belongs to each point alone, whoever it is.
#[derive(Debug)]
struct Part {
    /// Where names lie in it.
    names: Vec<Inner>,
    /// Where names lie in the messages of channels in it.
    fields: Vec<InnerField>,
}

/// Eight bytes of what belongs to a point.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// Where they are read, never beyond the end of the state.
    at: usize,
    /// The bits to skip there.
    skip: u32,
    /// The bytes that belong to it.
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
    /// What belongs to a point.
    Own(Own),
    /// A global place for a name.
    Global(Inner),
    /// A field of global messages, by its number.
    Field(usize),
}

/// A part of a point.
#[derive(Debug)]
struct Own {
    point: u8,
    part: usize,
    /// Where it lies.
    at: usize,
    len: usize,
    /// Its looks: the first of them, and the one behind the last.
    looks: (usize, usize),
}

impl Quick {
    /// For a plan; none if points share things.
    pub fn new(plan: &Plan) -> Option<Quick> {
        let inner = |s: &Scalar, base: usize| Inner { at: s.at - base, ty: s.ty, names: s.names, id: s.id };
        if plan.points > MOST || plan.len < 8 {
            return None;
        }
        let (mut parts, mut items, mut looks, mut moves) = (Vec::new(), Vec::new(), Vec::new(), Moves::new(plan));
        let (mut placed, mut carried) = (0, 0);
        for group in &plan.groups {
            let mut whose: Option<Part> = None;
            for (coords, at) in &group.pieces {
                let [point] = coords[..] else { return None };
                let place = *at..*at + group.len;
                let inside = plan.scalars.iter().filter(|s| place.contains(&s.at));
                let names: Vec<Inner> = inside.clone().map(|s| inner(s, *at)).collect();
                let messages = plan.fields.iter().filter(|f| place.contains(&f.channel));
                let fields: Vec<InnerField> = messages.clone().map(|f| of_messages(f, *at)).collect();
                placed += names.len();
                carried += fields.len();
                let other = |part: &Part| part.names != names || part.fields != fields;
                let mine = |s: &Scalar| s.coords == [point];
                let shared = !inside.clone().all(mine) || !messages.clone().all(|f| mine(&f.scalar));
                if shared
                    || messages.clone().any(|f| f.channel + f.bytes > place.end)
                    || whose.as_ref().is_some_and(other)
                {
                    return None;
                }
                let first = looks.len();
                look_at(plan, *at, group.len, &Part { names: names.clone(), fields: fields.clone() }, &mut looks)?;
                let all = (first, looks.len());
                items.push(Item::Own(Own { point, part: parts.len(), at: *at, len: group.len, looks: all }));
                whose = Some(Part { names, fields });
            }
            let part = whose?;
            moves.add(group, &part.names)?;
            parts.push(part);
        }
        let globals = plan.scalars.iter().filter(|s| s.coords.is_empty()).map(|s| inner(s, 0));
        placed += globals.clone().count();
        moves.globals = globals.clone().collect();
        items.extend(globals.map(Item::Global));
        let global: Vec<usize> = (0..plan.fields.len()).filter(|f| plan.fields[*f].scalar.coords.is_empty()).collect();
        carried += global.len();
        items.extend(global.into_iter().map(Item::Field));
        // What belongs to a point lies in one of its pieces.
        if placed != plan.scalars.len() || carried != plan.fields.len() {
            return None;
        }
        let lookers = lookers(plan, &items);
        Some(Quick { parts, items, looks, lookers, moves })
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

    /// Adds what an item says about points, or takes it away; how often it has one name another.
    #[inline(always)]
    fn count<const ADD: bool>(&self, plan: &Plan, item: &Item, state: &[u8], sums: &mut Sums) -> u32 {
        let mut say = |point: usize, what: u64| {
            let sum = &mut sums[point % MOST];
            *sum = if ADD { sum.wrapping_add(what) } else { sum.wrapping_sub(what) };
        };
        let mut others = 0;
        match item {
            Item::Own(own) => {
                let (point, part) = (usize::from(own.point), &self.parts[own.part]);
                let mut h = own.part as u64 + 1;
                for look in &self.looks[own.looks.0..own.looks.1] {
                    h = mix(h, look.read(state) & look.plain);
                }
                let mut name = |h: u64, names: usize, id: u64, value: i32| match plan.names[names].whose(value) {
                    Some((row, who)) if who == point => mix(h, row as u64),
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
                say(point, h);
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
        others
    }

    /// What a complete state says about each point; how often one of them names another.
    fn sums(&self, plan: &Plan, state: &[u8], sums: &mut Sums) -> u32 {
        sums[..plan.points].fill(0);
        self.items.iter().map(|item| self.count::<true>(plan, item, state, sums)).sum()
    }

    /// What a successor says, given what the state before it did and which words may have changed.
    #[inline]
    fn updated(
        &self,
        plan: &Plan,
        (at, before, others): (&[u8], &Sums, u32),
        (state, touched, lookers): (&[u8], u64, &[u64]),
        sums: &mut Sums,
    ) -> u32 {
        sums[..plan.points].copy_from_slice(&before[..plan.points]);
        let (mut items, mut words, mut others) = (0, touched, others);
        while words != 0 {
            items |= lookers.get(words.trailing_zeros() as usize).copied().unwrap_or(0);
            words &= words - 1;
        }
        while items != 0 {
            let item = &self.items[items.trailing_zeros() as usize];
            items &= items - 1;
            // A word is looked at by several, and mostly only one of them has another byte than before.
            if !self.same(plan, item, at, state) {
                others -= self.count::<false>(plan, item, at, sums);
                others += self.count::<true>(plan, item, state, sums);
            }
        }
        others
    }

    /// The renaming that puts the points of a complete state in order; false if that needs a closer look.
    pub fn order(&self, plan: &Plan, state: &[u8], to: &mut Vec<u8>) -> bool {
        let mut sums = [0; MOST];
        let others = self.sums(plan, state, &mut sums);
        let mut all = identity();
        let (_, tie) = sorted(plan, &sums, &mut all);
        to.clear();
        to.extend_from_slice(&all[..plan.points]);
        others == 0 || !tie
    }

    /// Replaces all stored successors of a state by their names. Those that need a closer look are left to somebody who has
    /// more time.
    pub fn batch(
        &self,
        plan: &Plan,
        at: &[u8],
        out: &mut Batch,
        scratch: &mut Vec<u8>,
        mut slowly: impl FnMut(&mut [u8]) -> u64,
    ) {
        let (mut before, mut sums, mut first) = ([0; MOST], [0; MOST], 0);
        let lookers = self.lookers.as_deref().filter(|_| out.entries.len() > 1 && plan.complete(at));
        if lookers.is_some() {
            first = self.sums(plan, at, &mut before);
        }
        for entry in &mut out.entries {
            let state = &mut out.bytes[entry.start as usize..][..entry.len as usize];
            if entry.broken() || entry.transient() || !plan.complete(state) {
                continue;
            }
            let others = match lookers {
                Some(lookers) if entry.changed != u64::MAX => {
                    self.updated(plan, (at, &before, first), (state, entry.changed, lookers), &mut sums)
                }
                _ => self.sums(plan, state, &mut sums),
            };
            let mut to = identity();
            let (moved, tie) = sorted(plan, &sums, &mut to);
            if tie && others > 0 {
                entry.changed = slowly(state);
                continue;
            }
            if moved != 0 {
                entry.changed |= self.moves.make(plan, &to, (moved, others > 0), state, scratch);
            }
            if entry.changed == u64::MAX {
                entry.changed = changed(at, state);
            }
        }
    }
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
fn look_at(plan: &Plan, at: usize, len: usize, part: &Part, looks: &mut Vec<Look>) -> Option<()> {
    let size = len.next_multiple_of(8);
    let (mut all, mut plain) = (vec![0u8; size], vec![0u8; size]);
    all[..len].fill(u8::MAX);
    plain[..len].fill(u8::MAX);
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
#[inline]
fn identity() -> [u8; MOST] {
    std::array::from_fn(|i| i as u8)
}

/// Puts the points of each block in order; those that move, as bits, and whether of two of them the same is said.
#[inline]
fn sorted(plan: &Plan, sums: &Sums, to: &mut [u8; MOST]) -> (u64, bool) {
    let (mut keys, mut order, mut moved, mut tie) = ([0u64; MOST], [0u8; MOST], 0, false);
    for block in &plan.blocks {
        let mut still = true;
        for (n, &point) in block.iter().enumerate() {
            let key = sums[usize::from(point) % MOST];
            // Blocks are small, and mostly nearly in order: the state before was.
            let mut at = n;
            while at > 0 && keys[(at - 1) % MOST] > key {
                keys[at % MOST] = keys[(at - 1) % MOST];
                order[at % MOST] = order[(at - 1) % MOST];
                at -= 1;
            }
            tie |= at > 0 && keys[(at - 1) % MOST] == key;
            still &= at == n;
            (keys[at % MOST], order[at % MOST]) = (key, point);
        }
        if still {
            continue;
        }
        for (&slot, &point) in block.iter().zip(order.iter()) {
            to[usize::from(point) % MOST] = slot;
            moved |= u64::from(slot != point) << (point % MOST as u8);
        }
    }
    (moved, tie)
}

/// By word: the items that look at it; none if there are too many words or items for that.
fn lookers(plan: &Plan, items: &[Item]) -> Option<Vec<u64>> {
    if items.len() > 64 || plan.len > 4 * 64 {
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
