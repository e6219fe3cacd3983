//! Where the names of members stand in a state, and how a state is renamed.
//!
//! After the entry all states have the same processes, so each thing lies at a fixed place. A *point* is a member of a
//! family. A renaming takes each point to one of its own block; in a state it moves everything that belongs to a point
//! (frames with their channels, elements of arrays, contents of channels) to the place of the new point, and writes the new
//! name wherever an old one stood. With `p(i)` for where point `i` goes: the new element at `p(i)` is the old one at `i`, so
//! renaming by `q` and then by `p` is renaming by `p(q(i))`. (The thesis that this follows has the inverse for indices in
//! its text and this convention in its code; with the former values and indices would drift apart.)
//!
//! Messages beyond the number of those in a channel are zero and no names.

use starwheel_model::Ty;
use starwheel_model::layout::CHANNEL_HEADER;
use std::collections::BTreeMap;

/// The names that a set of places uses.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// For each row, the name of each point; `None` if the row says nothing about it.
    pub rows: Vec<Vec<Option<i32>>>,
    /// For values below 256: row and point, or [`NOBODY`] as the point.
    small: Vec<(u16, u8)>,
    /// All rows, one behind the other, with a number below zero where a row says nothing.
    flat: Vec<i32>,
    points: usize,
}

/// No point.
const NOBODY: u8 = u8::MAX;

impl Names {
    /// Names by row and point, each of them once; none if one stands for two points, or for one in different rows that
    /// would be renamed to different names.
    pub fn new(mut rows: Vec<Vec<Option<i32>>>) -> Option<Names> {
        let mut seen: Vec<(i32, usize)> = Vec::new();
        let mut kept: Vec<Vec<Option<i32>>> = Vec::new();
        rows.dedup();
        for row in rows {
            if kept.contains(&row) {
                continue;
            }
            for (point, value) in row.iter().enumerate() {
                let Some(value) = *value else { continue };
                if seen.iter().any(|s| s.0 == value) || value < 0 {
                    return None;
                }
                seen.push((value, point));
            }
            kept.push(row);
        }
        let mut small = vec![(0, NOBODY); 256];
        for (r, row) in kept.iter().enumerate() {
            for (point, value) in row.iter().enumerate() {
                if let Some(value) = value {
                    let value = usize::try_from(*value).ok().filter(|v| *v < small.len())?;
                    small[value] = (u16::try_from(r).ok()?, u8::try_from(point).ok().filter(|p| *p != NOBODY)?);
                }
            }
        }
        let points = kept.first().map_or(0, Vec::len);
        let flat = kept.iter().flatten().map(|name| name.unwrap_or(-1)).collect();
        Some(Names { rows: kept, small, flat, points })
    }

    /// Whose name a value is: row and point.
    #[inline]
    pub fn whose(&self, value: i32) -> Option<(usize, usize)> {
        let (row, point) = *self.small.get(value as usize)?;
        if point == NOBODY { None } else { Some((usize::from(row), usize::from(point))) }
    }

    /// The new name.
    #[inline]
    pub fn rename(&self, value: i32, to: &[u8]) -> i32 {
        match self.whose(value) {
            Some((row, point)) => self.rows[row][usize::from(to[point])].unwrap_or(value),
            None => value,
        }
    }
}

impl Names {
    /// The new name, if a value is the name of a point that moves.
    #[inline(always)]
    pub fn moved(&self, value: i32, to: &[u8], moved: u64) -> Option<i32> {
        let (row, point) = *self.small.get(value as usize)?;
        if point == NOBODY || moved >> (point % 64) & 1 == 0 {
            return None;
        }
        let new = self.flat[usize::from(row) * self.points + usize::from(to[usize::from(point)])];
        (new >= 0).then_some(new)
    }
}

/// Pieces of a state that belong to points, and change places with each other.
#[derive(Clone, Debug)]
pub struct Group {
    /// Bytes of a piece.
    pub len: usize,
    /// The points of each piece, and where it lies.
    pub pieces: Pieces,
    /// Where the piece of some points lies, by their numbers as digits.
    table: Vec<u32>,
    points: usize,
}

impl Group {
    fn new(len: usize, pieces: Pieces, points: usize) -> Option<Group> {
        let arity = pieces.first()?.0.len() as u32;
        let size = points.checked_pow(arity).filter(|s| *s <= 1 << 16)?;
        let mut group = Group { len, pieces, table: vec![u32::MAX; size], points };
        for (coords, at) in &group.pieces {
            let index = coords.iter().fold(0, |i, c| i * points + usize::from(*c));
            group.table[index] = *at as u32;
        }
        Some(group)
    }

    /// Where the piece of these points goes.
    #[inline]
    fn target(&self, coords: &[u8], to: &[u8]) -> Option<usize> {
        let index = match *coords {
            [only] => usize::from(to[usize::from(only)]),
            _ => coords.iter().fold(0, |i, c| i * self.points + usize::from(to[usize::from(*c)])),
        };
        Some(self.table[index]).filter(|at| *at != u32::MAX).map(|at| at as usize)
    }
}

