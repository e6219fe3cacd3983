//! Compressed sets of numbers, each as one string of bytes, so that equal sets are equal strings and can be kept once.
//!
//! As in Lemire, Kai, Kaser and others: Roaring Bitmaps: Implementation of an Optimized Software Library (2018), numbers
//! with the same upper half share a chunk, and a chunk is a sorted list, a list of runs or a bit map, whichever is
//! shortest. Here a chunk is part of the string, and the choice depends on its members alone. `algebra.rs` combines sets
//! chunk by chunk, without listing their members.

/// Numbers of a chunk.
const SPAN: u32 = 1 << 16;
/// Words of a bit map.
pub(crate) const WORDS: usize = SPAN as usize / 64;
/// Bytes before the body of a chunk: its upper half, and what it is.
const HEAD: usize = 4;
/// This bit says that a chunk is a list of runs; the others how many.
const RUNS: u16 = 1 << 15;
/// A chunk that is a bit map.
const MAP: u16 = u16::MAX;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits(Vec<u8>);

/// A set of numbers that lies somewhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitsRef<'a>(pub &'a [u8]);

/// The body of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'a> {
    /// Lower halves in order, two bytes each.
    List(&'a [u8]),
    /// First and last lower half of each run, in order, four bytes together.
    Runs(&'a [u8]),
    /// One bit for each lower half.
    Map(&'a [u8]),
}

/// A bit map that is being worked on.
pub(crate) type Map = [u64; WORDS];

pub(crate) fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[8 * at..].first_chunk().map_or(0, |w| u64::from_le_bytes(*w))
}

impl Bits {
    /// The set of these numbers, which are in order, each once.
    pub fn of(sorted: &[u32]) -> Bits {
        let mut out = Bits::default();
        for group in sorted.chunk_by(|a, b| a / SPAN == b / SPAN) {
            out.push(group[0] / SPAN, group.iter().map(|&n| n as u16));
        }
        out
    }

    /// The set of the numbers whose bits are set.
    pub fn of_words(words: &[u64]) -> Bits {
        let mut out = Bits::default();
        for (upper, words) in words.chunks(WORDS).enumerate() {
            out.push(upper as u32, ones(words.iter().copied()));
        }
        out
    }

    /// Adds a chunk behind the others; nothing if it has no members.
    pub(crate) fn push(&mut self, upper: u32, members: impl Iterator<Item = u16> + Clone) {
        let (mut count, mut runs, mut last) = (0_usize, 0_usize, None);
        for n in members.clone() {
            count += 1;
            runs += usize::from(last.is_none_or(|l: u16| l.checked_add(1) != Some(n)));
            last = Some(n);
        }
        if count == 0 {
            return;
        }
        self.0.extend_from_slice(&(upper as u16).to_le_bytes());
        let (list, run_list, map) = (2 * count, 4 * runs, 8 * WORDS);
        if list <= run_list && list <= map {
            self.0.extend_from_slice(&(count as u16).to_le_bytes());
            members.for_each(|n| self.0.extend_from_slice(&n.to_le_bytes()));
        } else if run_list <= map {
            self.0.extend_from_slice(&(RUNS | runs as u16).to_le_bytes());
            self.push_runs(members);
        } else {
            self.0.extend_from_slice(&MAP.to_le_bytes());
            let mut words = [0; WORDS];
            members.for_each(|n| words[n as usize / 64] |= 1 << (n % 64));
            words.iter().for_each(|w: &u64| self.0.extend_from_slice(&w.to_le_bytes()));
        }
    }

    fn push_runs(&mut self, members: impl Iterator<Item = u16>) {
        let mut run: Option<(u16, u16)> = None;
        for n in members {
            run = match run {
                Some((first, last)) if last.checked_add(1) == Some(n) => Some((first, n)),
                old => {
                    old.into_iter().for_each(|r| self.push_run(r));
                    Some((n, n))
                }
            };
        }
        run.into_iter().for_each(|r| self.push_run(r));
    }

    fn push_run(&mut self, (first, last): (u16, u16)) {
        self.0.extend_from_slice(&first.to_le_bytes());
        self.0.extend_from_slice(&last.to_le_bytes());
    }

    /// Adds a chunk as it is.
    pub(crate) fn push_body(&mut self, upper: u16, body: Body<'_>) {
        let (kind, bytes) = match body {
            Body::List(b) => ((b.len() / 2) as u16, b),
            Body::Runs(b) => (RUNS | (b.len() / 4) as u16, b),
            Body::Map(b) => (MAP, b),
        };
        self.0.extend_from_slice(&upper.to_le_bytes());
        self.0.extend_from_slice(&kind.to_le_bytes());
        self.0.extend_from_slice(bytes);
    }

    /// The set, to look at.
    pub fn view(&self) -> BitsRef<'_> {
        BitsRef(&self.0)
    }

    /// The bytes that it is made of.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<'a> BitsRef<'a> {
    /// The chunks in order, each with its upper half.
    pub(crate) fn chunks(self) -> impl Iterator<Item = (u16, Body<'a>)> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest.len() < HEAD {
                return None;
            }
            let (upper, kind) = (half(rest, 0), half(rest, 1));
            let (make, len): (fn(&'a [u8]) -> Body<'a>, usize) = match kind {
                MAP => (Body::Map, 8 * WORDS),
                k if k & RUNS != 0 => (Body::Runs, 4 * usize::from(k & !RUNS)),
                k => (Body::List, 2 * usize::from(k)),
            };
            let body;
            (body, rest) = rest[HEAD..].split_at(len);
            Some((upper, make(body)))
        })
    }

    /// The members in order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        self.chunks().flat_map(|(upper, body)| body.members().map(move |n| u32::from(upper) * SPAN + u32::from(n)))
    }

    /// The number of members.
    pub fn len(self) -> usize {
        self.chunks().map(|(_, body)| body.len()).sum()
    }

    /// True if there are none.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// A copy of its own.
    pub fn to_bits(self) -> Bits {
        Bits(self.0.to_vec())
    }
}

