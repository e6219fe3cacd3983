//! States without steps: which of them are valid ends, and what to say about the others.

use super::tables::{self, Chan};
use super::view::World;
use crate::ir::{LocId, Location, Model, Pid, Proctype, ProctypeId, TransId};
use crate::stmt::Stmt;
use crate::{text, time};
use starwheel_system::{Violation, ViolationKind};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Processes that a message describes at most.
const NAMED: usize = 4;

/// The location at which a process type ends.
pub(super) fn final_location(model: &Model, proctype: ProctypeId) -> Option<LocId> {
    let locs = &model.proctype(proctype).locs;
    locs.iter().position(|l| is_final(model, l)).map(|i| LocId(i as u16))
}

fn is_final(model: &Model, loc: &Location) -> bool {
    loc.out.iter().any(|&t| matches!(model.transition(t).stmt, Stmt::End))
}

/// Whether a process may stay at a location for ever.
pub(super) fn valid_end(model: &Model, loc: &Location) -> bool {
    loc.end || is_final(model, loc)
}

/// Messages that are remembered at most.
const REMEMBERED: usize = 1 << 10;

/// Messages about stuck processes, by processes and places: a search may see the same ones a thousand times.
#[derive(Debug, Default)]
pub struct Told {
    known: HashMap<Vec<u64>, String, BuildHasherDefault<Words>>,
    /// By process type and location: whether a process may stay there for ever.
    ends: Vec<Vec<bool>>,
    /// Scratch memory.
    key: Vec<u64>,
    bad: Vec<Pid>,
}

impl Told {
    /// The message about some processes and places, each of them a number.
    fn message(&mut self, places: impl Iterator<Item = u64>, describe: impl FnOnce() -> String) -> String {
        self.key.clear();
        self.key.extend(places);
        if let Some(known) = self.known.get(&self.key) {
            return known.clone();
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.entry(self.key.clone()).or_insert_with(describe).clone()
    }
}

/// A quick hash of a few numbers, which nobody chooses to do harm.
#[derive(Default)]
pub struct Words(u64);

impl Hasher for Words {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|&word| self.write_u64(u64::from_le_bytes(word)));
        rest.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl World<'_> {
    /// What is wrong with this state, given that nothing can happen in it.
    pub fn stuck(self, told: &mut Told) -> Option<Violation> {
        let mut bad = std::mem::take(&mut told.bad);
        self.misplaced(told, &mut bad);
        let violation = match bad.first() {
            Some(&first) => {
                let message = told.message(bad.iter().map(|&p| self.executes(p)), || self.describe(&bad));
                let span = self.place(first).span;
                Some(Violation { kind: ViolationKind::InvalidEndState, message, span, actor: Some(first.into()) })
            }
            None => self.unfinished_trace().or_else(|| self.messages_left()),
        };
        told.bad = bad;
        violation
    }

    /// Lists the processes that must not stay where they are.
    fn misplaced(self, told: &mut Told, bad: &mut Vec<Pid>) {
        if told.ends.is_empty() {
            let ends = |p: &Proctype| p.locs.iter().map(|l| valid_end(self.model, l)).collect();
            told.ends = self.model.proctypes.iter().map(ends).collect();
        }
        bad.clear();
        let ends = &told.ends;
        let may_stay = |&p: &Pid| ends[self.tables.frames[p.index()].proctype.index()][self.location(p).index()];
        bad.extend((0..self.count()).map(|i| Pid(i as u8)).filter(|p| !may_stay(p)));
    }

    /// A process, and what it executes where.
    fn executes(self, pid: Pid) -> u64 {
        let proctype = self.tables.frames[pid.index()].proctype;
        u64::from(pid.0) << 40 | u64::from(proctype.0) << 32 | u64::from(self.location(pid).0)
    }

    /// As in pan, a trace that is not at an end makes an end state invalid.
    fn unfinished_trace(self) -> Option<Violation> {
        let trace = self.model.trace.as_ref()?;
        let proctype = self.model.proctype(trace.proctype);
        let loc = &proctype.locs[tables::trace_location(self.model, self.state).index()];
        if self.count() == 0 || valid_end(self.model, loc) {
            return None;
        }
        let message = "the system has come to its end, but the trace has not".into();
        Some(Violation { kind: ViolationKind::InvalidEndState, message, span: loc.span, actor: None })
    }

    /// If that is asked for, an end with messages in channels is invalid, too.
    fn messages_left(self) -> Option<Violation> {
        let holds = |c: &&Chan| self.model.channel(c.kind).capacity > 0 && tables::messages(self.state, **c) > 0;
        let full = self.tables.channels.iter().filter(|_| self.model.empty_ends).find(holds)?;
        let full = self.model.channel(full.kind);
        let message = format!("the system has come to its end, but the channel `{}` is not empty", full.name);
        Some(Violation { kind: ViolationKind::InvalidEndState, message, span: full.span, actor: None })
    }

    fn describe(self, bad: &[Pid]) -> String {
        let mut parts: Vec<String> = bad.iter().take(NAMED).map(|&p| self.describe_one(p)).collect();
        if bad.len() > NAMED {
            parts.push(format!("{} more are stuck, too", bad.len() - NAMED));
        }
        format!("nothing can happen any more, but not all processes are at a valid end: {}", parts.join("; "))
    }

    fn describe_one(self, pid: Pid) -> String {
        let name = &self.model.proctype(self.tables.frames[pid.index()].proctype).name;
        let stmt = |t: &TransId| format!("`{}`", text::stmt(self.model, &self.model.transition(*t).stmt));
        let waits: Vec<_> = self.place(pid).out.iter().map(stmt).collect();
        match waits.is_empty() {
            true => format!("process {} ({name}) can never go on", pid.0),
            false => format!("process {} ({name}) waits at {}{}", pid.0, waits.join(" or "), self.timers_off(pid)),
        }
    }

    /// The timers whose expiry a process waits for in vain: nothing can happen any more, so none runs.
    fn timers_off(self, pid: Pid) -> String {
        let mut names: Vec<String> = Vec::new();
        for &t in &self.place(pid).out {
            self.model.transition(t).stmt.walk(&mut |e| {
                let timer = time::expired(e).map(|place| format!("`{}`", text::place(self.model, place)));
                names.extend(timer.filter(|name| !names.contains(name)));
            });
        }
        match names.len() {
            0 => String::new(),
            1 => format!(", but {} is not running", names[0]),
            _ => format!(", but {} are not running", names.join(" and ")),
        }
    }
}

impl<'a> World<'a> {
    /// The location of a process.
    fn place(self, pid: Pid) -> &'a Location {
        let proctype = self.tables.frames[pid.index()].proctype;
        &self.model.proctype(proctype).locs[self.location(pid).index()]
    }
}
