//! The steps of one process: all transitions of its location, each with its successor.

use super::learned::sole_guard;
use super::ready::Ways;
use super::{Env, Gen, Making, Timeout};
use crate::context::{Context, Help};
use crate::help::TO;
use crate::plan::{always, changes_processes};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Switch;
use starwheel_model::{Entry, LocId, Location, Stmt, TransId, Transition};
use std::mem::{offset_of, size_of};

impl Gen<'_, '_> {
    /// The function that makes the successors of a process at a location.
    pub fn step_function(&mut self, state: Value, frame: Value, pid: Value, loc: LocId) {
        let env = self.env(state, frame, pid, Timeout::Step);
        let (done, model) = (self.block(), self.model);
        self.provided(&env, done);
        self.steps(&env, &model.proctype(self.proctype).locs[loc.index()], done);
        self.at(done);
        self.answer(0);
        self.close();
    }

    /// The function that says whether a process could move.
    pub fn can_function(&mut self, state: Value, frame: Value, pid: Value, loc: Value) {
        let env = self.env(state, frame, pid, Timeout::Question);
        let env = Env { same_processes: false, ..env };
        let (no, yes) = (self.block(), self.block());
        let asked = self.plan.asked[self.proctype.index()].clone();
        let loc = self.b.ins().ireduce(types::I32, loc);
        self.provided(&env, no);
        self.switch(loc, None, no, |i, _| asked[i], |g, l| g.any(&env, l, yes, no));
        self.at(yes);
        self.answer(1);
        self.at(no);
        self.answer(0);
        self.close();
    }

    pub fn provided(&mut self, env: &Env, no: Block) {
        if let Some(e) = &self.model.proctype(self.proctype).provided {
            let go_on = self.block();
            self.branch(env, e, go_on, no);
            self.at(go_on);
        }
    }

    /// Does something for the location at hand, if it is one of those that matter; goes to `idle` from the others that can
    /// be, and `otherwise` from the rest.
    pub fn switch(
        &mut self,
        loc: Value,
        idle: Option<Block>,
        otherwise: Block,
        which: impl Fn(usize, &Location) -> bool,
        mut what: impl FnMut(&mut Self, &Location),
    ) {
        let (model, plan) = (self.model, self.plan);
        let mut blocks: Vec<(Block, &Location)> = Vec::new();
        let mut switch = Switch::new();
        let reached = plan.reached[self.proctype.index()].iter();
        for (i, (l, _)) in model.proctype(self.proctype).locs.iter().zip(reached).enumerate().filter(|(_, (_, r))| **r)
        {
            // Many locations have the same transitions, and so the same code.
            let block = match blocks.iter().find(|(_, same)| same.out == l.out) {
                _ if l.out.is_empty() || !which(i, l) => match idle {
                    Some(idle) => idle,
                    None => continue,
                },
                Some(&(block, _)) => block,
                None => {
                    let block = self.block();
                    blocks.push((block, l));
                    block
                }
            };
            switch.set_entry(i as u128, block);
        }
        switch.emit(&mut self.b, loc, otherwise);
        for (block, l) in blocks {
            self.at(block);
            what(self, l);
        }
    }

    /// All steps from one location.
    pub fn steps(&mut self, env: &Env, loc: &Location, done: Block) {
        self.preload(env, loc);
        let start = self.first_entry(loc);
        let several = start.filter(|_| self.model.proctype(self.proctype).deterministic);
        let end = if several.is_some() { self.block() } else { done };
        for (i, &id) in loc.out.iter().enumerate() {
            let t = self.model.transition(id);
            if always(&t.stmt) && !is_else(&t.stmt) {
                self.plain_step(env, id, t);
            } else {
                self.step_if_ready(env, id, loc, start.filter(|_| i > 0));
            }
            self.end_of_group(loc, i, start, end);
        }
        self.forget_all();
        self.go(end);
        if let Some(start) = several {
            self.at(end);
            let entry = self.entry();
            let bytes = self.b.ins().isub(entry, start);
            let several = self.is(IntCC::UnsignedGreaterThan, bytes, size_of::<Entry>() as i64);
            self.bail_if(several);
            self.go(done);
        }
    }

