//! How a state falls into parts: the globals, each channel, each process.

/// The parts of a state, and of all states of the same shape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Where each part ends, counted from the first byte of the state that is not hidden.
    pub ends: Vec<u32>,
    /// Bytes of the state that decide its shape, by offset from its first byte.
    marks: Vec<(u32, u8)>,
    /// Length of the state.
    len: usize,
}

impl Parts {
    /// True if these are the parts of a state.
    #[inline]
    pub fn fit(&self, state: &[u8]) -> bool {
        self.len == state.len() && self.marks.iter().all(|&(at, byte)| state.get(at as usize) == Some(&byte))
    }

    /// Forgets everything; the parts of states of this length, with so many hidden bytes, are to follow.
    pub fn begin(&mut self, len: usize) {
        self.ends.clear();
        self.marks.clear();
        self.len = len;
    }

    /// Adds a part by its end.
    pub fn end(&mut self, at: usize) {
        if self.ends.last() != Some(&(at as u32)) {
            self.ends.push(at as u32);
        }
    }

    /// Says that this byte decides the shape.
    pub fn mark(&mut self, state: &[u8], at: usize) {
        self.marks.push((at as u32, state[at]));
    }
}
