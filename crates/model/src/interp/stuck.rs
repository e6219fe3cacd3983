//! States without steps: which of them are valid ends, and what to say about the others.

use super::tables::{self, Chan};
use super::view::World;
use crate::ir::{LocId, Location, Model, Pid, ProctypeId, TransId};
use crate::stmt::Stmt;
use crate::system::{Violation, ViolationKind};
use crate::text;
use std::collections::HashMap;

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
pub struct Told(HashMap<Vec<(Pid, ProctypeId, LocId)>, String>);

impl Told {
    fn message(&mut self, places: Vec<(Pid, ProctypeId, LocId)>, describe: impl FnOnce() -> String) -> String {
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        self.0.entry(places).or_insert_with(describe).clone()
    }
}

impl World<'_> {
    /// What is wrong with this state, given that nothing can happen in it.
    pub fn stuck(self, told: &mut Told) -> Option<Violation> {
        let bad: Vec<Pid> =
            (0..self.count()).map(|i| Pid(i as u8)).filter(|&p| !valid_end(self.model, self.place(p))).collect();
        match bad.first() {
            Some(&first) => {
                let message = told.message(self.places(&bad), || self.describe(&bad));
                let span = self.place(first).span;
                Some(Violation { kind: ViolationKind::InvalidEndState, message, span, pid: Some(first) })
            }
            None => self.unfinished_trace().or_else(|| self.messages_left()),
        }
    }

    /// The processes, and what each of them executes where.
    fn places(self, pids: &[Pid]) -> Vec<(Pid, ProctypeId, LocId)> {
        let place = |&pid: &Pid| (pid, self.tables.frames[pid.index()].proctype, self.location(pid));
        pids.iter().map(place).collect()
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
        Some(Violation { kind: ViolationKind::InvalidEndState, message, span: loc.span, pid: None })
    }

    /// If that is asked for, an end with messages in channels is invalid, too.
    fn messages_left(self) -> Option<Violation> {
        let holds = |c: &&Chan| self.model.channel(c.kind).capacity > 0 && tables::messages(self.state, **c) > 0;
        let full = self.tables.channels.iter().filter(|_| self.model.empty_ends).find(holds)?;
        let full = self.model.channel(full.kind);
        let message = format!("the system has come to its end, but the channel `{}` is not empty", full.name);
        Some(Violation { kind: ViolationKind::InvalidEndState, message, span: full.span, pid: None })
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
            false => format!("process {} ({name}) waits at {}", pid.0, waits.join(" or ")),
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
