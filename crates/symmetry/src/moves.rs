//! A renaming carried out in place, for states whose points were put in order in one pass: only what belongs to points that move is
//! touched, and names.
//!
//! Where points are few, most renamings are met again and again. Each of them is taken apart once (`script.rs`): which bytes are
//! copied where.

mod script;

use self::script::{Draft, LONGEST, Old, Scripts};
use crate::plan::{Group, Names, Plan, Scalar};
use crate::quick::Look;
use starwheel_model::Ty;
use std::ops::Range;

/// What is moved.
#[derive(Debug)]
pub struct Moves {
    /// By point: what belongs to it alone. Points that may change places have as much, in the same order.
    own: Vec<Vec<Look>>,
    /// By point: the places for names in that.
    names: Vec<Vec<Spot>>,
    shared: Vec<Shared>,
    /// By point: the words of four bytes that belong to it, as bits; all ones if there are too many words.
    words: Vec<u64>,
    /// Global places for names, and those of pairs.
    globals: Vec<Spot>,
    /// All places for names that are no bytes.
    wide: Vec<Spot>,
    scripts: Scripts,
}

/// Memory that is used again: what a state was.
#[derive(Debug)]
pub struct Scratch {
    old: Old,
    copy: Vec<u8>,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch { old: [0; LONGEST + 8], copy: Vec::new() }
    }
}

/// A place for a name.
#[derive(Clone, Debug)]
struct Spot {
    at: usize,
    ty: Ty,
    /// Whose names; index into [`Plan::names`].
    names: usize,
    /// The words in which it lies, as bits.
    words: u64,
}

impl Spot {
    fn new(s: &Scalar) -> Spot {
        let words = bit(s.at) | bit(s.at + s.ty.size() as usize - 1);
        Spot { at: s.at, ty: s.ty, names: s.names, words }
    }

    /// Writes the new name, if it holds that of a point that moves; the words that have changed.
    #[inline(always)]
    fn rename(&self, all: &[Names], to: &[u8], moved: u64, state: &mut [u8]) -> u64 {
        if self.ty == Ty::Byte {
            let Some(new) = all[self.names].moved(i32::from(state[self.at]), to, moved) else { return 0 };
            state[self.at] = new as u8;
        } else {
            let Some(new) = all[self.names].moved(self.ty.read(state, self.at), to, moved) else { return 0 };
            self.ty.write(state, self.at, new);
        }
        self.words
    }
}

/// Something that belongs to two points, for all pairs of them.
#[derive(Debug)]
struct Shared {
    len: usize,
    pieces: Vec<([u8; 2], usize)>,
    /// Where the piece of a pair lies, by the numbers of the two as digits.
    table: Vec<u32>,
}

impl Moves {
    /// For a plan, nothing yet.
    pub fn new(plan: &Plan) -> Moves {
        let each = plan.points;
        Moves {
            own: vec![Vec::new(); each],
            names: vec![Vec::new(); each],
            shared: Vec::new(),
            words: vec![0; each],
            globals: Vec::new(),
            wide: Vec::new(),
            scripts: Scripts::default(),
        }
    }

