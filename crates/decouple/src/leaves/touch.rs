//! Which bytes of the center matter to a process in a given frame: what its next steps may read or write there.
//!
//! Exact for plain statements, whose indices the frame fixes (`level[q]` with a local `q` is one byte); for atomic
//! sequences, `d_step`, merged steps and channels it is what the footprints say. More than needed is never wrong: it only
//! makes the memory of earlier results less useful.

use crate::topology::decompose::Decomposition;
use crate::topology::shape::Shape;
use starwheel_model::expr::Run;
use starwheel_model::footprint::{self, Bytes, Footprint, Ops, Special};
use starwheel_model::touch::{Account, Deal, Question, Resolver, Touched};
use starwheel_model::{Expr, Interp, Location, Model, Pid, Place, Region, Stmt, TransId};

/// A set of bytes of a center.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mask {
    bits: Vec<u64>,
    /// The same as a list, in order.
    pub offsets: Vec<u32>,
}

/// What matters to a frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Touch {
    /// To its leaf steps.
    pub leaf: Mask,
    /// To all its steps.
    pub all: Mask,
}

impl Mask {
    fn from_bits(bits: Vec<u64>) -> Mask {
        let ones =
            |(i, &word): (usize, &u64)| (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| (i * 64 + b) as u32);
        Mask { offsets: bits.iter().enumerate().flat_map(ones).collect(), bits }
    }

    /// True if the byte is in it.
    #[inline]
    pub fn has(&self, offset: u32) -> bool {
        self.bits.get(offset as usize / 64).is_some_and(|word| word >> (offset % 64) & 1 == 1)
    }

    /// True if all bytes of the other are in it.
    pub fn covers(&self, other: &Mask) -> bool {
        other.offsets.iter().all(|&o| self.has(o))
    }

    /// All bytes of many.
    pub fn union<'a>(all: impl Iterator<Item = &'a Mask>) -> Mask {
        let mut bits = Vec::new();
        for mask in all {
            if bits.len() < mask.bits.len() {
                bits.resize(mask.bits.len(), 0);
            }
            bits.iter_mut().zip(&mask.bits).for_each(|(b, m)| *b |= m);
        }
        Mask::from_bits(bits)
    }
}

/// What matters to a process; `state` has its frame, whatever the center.
pub fn touch(interp: &mut Interp<'_>, parts: &Decomposition, shape: &Shape, state: &[u8], pid: Pid) -> Touch {
    let model = interp.model();
    let proctype = model.proctype(shape.types[pid.index()]);
    let frame = shape.frame(state, pid);
    let number = u16::from_le_bytes([frame[2], frame[3]]);
    let loc = &proctype.locs[number as usize];
    let mut leaf = Collector::new(interp, parts, shape, state, pid);
    let competes = competition(model, loc);
    let home = loc.out.iter().any(|&t| parts.is_leaf_step(t));
    for &t in loc.out.iter().filter(|&&t| home && (competes || parts.is_leaf_step(t))) {
        leaf.transition(t);
    }
    if home && let Some(e) = &proctype.provided {
        leaf.read(e);
    }
    let leaf = Mask::from_bits(leaf.bits);
    let mut all = Collector::new(interp, parts, shape, state, pid);
    loc.out.iter().for_each(|&t| all.transition(t));
    proctype.provided.iter().for_each(|e| all.read(e));
    Touch { leaf, all: Mask::from_bits(all.bits) }
}

/// True if some steps of a location depend on whether others are possible.
fn competition(model: &Model, loc: &Location) -> bool {
    let dependent = |&t: &TransId| {
        let t = model.transition(t);
        let mut found = t.escape > 0;
        t.stmt.walk_stmts(&mut |s| found |= matches!(s, Stmt::Else));
        found
    };
    loc.out.iter().any(dependent)
}

struct Collector<'a, 'm> {
    interp: &'a mut Interp<'m>,
    parts: &'a Decomposition,
    shape: &'a Shape,
    state: &'a [u8],
    pid: Pid,
    bits: Vec<u64>,
}

impl<'a, 'm> Collector<'a, 'm> {
    fn new(
        interp: &'a mut Interp<'m>,
        parts: &'a Decomposition,
        shape: &'a Shape,
        state: &'a [u8],
        pid: Pid,
    ) -> Collector<'a, 'm> {
        Collector { interp, parts, shape, state, pid, bits: vec![0; shape.center.div_ceil(64)] }
    }

    fn add(&mut self, from: usize, to: usize) {
        (from..to.min(self.shape.center)).for_each(|i| self.bits[i / 64] |= 1 << (i % 64));
    }

