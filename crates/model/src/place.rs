//! Where a value lives in a state, and how it is stored there.

use crate::expr::Expr;
use std::sync::Arc;

/// How a value is stored: its width and what an assignment does to a value that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// One bit: keeps the lowest bit. Only plain scalars; an array of bits is an array of bytes, as in pan.
    Bit,
    /// Eight bits without sign: byte, pid, mtype, chan.
    Byte,
    /// Sixteen bits with sign.
    Short,
    /// Thirty-two bits with sign.
    Int,
    /// This many bits (1 to 31) without sign.
    Unsigned(u8),
    /// Sixteen bits with sign: slices of time to go, or -1 for off. Nothing is cut off: a value that does not fit is an error.
    Timer,
}

impl Ty {
    /// Bytes that a value of this type takes in a state.
    pub fn size(self) -> u32 {
        match self {
            Ty::Bit | Ty::Byte => 1,
            Ty::Short | Ty::Timer => 2,
            Ty::Int => 4,
            Ty::Unsigned(n) => match n {
                0..=8 => 1,
                9..=16 => 2,
                _ => 4,
            },
        }
    }

    /// The value of a variable that nobody uses: zero, but a timer is off.
    pub fn idle(self) -> i32 {
        if self == Ty::Timer { crate::time::OFF } else { 0 }
    }

    /// What is left of a value when it is stored with this type.
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Ty::Bit => value & 1,
            Ty::Byte => value as u8 as i32,
            Ty::Short | Ty::Timer => value as i16 as i32,
            Ty::Int => value,
            Ty::Unsigned(n) if n >= 32 => value,
            Ty::Unsigned(n) => value & ((1i64 << n) - 1) as i32,
        }
    }

    /// The value of this type that lies at a place in a state.
    #[inline]
    pub fn read(self, state: &[u8], at: usize) -> i32 {
        let short = || u16::from_le_bytes([state[at], state[at + 1]]);
        match self {
            Ty::Bit | Ty::Byte => i32::from(state[at]),
            Ty::Short | Ty::Timer => i32::from(short() as i16),
            Ty::Unsigned(0..=8) => i32::from(state[at]),
            Ty::Unsigned(9..=16) => i32::from(short()),
            Ty::Int | Ty::Unsigned(_) => i32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]]),
        }
    }

    /// Stores what is left of a value in this type.
    #[inline]
    pub fn write(self, state: &mut [u8], at: usize, value: i32) {
        let value = self.truncate(value).to_le_bytes();
        match self.size() {
            1 => state[at] = value[0],
            2 => state[at..at + 2].copy_from_slice(&value[..2]),
            _ => state[at..at + 4].copy_from_slice(&value),
        }
    }
}

/// The part of the state that a place lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Region {
    /// The block of global variables.
    Global,
    /// Global variables that are not compared when states are (`hidden`).
    Hidden,
    /// The frame of the process that executes; offsets count from the start of the frame.
    Local,
}

/// One index on the way to a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Dim {
    /// The index.
    pub index: Expr,
    /// The number of elements: an index outside `0..len` is an error.
    pub len: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// A variable, an element of an array or a field: something that can be read and assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The part of the state.
    pub region: Region,
    /// Bytes from the start of that part, for index zero in all dimensions.
    pub offset: u32,
    /// How the value is stored.
    pub ty: Ty,
    /// The indices, outermost first.
    pub dims: Vec<Dim>,
    /// The name with `#` in place of each index: `queue[#].head`.
    pub name: Arc<str>,
}

impl Place {
    /// The bytes of its region that a place may mean, so many values long, as first and one past the last: exact where
    /// `index` knows an index, else from the first element to the last.
    pub fn piece(&self, count: u32, mut index: impl FnMut(&Dim) -> Option<i32>) -> (u32, u32) {
        let mut start = self.offset;
        let mut size = self.ty.size() * count;
        for dim in &self.dims {
            match index(dim) {
                Some(i) if i >= 0 && (i as u32) < dim.len => start += i as u32 * dim.stride,
                _ => size += dim.len.saturating_sub(1) * dim.stride,
            }
        }
        (start, start + size)
    }

    /// The bytes of its region that a place may mean if only constant indices are known.
    pub fn constant_piece(&self, count: u32) -> (u32, u32) {
        self.piece(count, |dim| dim.index.as_const())
    }

    /// The bytes of its region that a place may mean for anybody, whatever its indices are.
    pub fn widest(&self, count: u32) -> (u32, u32) {
        self.piece(count, |_| None)
    }
}