    /// Moves a piece of a point, too, which has names in it.
    pub fn add<'s>(&mut self, point: u8, place: Range<usize>, looks: &[Look], names: impl Iterator<Item = &'s Scalar>) {
        let point = usize::from(point);
        self.own[point].extend_from_slice(looks);
        let first = self.names[point].len();
        self.names[point].extend(names.map(Spot::new));
        self.wide.extend(self.names[point][first..].iter().filter(|name| name.ty != Ty::Byte).cloned());
        self.words[point] |= place.fold(0, |words, byte| words | bit(byte));
    }

    /// Renames at these places, too, whoever moves.
    pub fn globals<'s>(&mut self, names: impl Iterator<Item = &'s Scalar>) {
        let first = self.globals.len();
        self.globals.extend(names.map(Spot::new));
        self.wide.extend(self.globals[first..].iter().filter(|name| name.ty != Ty::Byte).cloned());
    }

    /// Moves the pieces of pairs, too.
    pub fn add_pairs(&mut self, group: &Group) -> Option<()> {
        let points = self.words.len();
        let mut shared = Shared { len: group.len, pieces: Vec::new(), table: vec![0; points * points] };
        for (coords, at) in &group.pieces {
            let &[one, other] = &coords[..] else { return None };
            let words = (*at..*at + group.len).fold(0, |words, byte| words | bit(byte));
            self.words[usize::from(one)] |= words;
            self.words[usize::from(other)] |= words;
            shared.table[usize::from(one) * points + usize::from(other)] = u32::try_from(*at).ok()?;
            shared.pieces.push(([one, other], *at));
        }
        self.shared.push(shared);
        Some(())
    }

    /// Moves the points whose bits are set; the words that may have changed. If points name nobody but themselves, what
    /// belongs to those that stay is left alone.
    pub fn make<const M: usize>(
        &self,
        plan: &Plan,
        to: &[u8; M],
        (moved, others): (u64, bool),
        state: &mut [u8],
        Scratch { old, copy }: &mut Scratch,
    ) -> u64 {
        if let Some(script) = self.scripts.of(to, || self.script(plan, to, moved, state.len())) {
            let words = script.run(old, state);
            return self.wide.iter().fold(words, |words, name| words | name.rename(&plan.names, to, moved, state))
                | rename_messages(plan, to, moved, state);
        }
        copy.clear();
        copy.extend_from_slice(state);
        let mut words = self.carry(to, moved, copy, state);
        let goals = each_bit(moved).fold(0, |goals, old| goals | 1u64 << (to[old % M] % 64));
        for (point, names) in self.names.iter().enumerate() {
            if others || goals >> point & 1 != 0 {
                words |= names.iter().fold(0, |words, name| words | name.rename(&plan.names, to, moved, state));
            }
        }
        for name in &self.globals {
            words |= name.rename(&plan.names, to, moved, state);
        }
        words | rename_messages(plan, to, moved, state)
    }

    /// Moves what belongs to points that move; the words that may have changed.
    fn carry<const M: usize>(&self, to: &[u8; M], moved: u64, scratch: &[u8], state: &mut [u8]) -> u64 {
        let mut words = 0;
        for old in each_bit(moved) {
            words |= self.words[old];
            for (from, look) in self.own[old].iter().zip(&self.own[usize::from(to[old % M])]) {
                look.take(from, scratch, state);
            }
        }
        self.pairs(to, moved, |from, goal, len| {
            state[goal..goal + len].copy_from_slice(&scratch[from..from + len]);
        });
        words
    }

    /// The same, taken apart for states of some length: where each byte comes from, and the names that are bytes.
    fn script<const M: usize>(&self, plan: &Plan, to: &[u8; M], moved: u64, len: usize) -> Draft {
        let mut sources: Vec<usize> = (0..len).collect();
        for old in each_bit(moved) {
            for (from, look) in self.own[old].iter().zip(&self.own[usize::from(to[old % M])]) {
                look.bytes(from).for_each(|(from, goal)| sources[goal] = from);
            }
        }
        self.pairs(to, moved, |from, goal, len| (0..len).for_each(|byte| sources[goal + byte] = from + byte));
        let bytes = self.names.iter().flatten().chain(&self.globals).filter(|name| name.ty == Ty::Byte);
        let renamed = |names: &Names| {
            let new = |old: usize| names.moved(old as i32, to, moved).map_or(old as u8, |new| new as u8);
            std::array::from_fn(new)
        };
        Draft {
            sources,
            names: bytes.map(|name| (name.at, name.names)).collect(),
            tables: plan.names.iter().map(renamed).collect(),
        }
    }

    /// For each piece of a pair that may move: where it comes from, where it goes, and its length.
    #[inline(always)]
    fn pairs<const M: usize>(&self, to: &[u8; M], moved: u64, mut f: impl FnMut(usize, usize, usize)) {
        for shared in &self.shared {
            for ([one, other], at) in &shared.pieces {
                if (moved >> one | moved >> other) & 1 != 0 {
                    let goal = usize::from(to[usize::from(*one) % M]) * self.words.len();
                    let goal = shared.table[goal + usize::from(to[usize::from(*other) % M])] as usize;
                    f(*at, goal, shared.len);
                }
            }
        }
    }
}

/// Writes the new names in messages; the words that have changed.
#[inline(always)]
fn rename_messages<const M: usize>(plan: &Plan, to: &[u8; M], moved: u64, state: &mut [u8]) -> u64 {
    let mut words = 0;
    for field in &plan.fields {
        let scalar = &field.scalar;
        for at in field.places(state) {
            if let Some(new) = plan.names[scalar.names].moved(scalar.ty.read(state, at), to, moved) {
                scalar.ty.write(state, at, new);
                words |= bit(at) | bit(at + scalar.ty.size() as usize - 1);
            }
        }
    }
    words
}

/// The numbers of the bits that are set.
#[inline(always)]
fn each_bit(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then_some(bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        next
    })
}

/// The bit of the word in which a byte lies.
#[inline]
fn bit(byte: usize) -> u64 {
    if byte < 4 * 64 { 1 << (byte / 4) } else { u64::MAX }
}