    /// The entry that comes next, if a location's later transitions ask whether there were earlier ones.
    pub fn first_entry(&mut self, loc: &Location) -> Option<Value> {
        let asks = |&id: &TransId| {
            let t = self.model.transition(id);
            t.escape > 0 || is_else(&t.stmt)
        };
        let several = loc.out.len() > 1 && self.model.proctype(self.proctype).deterministic;
        (several || loc.out.iter().any(asks)).then(|| self.entry())
    }

    /// Where the next entry goes.
    pub fn entry(&mut self) -> Value {
        if let Some(cursor) = self.cursor {
            return self.b.use_var(cursor.entry);
        }
        self.load(types::I64, (self.ctx, offset_of!(Context, entry) as i32))
    }

    /// Whether there has been a successor since an entry.
    pub fn moved(&mut self, start: Value) -> Value {
        let entry = self.entry();
        self.b.ins().icmp(IntCC::NotEqual, entry, start)
    }

    fn step_if_ready(&mut self, env: &Env, id: TransId, loc: &Location, start: Option<Value>) {
        let t = self.model.transition(id);
        if self.plan.only_accepts(self.proctype, &t.stmt) {
            return;
        }
        let (send, always) = (self.hand_send(&t.stmt).is_some(), self.always_hands_over(&t.stmt));
        let no = self.block();
        if always {
            self.handshake(env, id, loc, no);
            self.go(no);
            return self.at(no);
        }
        let hand = if send { self.block() } else { self.bail };
        let ways = Ways { yes: self.block(), no, hand };
        let before = self.knowledge();
        self.ready(env, &t.stmt, start, ways);
        let guard = sole_guard(&t.stmt);
        let sure = if guard.is_some() { self.knowledge() } else { before };
        self.forget(sure);
        self.at(ways.yes);
        guard.into_iter().for_each(|e| self.assume(env, e));
        self.plain_step(env, id, t);
        self.forget(sure);
        self.go(ways.no);
        if send {
            self.at(hand);
            self.handshake(env, id, loc, ways.no);
            self.go(ways.no);
        }
        self.at(ways.no);
    }

    /// Behind the last transition of an escape: if one of them could be executed, the others are not looked at.
    pub fn end_of_group(&mut self, loc: &Location, i: usize, start: Option<Value>, done: Block) {
        let escape = |id: TransId| self.model.transition(id).escape;
        let own = escape(loc.out[i]);
        if own > 0
            && loc.out.get(i + 1).is_none_or(|&n| escape(n) != own)
            && let Some(start) = start
        {
            let (found, go_on) = (self.moved(start), self.block());
            self.fork(found, done, go_on);
            self.at(go_on);
        }
    }

    fn plain_step(&mut self, env: &Env, id: TransId, t: &Transition) {
        if self.plan.settled && changes_processes(self.model, &t.stmt) {
            // The successor is none of the states that this code is made for.
            return self.give_up();
        }
        if t.stmt == Stmt::End {
            return self.end(env, id, t);
        }
        let keeps = if t.atomic { self.plan.keeps_control(self.proctype, t.to) } else { Some(false) };
        let mut making = self.make(env, id, t);
        if keeps == Some(true) {
            self.help(offset_of!(Help, keep), &[self.ctx, making.write.state]);
        }
        self.body(&mut making, t);
        self.finish(&mut making, t);
        if let Some(len) = making.len {
            self.help(offset_of!(Help, resize), &[self.ctx, len]);
        }
        if keeps.is_none() {
            let failed = self.help(offset_of!(Help, settle), &[self.ctx, making.write.state]);
            self.bail_if(failed);
        }
    }

