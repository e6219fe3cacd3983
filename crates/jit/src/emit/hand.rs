//! Handshakes: a message that goes from a sender to a receiver in one step.

use super::memory::FIXED;
use super::{Env, Gen};
use crate::context::{Context, Help, Mail};
use crate::plan::{Home, Named};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use starwheel_model::{Expr, Location, Stmt, TransId, Transition};
use std::mem::{offset_of, size_of};

/// A message on its way: its [`Mail`] and the number of its channel.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    pub mail: Value,
    pub number: Value,
}

impl Gen<'_, '_> {
    /// Evaluates a send on a channel without slots and puts its message into the context.
    fn offer(&mut self, env: &Env, stmt: &Stmt, mail: usize) {
        let Stmt::Send { channel, args, .. } = stmt else { return self.give_up() };
        let place = self.channel(env, channel);
        let arms = self.arms(&place);
        let done = (arms.len() != 1).then(|| self.block());
        for (shape, arm) in arms {
            self.at(arm);
            if shape.capacity > 0 || shape.fields.len() != args.len() {
                self.give_up();
            }
            for (i, (arg, &(_, ty))) in args.iter().zip(&shape.fields).enumerate() {
                let value = self.value(env, arg);
                let value = self.truncate(ty, value);
                self.store(value, (self.ctx, mail as i32 + message_at(i)));
            }
            self.address_mail(env, channel, args.len(), mail);
            if let Some(done) = done {
                self.go(done);
            }
        }
        if let Some(done) = done {
            self.at(done);
        }
    }

    /// Notes the number of fields of a message, and the number of its channel behind that.
    fn address_mail(&mut self, env: &Env, channel: &Expr, fields: usize, mail: usize) {
        const { assert!(offset_of!(Mail, number) == offset_of!(Mail, fields) + 4) };
        let at = (self.ctx, (mail + offset_of!(Mail, fields)) as i32);
        if let Named::One(Home::Global(_, number), _) = self.plan.named(env.proctype, channel) {
            let both = self.i64(fields as i64 | i64::from(number) << 32);
            return self.store(both, at);
        }
        let number = self.channel_number(env, channel);
        let fields = self.i32(fields as i32);
        self.store(fields, at);
        self.store(number, (at.0, at.1 + 4));
    }

    /// The number that a channel expression stands for.
    pub fn channel_number(&mut self, env: &Env, channel: &Expr) -> Value {
        match self.plan.named(env.proctype, channel) {
            Named::One(Home::Global(_, number), _) => self.i32(number),
            _ => self.value(env, channel),
        }
    }

    /// Makes the successors of a send that somebody takes at once; goes elsewhere if nobody can be listening.
    pub fn handshake(&mut self, env: &Env, id: TransId, loc: &Location, elsewhere: Block) {
        let t = self.model.transition(id);
        self.unless_nobody_listens(env, loc, &t.stmt, elsewhere);
        let (first, rest) = match &t.stmt {
            Stmt::Chain(list) => (&list[0], &list[1..]),
            stmt => (stmt, &[][..]),
        };
        self.offer(env, first, offset_of!(Context, mail));
        if !rest.is_empty() || !t.resets.is_empty() {
            return self.long_handshake(env, id, t, rest);
        }
        let how = self.how(id, t);
        let failed = self.help(offset_of!(Help, hand_over), &[self.ctx, how]);
        self.bail_if(failed);
    }

    /// Goes elsewhere if no other process can be listening; a quick test, which is made only if the message surely has a
    /// value.
    fn unless_nobody_listens(&mut self, env: &Env, loc: &Location, stmt: &Stmt, elsewhere: Block) {
        let send = match stmt {
            Stmt::Chain(list) => &list[0],
            stmt => stmt,
        };
        let Stmt::Send { channel, args, .. } = send else { return };
        let Named::One(Home::Global(_, number), _) = self.plan.named(env.proctype, channel) else { return };
        if !args.iter().all(|e| self.total(env, e)) {
            return;
        }
        let bit = 1u64 << (number & 63);
        let own = self.plan.listening_at(self.proctype, loc) & bit != 0;
        let field = if own { offset_of!(Context, heard_twice) } else { offset_of!(Context, heard) };
        let heard = self.fixed(types::I64, field);
        let heard = self.b.ins().band_imm_s(heard, bit as i64);
        let go_on = self.block();
        self.fork(heard, go_on, elsewhere);
        self.at(go_on);
    }

    /// Goes one way if somebody would take the message of a send, and another way if not.
    pub fn somebody_takes(&mut self, env: &Env, send: &Stmt, yes: Block, no: Block) {
        let result = self.ask(env, send);
        let failed = self.is(IntCC::SignedLessThan, result, 0);
        self.bail_if(failed);
        self.fork(result, yes, no);
    }

    /// Whether somebody would take the message of a send: one, zero, or [`crate::context::BAIL`].
    pub fn ask(&mut self, env: &Env, send: &Stmt) -> Value {
        self.offer(env, send, offset_of!(Context, question));
        let pid = self.b.ins().uextend(types::I64, env.pid);
        self.help(offset_of!(Help, ask), &[self.ctx, env.state, pid])
    }

    /// A handshake whose sender does more than sending: one successor for each process that takes the message, youngest
    /// first, and each of its ways to do so.
    fn long_handshake(&mut self, env: &Env, id: TransId, t: &Transition, rest: &[Stmt]) {
        let mut runs = false;
        rest.iter().for_each(|s| s.walk(&mut |e| runs |= matches!(e, Expr::Run(_))));
        if runs {
            // The receiver would have to know of the new process.
            return self.give_up();
        }
        let (processes, some, ways, way, done) = (self.block(), self.block(), self.block(), self.block(), self.block());
        let below = self.b.append_block_param(processes, types::I64);
        let number = self.b.append_block_param(ways, types::I64);
        let count = self.b.ins().uload32(FIXED, self.ctx, offset_of!(Context, count) as i32);
        self.b.ins().jump(processes, &[count.into()]);
        self.at(processes);
        let found = self.help(offset_of!(Help, next_receiver), &[self.ctx, below]);
        let failed = self.is(IntCC::SignedLessThan, found, 0);
        self.bail_if(failed);
        self.fork(found, some, done);
        self.at(some);
        let pid = self.b.ins().ushr_imm_u(found, 32);
        let count = self.b.ins().ireduce(types::I32, found);
        let count = self.b.ins().uextend(types::I64, count);
        let zero = self.i64(0);
        self.b.ins().jump(ways, &[zero.into()]);
        self.at(ways);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, number, count);
        self.b.ins().brif(more, way, &[], processes, &[pid.into()]);
        self.at(way);
        let mut making = self.make_one(env, id, t, false);
        making.touched();
        rest.iter().for_each(|s| self.statement(&mut making, s));
        self.finish(&mut making, t);
        let failed = self.help(offset_of!(Help, take), &[self.ctx, making.write.state, pid, number]);
        self.bail_if(failed);
        let next = self.b.ins().iadd_imm_s(number, 1);
        self.b.ins().jump(ways, &[next.into()]);
        self.at(done);
    }
}

pub(super) fn message_at(field: usize) -> i32 {
    (offset_of!(Mail, message) + field * size_of::<i32>()) as i32
}
