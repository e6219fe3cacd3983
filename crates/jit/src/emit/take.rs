//! The receiver's part of handshakes: who would take a message, and what taking it does.

use super::hand::{Taken, message_at};
use super::{Env, Gen, Making, Timeout};
use crate::context::Mail;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Switch;
use starwheel_model::{Location, RecvArg, Stmt, TransId, Transition};
use std::mem::{offset_of, size_of};

impl Gen<'_, '_> {
    /// Whether a statement would take a message that is handed over.
    pub fn accepts(&mut self, env: &Env, stmt: &Stmt, taken: Taken, yes: Block, no: Block) {
        match stmt {
            Stmt::Receive { channel, args, copy: false, .. } if self.plan.may_hand_over(env.proctype, channel) => {
                let number = self.channel_number(env, channel);
                let same = self.b.ins().icmp(IntCC::Equal, number, taken.number);
                let fits = self.block();
                self.fork(same, fits, no);
                self.at(fits);
                let fields = self.load(types::I32, (taken.mail, offset_of!(Mail, fields) as i32));
                let wrong = self.is(IntCC::NotEqual, fields, args.len() as i64);
                self.bail_if(wrong);
                for (i, arg) in args.iter().enumerate() {
                    if let RecvArg::Match(e) = arg {
                        let wanted = self.value(env, e);
                        let given = self.load(types::I32, (taken.mail, message_at(i)));
                        let same = self.b.ins().icmp(IntCC::Equal, wanted, given);
                        let next = self.block();
                        self.fork(same, next, no);
                        self.at(next);
                    }
                }
                self.go(yes);
            }
            Stmt::DStep(d) => {
                for t in d.locs.first().map_or(&[][..], |l| l) {
                    let next = self.block();
                    self.accepts(env, &t.stmt, taken, yes, next);
                    self.at(next);
                }
                self.go(no);
            }
            Stmt::Chain(list) if !list.is_empty() => self.accepts(env, &list[0], taken, yes, no),
            _ => self.go(no),
        }
    }

    /// The function that lists the transitions by which a process would take a message, and gives their number.
    pub fn accept_function(&mut self, state: Value, frame: Value, pid: Value, number: Value, mail: Value) {
        let number = self.b.ins().ireduce(types::I32, number);
        let taken = Taken { mail, number };
        let env = self.env(state, frame, pid, Timeout::No);
        let env = Env { half: true, same_processes: false, ..env };
        let (nothing, provided) = (self.block(), self.block());
        match &self.model.proctype(self.proctype).provided {
            Some(e) => self.branch(&env, e, provided, nothing),
            None => self.go(provided),
        }
        self.at(provided);
        let loc = self.u16(&env, (env.fp, 2));
        let (plan, model, proctype) = (self.plan, self.model, self.proctype);
        let could = |t: &&TransId| plan.may_accept(proctype, &model.transition(**t).stmt);
        let takes = |_, l: &Location| l.out.iter().any(|t| could(&t));
        self.switch(loc, None, nothing, takes, |g, l| {
            let list: Vec<TransId> = l.out.iter().filter(could).copied().collect();
            g.accept_location(&env, &list, taken);
        });
        self.at(nothing);
        self.answer(0);
        self.close();
    }

    fn accept_location(&mut self, env: &Env, list: &[TransId], taken: Taken) {
        let zero = self.i64(0);
        let found = self.variable(zero);
        let done = self.block();
        for (i, &id) in list.iter().enumerate() {
            let t = self.model.transition(id);
            let (yes, no) = (self.block(), self.block());
            self.accepts(env, &t.stmt, taken, yes, no);
            self.at(yes);
            let n = self.b.use_var(found);
            let bytes = self.b.ins().imul_imm_u(n, size_of::<u32>() as i64);
            let at = self.b.ins().iadd(taken.mail, bytes);
            let trans = self.i32(id.0 as i32);
            self.store(trans, (at, offset_of!(Mail, accepts) as i32));
            let next = self.b.ins().iadd_imm_s(n, 1);
            self.b.def_var(found, next);
            self.go(no);
            self.at(no);
            let last = list.get(i + 1).is_none_or(|&n| self.model.transition(n).escape != t.escape);
            if t.escape > 0 && last {
                let (n, go_on) = (self.b.use_var(found), self.block());
                self.fork(n, done, go_on);
                self.at(go_on);
            }
        }
        self.go(done);
        self.at(done);
        let n = self.b.use_var(found);
        if self.model.proctype(self.proctype).deterministic {
            let several = self.is(IntCC::UnsignedGreaterThan, n, 1);
            self.bail_if(several);
        }
        self.b.ins().return_(&[n]);
    }

    /// The function that makes the receiver's half of a handshake; the result is the length of the new state and
    /// whether the receiver keeps control.
    pub fn take_function(&mut self, state: Value, frame: Value, pid: Value, trans: Value, mail: Value) {
        let env = self.env(state, frame, pid, Timeout::No);
        let env = Env { fixed: false, same_processes: false, ..env };
        let mut switch = Switch::new();
        let mut blocks = Vec::new();
        for id in self.plan.accepting(self.proctype) {
            let block = self.block();
            switch.set_entry(u128::from(id), block);
            blocks.push((block, TransId(id)));
        }
        let bail = self.bail;
        switch.emit(&mut self.b, trans, bail);
        for (block, id) in blocks {
            self.at(block);
            let t = self.model.transition(id);
            let mut making = Making { read: env, write: env, len: None, new_channels: 0 };
            self.take_body(&mut making, t, mail);
            self.finish(&mut making, t);
            self.go_on_to(&making, t);
            let keeps = self.settle(&making, t);
            let len = self.len(&making);
            let len = self.b.ins().ishl_imm_u(len, 8);
            let result = keeps.map_or(len, |keeps| self.b.ins().bor(len, keeps));
            self.b.ins().return_(&[result]);
        }
        self.close();
    }

    fn take_body(&mut self, making: &mut Making, t: &Transition, mail: Value) {
        let number = self.load(types::I32, (mail, offset_of!(Mail, number) as i32));
        let taken = Taken { mail, number };
        let list = match &t.stmt {
            Stmt::Chain(list) => &list[..],
            Stmt::DStep(d) => return self.d_step(making, d, Some(taken)),
            stmt => std::slice::from_ref(stmt),
        };
        let Some(Stmt::Receive { channel, args, .. }) = list.first() else { return self.give_up() };
        // What the sender did may have taken the value of an index away.
        let patterns = args.iter().filter_map(|a| if let RecvArg::Match(e) = a { Some(e) } else { None });
        for e in std::iter::once(channel).chain(patterns) {
            if !self.total(&making.read, e) {
                self.value(&making.read.clone(), e);
            }
        }
        self.take_values(making, args, taken);
        list[1..].iter().for_each(|s| self.statement(making, s));
    }

    /// Stores a message that is handed over.
    pub fn take_values(&mut self, making: &mut Making, args: &[RecvArg], taken: Taken) {
        let bound = |i: &usize| matches!(args[*i], RecvArg::Bind(_));
        let values: Vec<(usize, Value)> =
            (0..args.len()).filter(bound).map(|i| (i, self.load(types::I32, (taken.mail, message_at(i))))).collect();
        self.bind(making, args, &values);
    }
}
