//! The steps of one process: all transitions of its location, each with its successor.

use super::memory::FIXED;
use super::ready::Ways;
use super::{Env, Gen, Making, Sink, Timeout};
use crate::context::{Context, GROW};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockCall, InstBuilder, JumpTableData, Value, types};
use cranelift_frontend::Variable;
use starwheel_model::{Entry, Location, Stmt, TransId, Transition};
use std::mem::{offset_of, size_of};

impl Gen<'_, '_> {
    /// The function that makes the successors of a process.
    pub fn step_function(&mut self, state: Value, frame: Value, pid: Value) {
        let env = self.env(state, frame, pid, Timeout::Step);
        self.with_sink(|g, nothing, done| {
            g.at_location(&env, nothing, |_, _| true, |g, l| g.steps(&env, l, done));
        });
    }

    /// A whole function that makes successors: `what` leaves by the first block if there are none, and by the second
    /// if there may be some.
    pub fn with_sink(&mut self, what: impl FnOnce(&mut Self, Block, Block)) {
        let out = self.load(types::I64, (self.ctx, offset_of!(Context, out) as i32));
        let entry = self.load(types::I64, (self.ctx, offset_of!(Context, entry) as i32));
        let (out, entry, grow) = (self.variable(out), self.variable(entry), self.block());
        self.sink = Some(Sink { out, entry, grow });
        let (nothing, done) = (self.block(), self.block());
        what(self, nothing, done);
        self.at(done);
        self.save_sink();
        self.go(nothing);
        self.at(nothing);
        self.answer(0);
        self.b.set_cold_block(grow);
        self.at(grow);
        self.answer(GROW);
        self.close();
    }

    /// Writes down where the next successor goes.
    pub fn save_sink(&mut self) {
        if let Some(sink) = self.sink {
            let (out, entry) = (self.b.use_var(sink.out), self.b.use_var(sink.entry));
            self.store(out, (self.ctx, offset_of!(Context, out) as i32));
            self.store(entry, (self.ctx, offset_of!(Context, entry) as i32));
        }
    }

    /// The function that says whether a process could move.
    pub fn can_function(&mut self, state: Value, frame: Value, pid: Value, loc: Value) {
        let env = self.env(state, frame, pid, Timeout::Question);
        let env = Env { same_processes: false, ..env };
        let (no, yes) = (self.block(), self.block());
        let asked = self.plan.asked[self.proctype.index()].clone();
        let loc = self.b.ins().ireduce(types::I32, loc);
        self.provided(&env, no);
        self.switch(loc, no, |i, _| asked[i], |g, l| g.any(&env, l, yes, no));
        self.at(yes);
        self.answer(1);
        self.at(no);
        self.answer(0);
        self.close();
    }

    fn provided(&mut self, env: &Env, no: Block) {
        if let Some(e) = &self.model.proctype(self.proctype).provided {
            let go_on = self.block();
            self.branch(env, e, go_on, no);
            self.at(go_on);
        }
    }

    fn at_location(
        &mut self,
        env: &Env,
        otherwise: Block,
        which: impl Fn(usize, &Location) -> bool,
        what: impl FnMut(&mut Self, &Location),
    ) {
        self.provided(env, otherwise);
        let loc = self.u16(env, (env.fp, 2));
        self.switch(loc, otherwise, which, what);
    }

    /// Does something for the location at hand.
    pub fn switch(
        &mut self,
        loc: Value,
        otherwise: Block,
        which: impl Fn(usize, &Location) -> bool,
        mut what: impl FnMut(&mut Self, &Location),
    ) {
        let model = self.model;
        let mut blocks: Vec<(Block, &Location)> = Vec::new();
        let mut table = Vec::new();
        for (i, l) in model.proctype(self.proctype).locs.iter().enumerate() {
            table.push(if !self.plan.reached[self.proctype.index()][i] {
                self.bail
            } else if l.out.is_empty() || !which(i, l) {
                otherwise
            } else if let Some(&(block, _)) = blocks.iter().find(|(_, same)| same.out == l.out) {
                // Many locations have the same transitions, and so the same code.
                block
            } else {
                let block = self.block();
                blocks.push((block, l));
                block
            });
        }
        self.jump_by(loc, &table);
        for (block, l) in blocks {
            self.at(block);
            what(self, l);
        }
    }

    /// Goes to the block with a number; leaves if there is none.
    fn jump_by(&mut self, number: Value, table: &[Block]) {
        let pool = &mut self.b.func.dfg.value_lists;
        let bail = BlockCall::new(self.bail, [], pool);
        let calls: Vec<BlockCall> = table.iter().map(|&block| BlockCall::new(block, [], pool)).collect();
        let table = self.b.create_jump_table(JumpTableData::new(bail, &calls));
        self.b.ins().br_table(number, table);
    }

    /// All steps from one location.
    fn steps(&mut self, env: &Env, loc: &Location, done: Block) {
        let zero = self.i32(0);
        let moved = self.variable(zero);
        for (i, &id) in loc.out.iter().enumerate() {
            let t = self.model.transition(id);
            let send = self.hand_send(&t.stmt).is_some();
            let hand = if send { self.block() } else { self.bail };
            let ways = Ways { yes: self.block(), no: self.block(), hand };
            let before = self.b.use_var(moved);
            self.ready(env, &t.stmt, Some(before), ways);
            if !self.always_hands_over(&t.stmt) {
                self.at(ways.yes);
                self.plain_step(env, id, t, moved);
                self.go(ways.no);
            }
            if send {
                self.at(hand);
                self.handshake(env, id, loc, moved);
                self.go(ways.no);
            }
            self.at(ways.no);
            self.end_of_group(loc, i, moved, done);
        }
        self.go(done);
    }

