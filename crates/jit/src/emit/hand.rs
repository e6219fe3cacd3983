//! Handshakes: a message that goes from a sender to a receiver in one step.

use super::memory::PLAIN;
use super::{Env, Gen, Making, Timeout};
use crate::context::{Context, Frame, Mail};
use crate::plan::{Home, Named};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use starwheel_model::{Expr, Location, Stmt, TransId, Transition};
use std::mem::{offset_of, size_of};

/// A message on its way: its [`Mail`] and the number of its channel.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    pub mail: Value,
    pub number: Value,
}

/// A process that might take a message.
#[derive(Clone, Copy)]
pub(crate) struct Receiver {
    pub pid: Value,
    pub entry: Value,
    pub frame: Value,
}

impl Gen<'_, '_> {
    /// Evaluates a send on a channel without slots.
    pub fn offer(&mut self, env: &Env, stmt: &Stmt, mail_at: usize) -> Taken {
        let mail = self.b.ins().iadd_imm_s(self.ctx, mail_at as i64);
        let Stmt::Send { channel, args, .. } = stmt else {
            self.give_up();
            let number = self.i32(0);
            return Taken { mail, number };
        };
        let number = self.channel_number(env, channel);
        let place = self.channel(env, channel);
        let done = self.block();
        for (shape, arm) in self.arms(&place) {
            self.at(arm);
            if shape.capacity > 0 || shape.fields.len() != args.len() {
                self.go(self.bail);
                continue;
            }
            for (i, (arg, &(_, ty))) in args.iter().zip(&shape.fields).enumerate() {
                let value = self.value(env, arg);
                let value = self.truncate(ty, value);
                self.store(value, (mail, message_at(i)));
            }
            let fields = self.i32(args.len() as i32);
            self.store(fields, (mail, offset_of!(Mail, fields) as i32));
            self.store(number, (mail, offset_of!(Mail, number) as i32));
            self.go(done);
        }
        self.at(done);
        Taken { mail, number }
    }

    /// The number that a channel expression stands for.
    pub fn channel_number(&mut self, env: &Env, channel: &Expr) -> Value {
        match self.plan.named(env.proctype, channel) {
            Named::One(Home::Global(_, number), _) => self.i32(number),
            _ => self.value(env, channel),
        }
    }

    /// Does something for every process that would take a message, youngest first; `what` gets the receiver and the
    /// number of its transitions. Goes on behind the loop.
    pub fn receivers(&mut self, env: &Env, taken: Taken, what: impl FnOnce(&mut Self, Receiver, Value)) {
        self.need_same_processes(env);
        let one = self.i64(1);
        let bit = self.b.ins().ishl(one, taken.number);
        let count = self.fixed(types::I32, offset_of!(Context, count));
        let (head, body, done) = (self.block(), self.block(), self.block());
        self.b.append_block_param(head, types::I32);
        self.b.ins().jump(head, &[count.into()]);
        self.at(head);
        let above = self.b.block_params(head)[0];
        let pid = self.b.ins().iadd_imm_s(above, -1);
        self.fork(above, body, done);
        self.at(body);
        let (other, ask) = (self.block(), self.block());
        let same = self.b.ins().icmp(IntCC::Equal, pid, env.pid);
        self.b.ins().brif(same, head, &[pid.into()], other, &[]);
        self.at(other);
        let entry = self.frame_entry(pid);
        let frame = self.b.ins().uload32(PLAIN, entry, offset_of!(Frame, at) as i32);
        let listens = self.listens(env, entry, frame, bit);
        self.b.ins().brif(listens, ask, &[], head, &[pid.into()]);
        self.at(ask);
        let accept = self.load(types::I64, (entry, offset_of!(Frame, accept) as i32));
        let number = self.b.ins().uextend(types::I64, taken.number);
        let args = [self.ctx, env.state, frame, pid, number, taken.mail];
        let call = self.b.ins().call_indirect(self.hand, accept, &args);
        let found = self.b.inst_results(call)[0];
        let failed = self.is(IntCC::SignedLessThan, found, 0);
        self.bail_if(failed);
        what(self, Receiver { pid, entry, frame }, found);
        self.b.ins().jump(head, &[pid.into()]);
        self.at(done);
    }

