//! The steps of several processes whose places are fixed, one process after the other.

use super::{Cursor, Gen, Timeout};
use crate::context::{Context, Frame};
use crate::group::Member;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use starwheel_model::Location;
use std::mem::{offset_of, size_of};

impl Gen<'_, '_> {
    /// The function that makes the successors of a group of processes; `control` is the name of the one that is in control,
    /// or zero.
    pub fn group_function(&mut self, state: Value, control: Value, number: usize) {
        let group = &self.plan.groups[number];
        self.unless_unsettled(state, number);
        for &member in group {
            let next = self.block();
            self.unless_other_in_control(control, member, next);
            self.member_steps(state, member, next);
            self.at(next);
        }
        self.answer(0);
        self.close();
    }

    /// The same where nobody else writes successors; the first one goes where `cursor` says.
    pub fn plain_function(&mut self, state: Value, cursor: [Value; 3], number: usize) {
        let group = &self.plan.groups[number];
        self.unless_unsettled(state, number);
        let [out, entry, place] = cursor.map(|value| self.variable(value));
        self.cursor = Some(Cursor { out, entry, place });
        for &member in group {
            let next = self.block();
            self.member_steps(state, member, next);
            self.at(next);
        }
        let entry = self.b.use_var(entry);
        self.store(entry, (self.ctx, offset_of!(Context, entry) as i32));
        let out = self.b.use_var(out);
        self.b.ins().return_(&[out]);
        self.close();
    }

    /// Leaves if the state is one that the code of a settled list of processes is not made for; the first function looks for all.
    fn unless_unsettled(&mut self, state: Value, number: usize) {
        if !self.plan.settled || number > 0 {
            return;
        }
        let (model, plan) = (self.model, self.plan);
        let header = model.layout.header() as i32;
        // How many processes there are, and, where nobody ever is in control, that nobody is.
        let ty = if plan.atomic { types::I8 } else { types::I16 };
        let count = self.load(ty, (state, header));
        let other = self.b.ins().icmp_imm_u(IntCC::NotEqual, count, plan.list.len() as u64 as i64);
        self.bail_if(other);
        for member in plan.groups.iter().flatten() {
            let proctype = self.load(types::I8, (state, member.at as i32));
            let other = self.b.ins().icmp_imm_u(IntCC::NotEqual, proctype, i64::from(member.proctype.0));
            self.bail_if(other);
        }
    }

    fn unless_other_in_control(&mut self, control: Value, member: Member, next: Block) {
        if !self.plan.atomic {
            return;
        }
        let (somebody, own) = (self.block(), self.block());
        self.fork(control, somebody, own);
        self.b.set_cold_block(somebody);
        self.at(somebody);
        let same = self.is(IntCC::Equal, control, i64::from(member.pid) + 1);
        self.fork(same, own, next);
        self.at(own);
    }

    fn member_steps(&mut self, state: Value, member: Member, done: Block) {
        (self.proctype, self.member) = (member.proctype, Some(member));
        let frame = self.i64(i64::from(member.at));
        let pid = self.i32(i32::from(member.pid));
        let env = self.env(state, frame, pid, Timeout::Step);
        if self.plan.atomic || self.plan.hands_over() {
            self.introduce(member);
        }
        self.provided(&env, done);
        let loc = self.u16(&env, (env.fp, 2));
        let (plan, proctype) = (self.plan, self.proctype);
        // The interpreter has to look at states that cannot be.
        let own = |_, l: &Location| plan.has_own_steps(proctype, l);
        self.switch(loc, Some(done), self.bail, own, |g, l| g.steps(&env, l, done));
    }

    /// Tells those who complete handshakes and give control who moves.
    fn introduce(&mut self, member: Member) {
        let frames = self.fixed(types::I64, offset_of!(Context, frames));
        let offset = usize::from(member.pid) * size_of::<Frame>() + offset_of!(Frame, mover);
        let mover = self.b.ins().iadd_imm_s(frames, offset as i64);
        self.store(mover, (self.ctx, offset_of!(Context, mover) as i32));
    }
}
