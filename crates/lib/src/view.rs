//! States as a user sees them: read part by part, and written by copying what is touched.

use crate::parts::{Code, Parts};
use std::cell::Cell;
use std::ops::{Index, IndexMut};

/// A set of parts, by place. All parts from the 64th on are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct PartSet(pub(crate) u64);

impl PartSet {
    /// No part.
    pub const NONE: PartSet = PartSet(0);
    /// Every part.
    pub const ALL: PartSet = PartSet(u64::MAX);

    /// These parts.
    ///
    /// ```
    /// use starwheel::PartSet;
    /// assert!(PartSet::of([0, 3]).has(3) && !PartSet::of(0..3).has(3));
    /// ```
    pub fn of(places: impl IntoIterator<Item = usize>) -> PartSet {
        PartSet(places.into_iter().fold(0, |set, place| set | bit(place)))
    }

    /// True if the part is in it.
    pub fn has(self, place: usize) -> bool {
        self.0 & bit(place) != 0
    }

    /// The parts of both.
    pub fn and(self, other: PartSet) -> PartSet {
        PartSet(self.0 | other.0)
    }

    /// True if all parts are in the other one.
    pub(crate) fn within(self, other: PartSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// True if no part is in both.
    pub(crate) fn apart(self, other: PartSet) -> bool {
        self.0 & other.0 == 0
    }

    /// The parts that are not in the other one, as words.
    pub(crate) fn beyond(self, other: PartSet) -> String {
        let names: Vec<String> = (0..64).filter(|&p| self.has(p) && !other.has(p)).map(|p| p.to_string()).collect();
        names.join(", ")
    }
}

#[inline]
pub(crate) fn bit(place: usize) -> u64 {
    1 << place.min(63)
}

/// A state, to be read: a vector of parts. What is read is remembered, so that nothing is asked again that cannot have changed.
pub struct View<'a, P> {
    pub(crate) codes: &'a [Code],
    parts: &'a Parts<P>,
    reads: Cell<u64>,
    /// True once somebody has asked for the number of parts.
    measured: Cell<bool>,
}

impl<'a, P: Eq> View<'a, P> {
    pub(crate) fn new(codes: &'a [Code], parts: &'a Parts<P>) -> View<'a, P> {
        View { codes, parts, reads: Cell::new(0), measured: Cell::new(false) }
    }

    /// The parts that were read so far. Their number is read by nobody: where it changes, everything is looked at again.
    pub(crate) fn reads(&self) -> PartSet {
        PartSet(self.reads.get())
    }

    /// The only part that was read, if it is one and nothing else was asked.
    pub(crate) fn only(&self) -> Option<usize> {
        let reads = self.reads.get();
        let one = reads.count_ones() == 1 && reads >> 63 == 0 && !self.measured.get();
        one.then(|| reads.trailing_zeros() as usize)
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.measured.set(true);
        self.codes.len()
    }

    /// True if there is no part.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One part.
    ///
    /// # Panics
    /// If there is no such part; in a model that is a finding with a trail, like any panic there.
    #[inline]
    #[track_caller]
    pub fn part(&self, place: usize) -> &'a P {
        let Some(&code) = self.codes.get(place) else { panic!("{}", missing(place, self.codes.len())) };
        self.reads.set(self.reads.get() | bit(place));
        self.parts.get(code)
    }

    /// All parts, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a P> {
        self.reads.set(u64::MAX);
        self.codes.iter().map(|&code| self.parts.get(code))
    }
}

impl<P: Eq> Index<usize> for View<'_, P> {
    type Output = P;

    #[inline]
    #[track_caller]
    fn index(&self, place: usize) -> &P {
        self.part(place)
    }
}

#[cold]
fn missing(place: usize, count: usize) -> String {
    format!("there is no part {place}: the state has {count} parts")
}

/// What became of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Taken,
    Refused,
    Wrong(String),
}

/// The successor of a state in the making. A part is copied when it is first written; the others stay what they are, and cost
/// nothing.
pub struct Draft<'a, P> {
    before: View<'a, P>,
    pub(crate) written: Vec<(usize, P)>,
    /// The number of parts now.
    pub(crate) len: usize,
    pub(crate) fate: Fate,
}

impl<'a, P: Clone + Eq> Draft<'a, P> {
    /// Starts from a state, with memory that may be used.
    pub(crate) fn new(before: View<'a, P>, mut written: Vec<(usize, P)>) -> Draft<'a, P> {
        written.clear();
        let len = before.codes.len();
        Draft { before, written, len, fate: Fate::Taken }
    }

    /// The parts of the state that were read. A part that is written is read as well, unless it is replaced as a whole.
    pub(crate) fn reads(&self) -> PartSet {
        self.before.reads()
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there is no part.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One part as it is now.
    ///
    /// # Panics
    /// If there is no such part.
    #[inline]
    #[track_caller]
    pub fn part(&self, place: usize) -> &P {
        assert!(place < self.len, "{}", missing(place, self.len));
        match self.written.iter().find(|w| w.0 == place) {
            Some((_, part)) => part,
            None => self.before.part(place),
        }
    }

    /// One part, to be written.
    ///
    /// # Panics
    /// If there is no such part.
    #[inline]
    #[track_caller]
    pub fn part_mut(&mut self, place: usize) -> &mut P {
        assert!(place < self.len, "{}", missing(place, self.len));
        let at = match self.written.iter().position(|w| w.0 == place) {
            Some(at) => at,
            None => {
                self.written.push((place, self.before.part(place).clone()));
                self.written.len() - 1
            }
        };
        &mut self.written[at].1
    }

    /// Replaces one part.
    ///
    /// # Panics
    /// If there is no such part.
    #[track_caller]
    pub fn set(&mut self, place: usize, part: P) {
        assert!(place < self.len, "{}", missing(place, self.len));
        match self.written.iter_mut().find(|w| w.0 == place) {
            Some(written) => written.1 = part,
            None => self.written.push((place, part)),
        }
    }

    /// Adds a part behind the last one.
    pub fn push(&mut self, part: P) {
        self.written.push((self.len, part));
        self.len += 1;
    }

    /// Takes the last part away; `None` if there is none.
    pub fn pop(&mut self) -> Option<P> {
        let last = self.len.checked_sub(1)?;
        let part = match self.written.iter().position(|w| w.0 == last) {
            Some(at) => self.written.swap_remove(at).1,
            None => self.before.part(last).clone(),
        };
        self.len = last;
        Some(part)
    }

    /// Takes the action back, as if it had never been listed: for what is easier to find out while doing it.
    pub fn refuse(&mut self) {
        self.fate = Fate::Refused;
    }

    /// Says that the step must never happen: a finding with a trail, and nothing is visited behind it. A panic (`assert!`,
    /// an index out of bounds) comes to the same.
    pub fn wrong(&mut self, why: impl Into<String>) {
        self.fate = Fate::Wrong(why.into());
    }
}

impl<P: Clone + Eq> Index<usize> for Draft<'_, P> {
    type Output = P;

    #[inline]
    #[track_caller]
    fn index(&self, place: usize) -> &P {
        self.part(place)
    }
}

impl<P: Clone + Eq> IndexMut<usize> for Draft<'_, P> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, place: usize) -> &mut P {
        self.part_mut(place)
    }
}
