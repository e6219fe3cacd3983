//! Takes states apart and puts them together: a *shape* is the list of process types, which fixes where everything lies;
//! the *center* is a state without its hidden part and without the frames of its processes.

use rapidhash::RapidHashMap;
use starwheel_model::layout::HEADER;
use starwheel_model::{ChanId, Model, Pid, ProctypeId};

/// A shape: index into [`Shapes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

/// Where everything lies in the states of one shape.
#[derive(Debug)]
pub struct Shape {
    /// The types of the processes.
    pub types: Vec<ProctypeId>,
    /// The bytes of a whole state.
    pub full: usize,
    /// The bytes of a center.
    pub center: usize,
    /// By process: where its frame lies in a state.
    frames: Vec<(usize, usize)>,
    /// The pieces of a center: where they lie in a state, and their bytes.
    pieces: Vec<(usize, usize)>,
    /// By channel: its declaration, and where it lies in a center.
    pub channels: Vec<(ChanId, usize, usize)>,
}

/// All shapes that were seen.
#[derive(Debug)]
pub struct Shapes<'m> {
    model: &'m Model,
    all: Vec<Shape>,
    index: RapidHashMap<Vec<u8>, ShapeId>,
}

impl<'m> Shapes<'m> {
    /// No shape yet.
    pub fn new(model: &'m Model) -> Shapes<'m> {
        Shapes { model, all: Vec::new(), index: RapidHashMap::default() }
    }

    /// A shape.
    pub fn get(&self, id: ShapeId) -> &Shape {
        &self.all[id.0 as usize]
    }

    /// The shape of a state.
    pub fn of(&mut self, state: &[u8]) -> ShapeId {
        let layout = &self.model.layout;
        let count = state[layout.header() as usize];
        let mut at = layout.processes as usize;
        let mut types = Vec::new();
        for _ in 0..count {
            types.push(state[at]);
            at += layout.frames[state[at] as usize].total as usize;
        }
        self.with_types(&types)
    }

    /// The shape with processes of these types.
    pub fn with_types(&mut self, types: &[u8]) -> ShapeId {
        if let Some(&id) = self.index.get(types) {
            return id;
        }
        let id = ShapeId(self.all.len() as u32);
        self.all.push(Shape::new(self.model, types));
        self.index.insert(types.to_vec(), id);
        id
    }
}

impl Shape {
    fn new(model: &Model, types: &[u8]) -> Shape {
        let layout = &model.layout;
        let (hidden, mut at) = (layout.hidden as usize, layout.processes as usize);
        let mut shape = Shape {
            types: types.iter().map(|&t| ProctypeId(t)).collect(),
            full: 0,
            center: at - hidden,
            frames: Vec::new(),
            pieces: vec![(hidden, at - hidden)],
            channels: Vec::new(),
        };
        let size = |c: ChanId| layout.channels[c.index()].size as usize;
        for (c, &start) in model.global_channels.iter().zip(&layout.global_channels) {
            shape.channels.push((c.channel, start as usize - hidden, size(c.channel)));
        }
        for &t in types {
            let (frame, proctype) = (&layout.frames[t as usize], &model.proctypes[t as usize]);
            let bytes = frame.frame as usize;
            shape.frames.push((at, bytes));
            let rest = (frame.total - frame.frame) as usize;
            for (c, &start) in proctype.channels.iter().zip(&frame.channels) {
                shape.channels.push((c.channel, shape.center + start as usize - bytes, size(c.channel)));
            }
            if rest > 0 {
                shape.pieces.push((at + bytes, rest));
                shape.center += rest;
            }
            at += frame.total as usize;
        }
        shape.full = at;
        shape
    }

    /// The number of processes.
    pub fn count(&self) -> usize {
        self.types.len()
    }

    /// Where the globals start in a center.
    pub fn globals(&self) -> usize {
        HEADER as usize
    }

    /// Where a process's frame lies in a state.
    pub fn place(&self, pid: Pid) -> std::ops::Range<usize> {
        let (at, len) = self.frames[pid.index()];
        at..at + len
    }

    /// The bytes of a process's frame in a state.
    pub fn frame<'s>(&self, state: &'s [u8], pid: Pid) -> &'s [u8] {
        let (at, len) = self.frames[pid.index()];
        &state[at..at + len]
    }

    /// Puts a frame into a state.
    pub fn put(&self, state: &mut [u8], pid: Pid, frame: &[u8]) {
        let (at, len) = self.frames[pid.index()];
        state[at..at + len].copy_from_slice(frame);
    }

    /// Makes a state of a center. All frames are empty but for their types.
    pub fn compose(&self, center: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.resize(self.full, 0);
        let mut from = 0;
        for &(at, len) in &self.pieces {
            out[at..at + len].copy_from_slice(&center[from..from + len]);
            from += len;
        }
        for (&(at, _), t) in self.frames.iter().zip(&self.types) {
            out[at] = t.0;
        }
    }

    /// The center of a state.
    pub fn center(&self, state: &[u8], out: &mut Vec<u8>) {
        out.clear();
        for &(at, len) in &self.pieces {
            out.extend_from_slice(&state[at..at + len]);
        }
    }
}