    fn transition(&mut self, id: TransId) {
        let model = self.interp.model();
        let t = model.transition(id);
        if t.atomic {
            // What comes after depends on what is read, so all that may come after counts.
            for t in chain(model, id) {
                self.footprint(t);
            }
            return;
        }
        if self.parts.footprints[id.index()].writes.special.meets(Special::PROCESSES) {
            return self.life(&t.stmt);
        }
        match &t.stmt {
            Stmt::Send { .. } | Stmt::Receive { .. } | Stmt::DStep(_) | Stmt::Chain(_) => self.footprint(id),
            stmt => self.exactly(|account| account.statement(stmt)),
        }
    }

    /// What something touches of the globals, if the frame says which elements are meant.
    fn exactly(&mut self, what: impl FnOnce(&mut Account<'m, OneFrame<'_, 'm>>)) {
        let model = self.interp.model();
        let frame = OneFrame { interp: self.interp, state: self.state, pid: self.pid, everything: false };
        let mut account = Account::new(model, self.shape.types[self.pid.index()], frame);
        what(&mut account);
        if account.resolver.everything {
            return self.add(0, self.shape.center);
        }
        let Touched { tests, mut reads, writes } = account.touched;
        reads.join(&tests);
        reads.join(&writes);
        self.globals(&reads);
    }

    fn globals(&mut self, touch: &footprint::Touch) {
        let globals = self.shape.globals();
        for (from, to) in touch.globals.iter() {
            self.add(globals + from as usize, globals + to as usize);
        }
    }

    /// A step that starts or ends a process changes the shape, so everything counts. Only the youngest process ends.
    fn life(&mut self, stmt: &Stmt) {
        if *stmt != Stmt::End || self.pid.index() + 1 == self.shape.count() {
            self.add(0, self.shape.center);
        }
    }

    fn footprint(&mut self, id: TransId) {
        let model = self.interp.model();
        let f = &self.parts.footprints[id.index()];
        let traced = model.trace.is_some() && f.writes.special.meets(Special::TRACE);
        if traced || f.writes.special.meets(Special::PROCESSES) {
            return self.add(0, self.shape.center);
        }
        for touch in [&f.tests, &f.reads, &f.writes] {
            self.globals(touch);
        }
        self.channels(f);
    }

    fn channels(&mut self, f: &Footprint) {
        let shape = self.shape;
        for &(id, at, len) in &shape.channels {
            let known = f.channels.known.iter().any(|&(c, _)| c == id);
            if known || f.channels.any != Ops::default() {
                self.add(at, at + len);
            }
        }
    }

    fn read(&mut self, e: &Expr) {
        self.exactly(|account| account.value(e));
    }
}

/// A process whose frame is known, and nothing else.
struct OneFrame<'a, 'm> {
    interp: &'a mut Interp<'m>,
    state: &'a [u8],
    pid: Pid,
    /// More than globals matters: questions about channels and the like.
    everything: bool,
}

impl Resolver for OneFrame<'_, '_> {
    fn piece(&mut self, place: &Place, count: u32) -> Bytes {
        let mut breaks = false;
        let OneFrame { interp, state, pid, .. } = self;
        let found = place.piece(count, |dim| {
            let value = (!dim.index.any(depends)).then(|| interp.evaluate_for(state, *pid, &dim.index))?;
            let inside = value.ok().filter(|&i| i >= 0 && (i as u32) < dim.len);
            breaks |= inside.is_none();
            inside
        });
        // The step breaks, whatever the center is.
        if breaks { (0, 0) } else { found }
    }

    fn remote(&mut self, place: &Place) -> Bytes {
        place.widest(1)
    }

    fn asks(&mut self, _touched: &mut Touched, question: Question) {
        self.everything |= !matches!(question, Question::Count | Question::Timeout);
    }

    fn channel(&mut self, _touched: &mut Touched, _channel: &Expr, _deal: Deal) {
        self.everything = true;
    }

    fn starts(&mut self, _touched: &mut Touched, _run: &Run) {
        self.everything = true;
    }

    fn ends(&mut self, _touched: &mut Touched) {
        self.everything = true;
    }

    fn sets_priority(&mut self, _touched: &mut Touched) {
        self.everything = true;
    }
}

/// True if the value of an expression may depend on the center.
fn depends(e: &Expr) -> bool {
    match e {
        Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => false,
        Expr::Load(place) => place.region != Region::Local,
        _ => true,
    }
}

/// A transition and all that may follow it inside its atomic sequence.
fn chain(model: &Model, start: TransId) -> Vec<TransId> {
    let mut list = vec![start];
    let mut next = 0;
    while let Some(&id) = list.get(next) {
        next += 1;
        let t = model.transition(id);
        if !t.atomic {
            continue;
        }
        for &after in &model.proctype(t.proctype).locs[t.to.index()].out {
            if !list.contains(&after) {
                list.push(after);
            }
        }
    }
    list
}

#[cfg(test)]
mod tests;