    /// Behind the last transition of an escape: if one of them could be executed, the others are not looked at.
    pub fn end_of_group(&mut self, loc: &Location, i: usize, moved: Variable, done: Block) {
        let escape = |id: TransId| self.model.transition(id).escape;
        let own = escape(loc.out[i]);
        if own > 0 && loc.out.get(i + 1).is_none_or(|&n| escape(n) != own) {
            let (found, go_on) = (self.b.use_var(moved), self.block());
            self.fork(found, done, go_on);
            self.at(go_on);
        }
    }

    fn plain_step(&mut self, env: &Env, id: TransId, t: &Transition, moved: Variable) {
        if self.model.proctype(self.proctype).deterministic {
            let second = self.b.use_var(moved);
            self.bail_if(second);
        }
        if t.stmt == Stmt::End {
            self.end(env, id);
        } else {
            let len = self.old_len();
            let mut making = self.make(env, len);
            self.body(&mut making, t);
            self.finish(&mut making, t);
            let keeps = self.settle(&making, t);
            let trans = self.i64(i64::from(id.0));
            self.finish_successor(&making, trans, None, keeps);
        }
        let one = self.i32(1);
        self.b.def_var(moved, one);
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
        for &id in &loc.out {
            let t = self.model.transition(id);
            let send = self.hand_send(&t.stmt);
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
    fn end(&mut self, env: &Env, id: TransId) {
        let making = self.make(env, env.frame);
        self.note_last(&making);
        let count = self.count_at(&making.write);
        self.store_byte(env.pid, count);
        let control = self.control_at(&making.write);
        let zero = self.i32(0);
        self.store_byte(zero, control);
        let trans = self.i64(i64::from(id.0));
        self.finish_successor(&making, trans, None, None);
    }

    /// Starts a successor: so many bytes of the old state, ready to be changed.
    pub fn make(&mut self, env: &Env, len: Value) -> Making {
        let Some(sink) = self.sink else {
            self.give_up();
            return Making { read: *env, write: *env, len, new_channels: 0 };
        };
        let out = self.b.use_var(sink.out);
        let limit = self.fixed(types::I64, offset_of!(Context, limit));
        let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, out, limit);
        let room = self.block();
        self.fork(full, sink.grow, room);
        self.at(room);
        self.copy_state(env.state, out, len);
        let write = self.env_in(*env, out);
        Making { read: *env, write, len, new_channels: 0 }
    }

    /// Decides who is in control after a step; the value is one if the process keeps it, and none if it never does.
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
            return Some(self.i32(1));
        }
        let loc = self.i64(i64::from(t.to.0));
        let args = [self.ctx, env.state, env.frame, env.pid, loc, self.ctx];
        let call = self.b.ins().call(self.can, &args);
        let result = self.b.inst_results(call)[0];
        let failed = self.is(IntCC::SignedLessThan, result, 0);
        self.bail_if(failed);
        let keeps = self.b.ins().ireduce(types::I32, result);
        let zero = self.i32(0);
        let name = self.b.ins().select(keeps, name, zero);
        self.store_byte(name, control);
        Some(keeps)
    }

    /// Writes the entry of a successor and makes room for the next.
    pub fn finish_successor(
        &mut self,
        making: &Making,
        trans: Value,
        partner: Option<(Value, Value)>,
        keeps: Option<Value>,
    ) {
        let Some(sink) = self.sink else { return };
        let (out, entry) = (making.write.state, self.b.use_var(sink.entry));
        let base = self.fixed(types::I64, offset_of!(Context, base));
        let start = self.b.ins().isub(out, base);
        let len = self.b.ins().ishl_imm_u(making.len, 32);
        let place = self.b.ins().bor(start, len);
        self.store(place, (entry, offset_of!(Entry, start) as i32));
        let mut who = self.b.ins().uextend(types::I64, making.write.pid);
        let trans = match partner {
            Some((pid, partner)) => {
                let pid = self.b.ins().uextend(types::I64, pid);
                let pid = self.b.ins().ishl_imm_u(pid, 8);
                let pid = self.b.ins().bor_imm_u(pid, i64::from(Entry::HANDSHAKE) << 16);
                who = self.b.ins().bor(who, pid);
                let partner = self.b.ins().ishl_imm_u(partner, 32);
                self.b.ins().bor(trans, partner)
            }
            None => trans,
        };
        self.store(trans, (entry, offset_of!(Entry, trans) as i32));
        if self.model.uses.timeout && !making.write.outside {
            let timeout = self.b.ins().uload32(FIXED, self.ctx, offset_of!(Context, timeout) as i32);
            who = self.b.ins().bor(who, timeout);
        }
        if let Some(keeps) = keeps {
            let bit = i64::from(Entry::TRANSIENT.trailing_zeros()) + 16;
            let keeps = self.b.ins().uextend(types::I64, keeps);
            let keeps = self.b.ins().ishl_imm_u(keeps, bit);
            who = self.b.ins().bor(who, keeps);
        }
        self.store(who, (entry, offset_of!(Entry, pid) as i32));
        let next = self.b.ins().iadd(out, making.len);
        self.b.def_var(sink.out, next);
        let next = self.b.ins().iadd_imm_s(entry, size_of::<Entry>() as i64);
        self.b.def_var(sink.entry, next);
    }
}