impl<'a> Body<'a> {
    /// The members in order.
    pub(crate) fn members(self) -> Members<'a> {
        match self {
            Body::List(b) => Members::List(b.chunks_exact(2)),
            Body::Runs(b) => Members::Runs(0..0, b),
            Body::Map(b) => Members::Map(Ones { words: b, at: 0, left: word(b, 0) }),
        }
    }

    pub(crate) fn len(self) -> usize {
        match self {
            Body::List(b) => b.len() / 2,
            Body::Runs(b) => b.chunks_exact(4).map(|r| usize::from(half(r, 1)) + 1 - usize::from(half(r, 0))).sum(),
            Body::Map(b) => (0..WORDS).map(|i| word(b, i).count_ones() as usize).sum(),
        }
    }

    pub(crate) fn has(self, n: u16) -> bool {
        match self {
            Body::List(b) => below(b.len() / 2, |i| half(b, i) < n).is_some_and(|i| half(b, i) == n),
            Body::Runs(b) => below(b.len() / 4, |i| half(b, 2 * i + 1) < n).is_some_and(|i| half(b, 2 * i) <= n),
            Body::Map(b) => word(b, n as usize / 64) >> (n % 64) & 1 == 1,
        }
    }

    /// Sets the bits of the members.
    pub(crate) fn fill(self, map: &mut Map) {
        match self {
            Body::Map(b) => map.iter_mut().enumerate().for_each(|(i, w)| *w |= word(b, i)),
            Body::Runs(b) => b.chunks_exact(4).for_each(|r| fill_run(map, half(r, 0), half(r, 1))),
            Body::List(_) => self.members().for_each(|n| map[n as usize / 64] |= 1 << (n % 64)),
        }
    }
}

fn fill_run(map: &mut Map, first: u16, last: u16) {
    let (from, to) = (first as usize / 64, last as usize / 64);
    for (at, word) in map.iter_mut().enumerate().take(to + 1).skip(from) {
        let low = if at == from { u64::MAX << (first % 64) } else { u64::MAX };
        let high = if at == to { u64::MAX >> (63 - last % 64) } else { u64::MAX };
        *word |= low & high;
    }
}

/// The first of so many places for which `less` does not hold, if there is one.
fn below(count: usize, less: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        if less(middle) { low = middle + 1 } else { high = middle }
    }
    (low < count).then_some(low)
}

/// The places of the bits that are set.
pub(crate) fn ones(words: impl Iterator<Item = u64> + Clone) -> impl Iterator<Item = u16> + Clone {
    let bits = |mut w: u64| {
        std::iter::from_fn(move || {
            let bit = (w != 0).then(|| w.trailing_zeros() as u16)?;
            w &= w - 1;
            Some(bit)
        })
    };
    words.enumerate().flat_map(move |(i, w)| bits(w).map(move |b| (64 * i) as u16 + b))
}

/// The members of a chunk.
#[derive(Clone, Debug)]
pub(crate) enum Members<'a> {
    List(std::slice::ChunksExact<'a, u8>),
    /// What is left of the run that was begun, and the others.
    Runs(std::ops::Range<u32>, &'a [u8]),
    Map(Ones<'a>),
}

/// The bits of a map that are left.
#[derive(Clone, Debug)]
pub(crate) struct Ones<'a> {
    words: &'a [u8],
    at: usize,
    left: u64,
}

impl Iterator for Members<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        match self {
            Members::List(b) => b.next().map(|b| half(b, 0)),
            Members::Runs(run, rest) => {
                if run.start == run.end {
                    let (next, others) = rest.split_at_checked(4)?;
                    (*run, *rest) = (u32::from(half(next, 0))..u32::from(half(next, 1)) + 1, others);
                }
                run.next().map(|n| n as u16)
            }
            Members::Map(ones) => ones.next(),
        }
    }
}

impl Ones<'_> {
    fn next(&mut self) -> Option<u16> {
        while self.left == 0 {
            self.at += 1;
            if self.at == WORDS {
                self.at -= 1;
                return None;
            }
            self.left = word(self.words, self.at);
        }
        let bit = self.left.trailing_zeros() as u16;
        self.left &= self.left - 1;
        Some((64 * self.at) as u16 + bit)
    }
}