    /// The send of a transition, if it may hand its message over at once.
    fn hand_send<'s>(&self, stmt: &'s Stmt) -> Option<&'s Stmt> {
        match stmt {
            Stmt::Chain(list) => list.first().and_then(|s| self.hand_send(s)),
            Stmt::Send { channel, .. } => self.plan.may_hand_over(self.proctype, channel).then_some(stmt),
            _ => None,
        }
    }

    /// True if a transition starts with a send that finds no slot anywhere.
    fn always_hands_over(&self, stmt: &Stmt) -> bool {
        let Some(Stmt::Send { channel, .. }) = self.hand_send(stmt) else { return false };
        self.plan.candidates(self.proctype, channel).iter().all(|&s| self.plan.shapes[s].capacity == 0)
    }

    /// Whether some transition of a location can be executed.
    fn any(&mut self, env: &Env, loc: &Location, yes: Block, no: Block) {
        self.forget_all();
        for &id in &loc.out {
            let t = self.model.transition(id);
            if self.plan.only_accepts(self.proctype, &t.stmt) {
                continue;
            }
            let send = self.hand_send(&t.stmt);
            if let Some(send) = send.filter(|_| self.always_hands_over(&t.stmt)) {
                if loc.out.len() == 1 {
                    let answer = self.ask(env, send);
                    self.b.ins().return_(&[answer]);
                    return;
                }
                let next = self.block();
                self.somebody_takes(env, send, yes, next);
                self.at(next);
                continue;
            }
            let hand = if send.is_some() { self.block() } else { self.bail };
            let ways = Ways { yes, no: self.block(), hand };
            self.ready(env, &t.stmt, None, ways);
            if let Some(send) = send {
                self.at(hand);
                self.somebody_takes(env, send, yes, ways.no);
            }
            self.at(ways.no);
        }
        self.go(no);
    }

    /// The youngest process dies.
    fn end(&mut self, env: &Env, id: TransId, t: &Transition) {
        let making = self.make(env, id, t);
        self.note_last(&making);
        let count = self.count_at(&making.write);
        self.store_byte(env.pid, count);
        self.help(offset_of!(Help, resize), &[self.ctx, env.frame]);
    }

    /// What [`crate::help::begin`] has to know of a transition.
    pub fn how(&mut self, id: TransId, t: &Transition) -> Value {
        self.i64(i64::from(id.0) | i64::from(t.to.0) << TO)
    }

    /// Starts the successor of a transition: the old state, except that the process has gone on.
    pub fn make(&mut self, env: &Env, id: TransId, t: &Transition) -> Making {
        self.make_one(env, id, t, true)
    }

    /// The same, perhaps one of several successors of the transition.
    pub fn make_one(&mut self, env: &Env, id: TransId, t: &Transition, once: bool) -> Making {
        let out = self.begin(env, id, t, once);
        let write = self.env_in(*env, out);
        if !env.outside && self.plan.asks_where(&t.stmt) {
            // Not yet: statements may ask where the process is.
            let old = self.u16(env, (env.fp, 2));
            self.store_u16(old, (write.fp, 2));
        }
        Making { read: *env, write, len: None, new_channels: 0 }
    }

    /// Not zero if a process that has taken an atomic step can go on.
    fn goes_on(&mut self, env: &Env, t: &Transition) -> Value {
        let Some(can) = self.can else {
            self.give_up();
            return self.i64(0);
        };
        let loc = self.i64(i64::from(t.to.0));
        let call = self.b.ins().call(can, &[self.ctx, env.state, env.frame, env.pid, loc, self.ctx]);
        let result = self.b.inst_results(call)[0];
        let failed = self.is(IntCC::SignedLessThan, result, 0);
        self.bail_if(failed);
        result
    }

    /// Decides whether the receiver of a message is in control afterwards; the value is one if it keeps control, and none
    /// if it never does.
    pub fn settle(&mut self, making: &Making, t: &Transition) -> Option<Value> {
        let env = making.write;
        let control = self.control_at(&env);
        let known = if t.atomic { self.plan.keeps_control(self.proctype, t.to) } else { Some(false) };
        if known == Some(false) {
            let zero = self.i32(0);
            self.store_byte(zero, control);
            return None;
        }
        let name = self.b.ins().iadd_imm_s(env.pid, 1);
        if known == Some(true) {
            self.store_byte(name, control);
            return Some(self.i64(1));
        }
        let keeps = self.goes_on(&env, t);
        let zero = self.i32(0);
        let name = self.b.ins().select(keeps, name, zero);
        self.store_byte(name, control);
        Some(keeps)
    }
}

/// True if a transition is taken only if no earlier one can be.
pub(super) fn is_else(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Else => true,
        Stmt::Chain(list) => list.first().is_some_and(is_else),
        Stmt::DStep(d) => matches!(d.locs.first().map(|l| &l[..]), Some([only]) if matches!(only.stmt, Stmt::Else)),
        _ => false,
    }
}