    /// Not zero if a process may be at a location where it takes messages from a channel; a quick test.
    fn listens(&mut self, env: &Env, entry: Value, frame: Value, bit: Value) -> Value {
        let fp = self.b.ins().iadd(env.state, frame);
        let loc = self.b.ins().uload16(types::I64, PLAIN, fp, 2);
        let bytes = self.b.ins().ishl_imm_u(loc, 3);
        let table = self.load(types::I64, (entry, offset_of!(Frame, listening) as i32));
        let at = self.b.ins().iadd(table, bytes);
        let bits = self.load(types::I64, (at, 0));
        self.b.ins().band(bits, bit)
    }

    /// Makes the successors of a send that somebody takes at once; true in `moved` if there is one.
    pub fn handshake(&mut self, env: &Env, id: TransId, loc: &Location, moved: Variable) {
        let t = self.model.transition(id);
        let after = self.block();
        self.unless_nobody_listens(env, loc, &t.stmt, after);
        self.any_handshake(env, id, t, moved);
        self.go(after);
        self.at(after);
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

    fn any_handshake(&mut self, env: &Env, id: TransId, t: &Transition, moved: Variable) {
        let (Some(shared), Some(sink)) = (self.shared, self.sink) else { return self.give_up() };
        let (first, rest) = match &t.stmt {
            Stmt::Chain(list) => (&list[0], &list[1..]),
            stmt => (stmt, &[][..]),
        };
        if !rest.is_empty() || !t.resets.is_empty() {
            return self.long_handshake(env, id, t, first, rest, moved);
        }
        let mail = self.offer(env, first, offset_of!(Context, mail)).mail;
        self.save_sink();
        let before = self.b.use_var(sink.entry);
        let how = self.i64(i64::from(id.0) | i64::from(t.to.0) << 32);
        let call = self.b.ins().call(shared.hand_over, &[self.ctx, env.state, env.frame, env.pid, how, mail]);
        let result = self.b.inst_results(call)[0];
        let (failed, good) = (self.block(), self.block());
        self.fork(result, failed, good);
        self.b.set_cold_block(failed);
        self.at(failed);
        self.b.ins().return_(&[result]);
        self.at(good);
        let out = self.load(types::I64, (self.ctx, offset_of!(Context, out) as i32));
        self.b.def_var(sink.out, out);
        let entry = self.load(types::I64, (self.ctx, offset_of!(Context, entry) as i32));
        self.b.def_var(sink.entry, entry);
        let found = self.b.ins().icmp(IntCC::NotEqual, entry, before);
        let found = self.b.ins().uextend(types::I32, found);
        let was_moved = self.b.use_var(moved);
        if self.model.proctype(self.proctype).deterministic {
            let second = self.b.ins().band(was_moved, found);
            self.bail_if(second);
        }
        let now = self.b.ins().bor(was_moved, found);
        self.b.def_var(moved, now);
    }

    /// The function that makes the handshakes of a send without further effects. Its message lies in the mail; `how` is
    /// the transition and the location that it leads to.
    pub fn hand_over_function(&mut self, state: Value, frame: Value, pid: Value, how: Value, mail: Value) {
        let env = self.env(state, frame, pid, Timeout::Step);
        let trans = self.b.ins().ireduce(types::I32, how);
        let trans = self.b.ins().uextend(types::I64, trans);
        let to = self.b.ins().ushr_imm_u(how, 32);
        let to = self.b.ins().ireduce(types::I32, to);
        self.with_sink(|g, _, done| {
            let number = g.load(types::I32, (mail, offset_of!(Mail, number) as i32));
            let taken = Taken { mail, number };
            g.each_handshake(&env, taken, trans, |g, making| {
                g.store_u16(to, (making.write.fp, 2));
                g.note_last(making);
            });
            g.go(done);
        });
    }

    /// Goes one way if somebody would take the message of a send, and another way if not.
    pub fn somebody_takes(&mut self, env: &Env, send: &Stmt, yes: Block, no: Block) {
        let Some(shared) = self.shared else { return self.go(self.bail) };
        let taken = self.offer(env, send, offset_of!(Context, question));
        let zero = self.i64(0);
        let args = [self.ctx, env.state, env.frame, env.pid, zero, taken.mail];
        let call = self.b.ins().call(shared.ask, &args);
        let result = self.b.inst_results(call)[0];
        let failed = self.is(IntCC::SignedLessThan, result, 0);
        self.bail_if(failed);
        self.fork(result, yes, no);
    }

    /// The function behind that question.
    pub fn ask_function(&mut self, state: Value, frame: Value, pid: Value, mail: Value) {
        let env = self.env(state, frame, pid, Timeout::No);
        let env = Env { same_processes: false, ..env };
        let number = self.load(types::I32, (mail, offset_of!(Mail, number) as i32));
        let yes = self.block();
        self.receivers(&env, Taken { mail, number }, |g, _, found| {
            let go_on = g.block();
            g.fork(found, yes, go_on);
            g.at(go_on);
        });
        self.answer(0);
        self.at(yes);
        self.answer(1);
        self.close();
    }

    /// A handshake whose sender does more than sending.
    fn long_handshake(&mut self, env: &Env, id: TransId, t: &Transition, first: &Stmt, rest: &[Stmt], moved: Variable) {
        let mut runs = false;
        rest.iter().for_each(|s| s.walk(&mut |e| runs |= matches!(e, Expr::Run(_))));
        if runs {
            // The receiver would have to know of the new process.
            return self.give_up();
        }
        let taken = self.offer(env, first, offset_of!(Context, mail));
        let was_moved = self.b.use_var(moved);
        let deterministic = self.model.proctype(self.proctype).deterministic;
        let trans = self.i64(i64::from(id.0));
        self.each_handshake(env, taken, trans, |g, making| {
            if deterministic {
                g.bail_if(was_moved);
            }
            rest.iter().for_each(|s| g.statement(making, s));
            g.finish(making, t);
            let one = g.i32(1);
            g.b.def_var(moved, one);
        });
    }

    /// Makes one successor for each way in which a message is taken; `send` does what the sender does.
    fn each_handshake(&mut self, env: &Env, taken: Taken, trans: Value, send: impl FnOnce(&mut Self, &mut Making)) {
        let env = *env;
        self.receivers(&env, taken, |g, receiver, found| {
            let (head, body, done) = (g.block(), g.block(), g.block());
            g.b.append_block_param(head, types::I64);
            let zero = g.i64(0);
            g.b.ins().jump(head, &[zero.into()]);
            g.at(head);
            let i = g.b.block_params(head)[0];
            let more = g.b.ins().icmp(IntCC::UnsignedLessThan, i, found);
            g.fork(more, body, done);
            g.at(body);
            let len = g.old_len();
            let mut making = g.make(&env, len);
            making.touched();
            send(g, &mut making);
            g.receive_half(&mut making, taken, trans, receiver, i);
            let next = g.b.ins().iadd_imm_s(i, 1);
            g.b.ins().jump(head, &[next.into()]);
            g.at(done);
        });
    }

    /// The receiver's half, by the transition with a number in the mail.
    fn receive_half(&mut self, making: &mut Making, taken: Taken, trans: Value, receiver: Receiver, i: Value) {
        let bytes = self.b.ins().imul_imm_u(i, size_of::<u32>() as i64);
        let at = self.b.ins().iadd(taken.mail, bytes);
        let partner = self.b.ins().uload32(PLAIN, at, offset_of!(Mail, accepts) as i32);
        let take = self.load(types::I64, (receiver.entry, offset_of!(Frame, take) as i32));
        let args = [self.ctx, making.write.state, receiver.frame, receiver.pid, partner, taken.mail];
        let call = self.b.ins().call_indirect(self.hand, take, &args);
        let result = self.b.inst_results(call)[0];
        let failed = self.is(IntCC::SignedLessThan, result, 0);
        self.bail_if(failed);
        let low = self.b.ins().ireduce(types::I32, result);
        let keeps = self.b.ins().band_imm_u(low, 1);
        making.len = self.b.ins().ushr_imm_u(result, 8);
        self.finish_successor(making, trans, Some((receiver.pid, partner)), Some(keeps));
    }
}

pub(super) fn message_at(field: usize) -> i32 {
    (offset_of!(Mail, message) + field * size_of::<i32>()) as i32
}