/// A place that may hold a name.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// Where.
    pub at: usize,
    /// How it is stored.
    pub ty: Ty,
    /// Whose names; index into [`Plan::names`].
    pub names: usize,
    /// What it is, whoever it belongs to.
    pub id: u64,
    /// To whom it belongs.
    pub coords: Vec<u8>,
    /// It always holds the name of the one to whom it belongs.
    pub own: bool,
}

/// A field of the messages of a channel that may hold names.
#[derive(Clone, Debug)]
pub struct Field {
    /// Where the channel starts.
    pub channel: usize,
    /// Bytes of the channel.
    pub bytes: usize,
    /// Bytes of a message.
    pub message: usize,
    /// Where the field starts in a message.
    pub offset: usize,
    /// The scalar, apart from where it lies.
    pub scalar: Scalar,
}

impl Field {
    /// Where its values lie in a state.
    #[inline]
    pub fn places(&self, state: &[u8]) -> impl Iterator<Item = usize> + use<> {
        let count = usize::from(u16::from_le_bytes([state[self.channel], state[self.channel + 1]]));
        let (first, message) = (self.channel + CHANNEL_HEADER as usize + self.offset, self.message);
        (0..count).map(move |i| first + i * message)
    }
}

/// How states are renamed.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The bytes of a complete state.
    pub len: usize,
    /// The bytes that do not count.
    pub hidden: usize,
    /// The number of processes of a complete state; it stands right behind the hidden bytes.
    pub processes: u8,
    /// The number of points.
    pub points: usize,
    /// Points that may change places with each other.
    pub blocks: Vec<Vec<u8>>,
    /// What belongs to points.
    pub groups: Vec<Group>,
    /// Where names stand.
    pub scalars: Vec<Scalar>,
    /// Where names stand in messages.
    pub fields: Vec<Field>,
    /// The names.
    pub names: Vec<Names>,
}

/// Pieces by their points, and where they lie.
pub type Pieces = Vec<(Vec<u8>, usize)>;

/// A byte of a state that belongs to points: what it is, and whose.
pub type Owned = (Vec<u32>, Vec<u8>);

impl Plan {
    /// Groups bytes that belong to points into pieces. None if a byte of a point has no counterpart at another point.
    pub fn grouped(&mut self, bytes: impl Iterator<Item = (usize, Owned)>) -> Option<()> {
        let mut by_key: BTreeMap<Vec<u32>, Pieces> = BTreeMap::new();
        for (at, (key, coords)) in bytes.filter(|b| !b.1.1.is_empty()) {
            by_key.entry(key).or_default().push((coords, at));
        }
        let mut all: Vec<Pieces> = by_key.into_values().collect();
        all.iter_mut().for_each(|pieces| pieces.sort());
        all.sort_by_key(|pieces| pieces.iter().map(|p| p.1).min());
        let mut joined: Vec<(usize, Pieces)> = Vec::new();
        for pieces in all {
            if let Some((len, last)) = joined.last_mut() {
                let follows = last.len() == pieces.len()
                    && last.iter().zip(&pieces).all(|(a, b)| a.0 == b.0 && a.1 + *len == b.1);
                if follows {
                    *len += 1;
                    continue;
                }
            }
            joined.push((1, pieces));
        }
        self.groups = joined.into_iter().map(|(len, p)| Group::new(len, p, self.points)).collect::<Option<_>>()?;
        Some(())
    }

    /// True if every piece and every name has a counterpart under a renaming.
    pub fn covers(&self, to: &[u8]) -> bool {
        let named = |names: &Names| {
            names
                .rows
                .iter()
                .all(|row| row.iter().enumerate().all(|(i, v)| v.is_none() || row[to[i] as usize].is_some()))
        };
        let moved = |g: &Group| g.pieces.iter().all(|(coords, _)| g.target(coords, to).is_some());
        self.groups.iter().all(moved) && self.names.iter().all(named)
    }

    /// True for states in which all processes exist: only they are renamed.
    #[inline]
    pub fn complete(&self, state: &[u8]) -> bool {
        state.len() == self.len && state[self.hidden] == self.processes
    }

    /// Replaces `out` by a complete state in which each point is renamed.
    pub fn apply(&self, to: &[u8], state: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(state);
        for group in &self.groups {
            for (coords, at) in &group.pieces {
                if let Some(target) = group.target(coords, to)
                    && target != *at
                {
                    out[target..target + group.len].copy_from_slice(&state[*at..*at + group.len]);
                }
            }
        }
        for scalar in &self.scalars {
            self.rename(scalar, scalar.at, to, out);
        }
        for field in &self.fields {
            let places = field.places(out);
            for at in places {
                self.rename(&field.scalar, at, to, out);
            }
        }
    }

    #[inline]
    fn rename(&self, scalar: &Scalar, at: usize, to: &[u8], out: &mut [u8]) {
        let value = scalar.ty.read(out, at);
        let new = self.names[scalar.names].rename(value, to);
        if new != value {
            scalar.ty.write(out, at, new);
        }
    }

    /// The renaming that changes nothing.
    pub fn identity(&self) -> Vec<u8> {
        (0..self.points as u8).collect()
    }

    /// The renaming that exchanges two points.
    pub fn swap(&self, a: u8, b: u8) -> Vec<u8> {
        let mut to = self.identity();
        to.swap(usize::from(a), usize::from(b));
        to
    }
}
