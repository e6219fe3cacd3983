//! The stack of a depth-first search by names: the states on the way, and the successors of each that still wait.

use crate::method::cndfs::graph_view::{Progress, Route, Successors};
use starwheel_store::StateRef;

/// The stack.
#[derive(Debug, Default)]
pub struct Stack {
    frames: Vec<Frame>,
    /// The waiting successors of all frames; the next one of a frame is its last.
    waiting: Vec<StateRef>,
    /// The hidden bytes of frames and of waiting successors, `width` of them each.
    own: Vec<u8>,
    hidden: Vec<u8>,
    width: usize,
}

/// A state on the way.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Its name.
    pub name: StateRef,
    /// Where its waiting successors start.
    start: usize,
    /// The number of its successors.
    pub edges: u32,
    /// Steps between it and its successors into transient states.
    pub atomic_steps: u32,
    /// Steps of the clock among them.
    pub ticks: u32,
    /// It is accepting.
    pub accepting: bool,
    /// All successors so far are red.
    pub all_red: bool,
}

impl Stack {
    /// An empty stack of states with so many hidden bytes.
    pub fn new(width: usize) -> Stack {
        Stack { width, ..Stack::default() }
    }

    /// The number of states on the way.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// How far the search is that uses it.
    pub fn progress(&self) -> Progress {
        Progress { depth: self.frames.len() as u64, waiting: self.waiting.len() as u64 }
    }

    /// Enters a state; its successors follow by [`Stack::wait`].
    pub fn push(&mut self, name: StateRef, hidden: &[u8]) {
        let start = self.waiting.len();
        self.frames.push(Frame { name, start, edges: 0, atomic_steps: 0, ticks: 0, accepting: false, all_red: true });
        self.own.extend_from_slice(hidden);
    }

    /// Adds successors of the topmost state, the last one first: the numbers of those that wait are given.
    pub fn wait(&mut self, all: &Successors, numbers: &[u32]) {
        for &number in numbers.iter().rev() {
            let number = number as usize;
            self.waiting.push(all.names[number]);
            self.hidden.extend_from_slice(&all.hidden[number * self.width..][..self.width]);
        }
    }

    /// The next successor of the topmost state, and its hidden bytes are put in a buffer.
    pub fn take(&mut self, hidden: &mut Vec<u8>) -> Option<StateRef> {
        if self.frames.last()?.start == self.waiting.len() {
            return None;
        }
        hidden.clear();
        let at = self.hidden.len() - self.width;
        hidden.extend_from_slice(&self.hidden[at..]);
        self.hidden.truncate(at);
        self.waiting.pop()
    }

    /// The topmost state.
    pub fn top(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// Leaves the topmost state.
    pub fn pop(&mut self) {
        self.frames.pop();
        self.own.truncate(self.frames.len() * self.width);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.waiting.clear();
        self.own.clear();
        self.hidden.clear();
    }

    /// The hidden bytes of the topmost state.
    pub fn top_hidden(&self) -> &[u8] {
        &self.own[self.own.len() - self.width..]
    }

    /// The edges that were taken from states that are still on the way.
    pub fn taken(&self) -> u64 {
        let edges: u64 = self.frames.iter().map(|frame| u64::from(frame.edges)).sum();
        edges.saturating_sub(self.waiting.len() as u64)
    }

    /// The states on the way.
    pub fn route(&self) -> Route {
        let hidden = |place: usize| self.own[place * self.width..][..self.width].to_vec();
        self.frames.iter().enumerate().map(|(place, frame)| (frame.name, hidden(place))).collect()
    }

    /// The place of a state on the way.
    pub fn position(&self, name: StateRef) -> Option<usize> {
        self.frames.iter().position(|frame| frame.name == name)
    }
}
