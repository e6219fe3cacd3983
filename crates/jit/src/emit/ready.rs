//! Whether a statement can be executed.

use super::{Env, Gen};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use starwheel_model::{Expr, RecvArg, Stmt};

/// Where to go.
#[derive(Clone, Copy)]
pub(crate) struct Ways {
    pub yes: Block,
    pub no: Block,
    /// If some other process takes the message at once.
    pub hand: Block,
}

impl Gen<'_, '_> {
    /// Goes one of three ways; if some earlier transition of the process could be executed, there is a successor since the
    /// entry `start`.
    pub fn ready(&mut self, env: &Env, stmt: &Stmt, start: Option<Value>, ways: Ways) {
        match stmt {
            Stmt::Guard(e) => self.guard(env, e, ways),
            Stmt::Else => self.unless_moved(start, ways),
            Stmt::Send { channel, .. } => self.can_send(env, channel, ways),
            Stmt::Receive { channel, args, random, copy } => self.can_receive(env, channel, args, *random, *copy, ways),
            Stmt::DStep(d) => {
                let list = d.locs.first().map_or(&[][..], |l| l);
                if let [only] = list
                    && matches!(only.stmt, Stmt::Else)
                {
                    return self.unless_moved(start, ways);
                }
                for t in list {
                    let no = self.block();
                    // A handshake inside breaks when it is fired.
                    self.ready(env, &t.stmt, None, Ways { no, hand: self.bail, ..ways });
                    self.at(no);
                }
                self.go(ways.no);
            }
            Stmt::Chain(list) => match list.first() {
                Some(first) => self.ready(env, first, start, ways),
                None => self.go(ways.yes),
            },
            Stmt::End => {
                let at = self.count_at(env);
                let count = self.byte(env, at);
                let next = self.b.ins().iadd_imm_s(env.pid, 1);
                let youngest = self.b.ins().icmp(IntCC::Equal, next, count);
                self.fork(youngest, ways.yes, ways.no);
            }
            Stmt::Skip(_) | Stmt::Assign(..) | Stmt::AssignArray(..) | Stmt::Assert(_) => self.go(ways.yes),
            Stmt::Printf(..) | Stmt::Printm(_) | Stmt::SetPriority(..) => self.go(ways.yes),
        }
    }

    fn unless_moved(&mut self, start: Option<Value>, ways: Ways) {
        match start {
            Some(start) => {
                let moved = self.moved(start);
                self.fork(moved, ways.no, ways.yes);
            }
            None => self.go(ways.yes),
        }
    }

    fn guard(&mut self, env: &Env, e: &Expr, ways: Ways) {
        match e {
            // The new process would get a number above that of an existing one, which is not zero.
            Expr::Run(_) => self.go(ways.yes),
            e if e.any(|e| matches!(e, Expr::Run(_))) => self.go(self.bail),
            // In a state that is being made, nobody sees to it that what was found out on one way is not believed on another.
            e => self.noting(env.fixed, |g| g.branch(env, e, ways.yes, ways.no)),
        }
    }

    fn can_send(&mut self, env: &Env, channel: &Expr, ways: Ways) {
        let place = self.channel(env, channel);
        let at = self.channel_at(env, &place);
        for (shape, arm) in self.arms(&place) {
            self.at(arm);
            if shape.capacity == 0 {
                self.go(ways.hand);
                continue;
            }
            let len = self.messages(env, at);
            let room = self.is(IntCC::UnsignedLessThan, len, i64::from(shape.capacity));
            self.fork(room, ways.yes, ways.no);
        }
    }

    fn can_receive(&mut self, env: &Env, channel: &Expr, args: &[RecvArg], random: bool, copy: bool, ways: Ways) {
        let place = self.channel(env, channel);
        let at = self.channel_at(env, &place);
        for (shape, arm) in self.arms(&place) {
            self.at(arm);
            if shape.capacity == 0 {
                self.go(if copy { self.bail } else { ways.no });
                continue;
            }
            self.not_empty(env, at, ways.no);
            if shape.fields.len() != args.len() {
                self.go(self.bail);
                continue;
            }
            self.find(env, at, &shape, args, random, ways.no);
            self.go(ways.yes);
        }
    }
}
