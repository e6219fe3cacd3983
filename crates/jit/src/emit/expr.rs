//! Expressions, with the interpreter's arithmetic.

use super::learned::straight;
use super::memory::FIXED;
use super::{Env, Gen, Timeout};
use crate::context::{Context, Frame};
use crate::plan::Named;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use starwheel_model::layout::PRIORITY;
use starwheel_model::{BinaryOp, ChannelQuery, Expr, Place, ProctypeId, Region, UnaryOp};
use std::mem::{offset_of, size_of};

impl Gen<'_, '_> {
    /// The value of an expression as an `i32`.
    pub fn value(&mut self, env: &Env, e: &Expr) -> Value {
        if let Some(value) = constant(e) {
            return self.i32(value);
        }
        match e {
            Expr::Const(v, _) => self.i32(*v),
            Expr::Load(place) => {
                if let Some(value) = self.loaded(env, place) {
                    return value;
                }
                let at = self.address(env, env, place);
                self.read(env, place.ty, at)
            }
            Expr::Pid => env.pid,
            Expr::NrPr => {
                let at = self.count_at(env);
                self.byte(env, at)
            }
            Expr::Priority if env.outside => self.i32(0),
            Expr::NonProgress if env.outside => self.fixed(types::I32, offset_of!(Context, no_progress)),
            Expr::Priority => self.byte(env, (env.fp, PRIORITY as i32)),
            Expr::Timeout => self.timeout(env),
            Expr::Unary(UnaryOp::Neg, a) => {
                let a = self.value(env, a);
                self.b.ins().ineg(a)
            }
            Expr::Unary(UnaryOp::BitNot, a) => {
                let a = self.value(env, a);
                self.b.ins().bnot(a)
            }
            Expr::Unary(UnaryOp::Not, _) => self.truth(env, e),
            Expr::Unary(UnaryOp::Lazy, a) => self.value(env, a),
            Expr::Binary(op, a, b) => self.binary(env, e, *op, a, b),
            Expr::Cond(c, a, b) => self.conditional(env, c, a, b),
            Expr::Channel(ChannelQuery::Len, channel) => self.length(env, channel),
            Expr::Channel(..) | Expr::Poll { .. } => self.truth(env, e),
            Expr::Last if !env.half => {
                let at = self.last_at(env);
                self.byte(env, at)
            }
            Expr::PcValue(p) if !env.half => self.of_process(env, None, Some(p), |g, env, fp| g.u16(env, (fp, 2))),
            Expr::GetPriority(p) => {
                self.of_process(env, None, Some(p), |g, env, fp| g.byte(env, (fp, PRIORITY as i32)))
            }
            Expr::RemoteLabel { proctype, pid, loc, .. } if !env.half => {
                let loc = i64::from(loc.0);
                self.of_process(env, Some((*proctype, false)), pid.as_deref(), |g, env, fp| {
                    let at = g.u16(env, (fp, 2));
                    let same = g.is(IntCC::Equal, at, loc);
                    g.b.ins().uextend(types::I32, same)
                })
            }
            Expr::RemoteVar { proctype, pid, place } => self.remote_var(env, *proctype, pid.as_deref(), place),
            // `run` is taken apart before its value is asked for; the others are rare.
            Expr::Run(_) | Expr::NonProgress | Expr::Enabled(_) => self.unknown(),
            Expr::Last | Expr::PcValue(_) | Expr::RemoteLabel { .. } => self.unknown(),
        }
    }

    fn unknown(&mut self) -> Value {
        self.give_up();
        self.i32(0)
    }

    fn timeout(&mut self, env: &Env) -> Value {
        let offset = match env.timeout {
            Timeout::No => return self.i32(0),
            Timeout::Step => offset_of!(Context, timeout),
            Timeout::Question => offset_of!(Context, can_timeout),
        };
        let flag = self.fixed(types::I32, offset);
        let test = self.is(IntCC::NotEqual, flag, 0);
        self.b.ins().uextend(types::I32, test)
    }

    /// Zero or one.
    fn truth(&mut self, env: &Env, e: &Expr) -> Value {
        let test = self.test(env, e);
        self.b.ins().uextend(types::I32, test)
    }

    /// Whether an expression is not zero, as an `i8` that is zero or one.
    pub fn test(&mut self, env: &Env, e: &Expr) -> Value {
        match e {
            Expr::Unary(UnaryOp::Not, a) => {
                let a = self.test(env, a);
                self.b.ins().bxor_imm_u(a, 1)
            }
            Expr::Binary(op, a, b) if comparison(*op).is_some() => {
                let (x, y) = (self.value(env, a), self.value(env, b));
                let cc = comparison(*op).unwrap_or(IntCC::Equal);
                self.b.ins().icmp(cc, x, y)
            }
            Expr::Binary(BinaryOp::And, a, b) if self.cheap(env, b) => {
                let (x, y) = (self.test(env, a), self.test(env, b));
                self.b.ins().band(x, y)
            }
            Expr::Binary(BinaryOp::Or, a, b) if self.cheap(env, b) => {
                let (x, y) = (self.test(env, a), self.test(env, b));
                self.b.ins().bor(x, y)
            }
            Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) | Expr::Poll { .. } => {
                let (yes, no, join) = (self.block(), self.block(), self.block());
                self.b.append_block_param(join, types::I8);
                self.branch(env, e, yes, no);
                for (block, value) in [(yes, 1), (no, 0)] {
                    self.at(block);
                    let value = self.b.ins().iconst(types::I8, value);
                    self.b.ins().jump(join, &[value.into()]);
                }
                self.at(join);
                self.b.block_params(join)[0]
            }
            Expr::Channel(query, channel) if *query != ChannelQuery::Len => self.query(env, *query, channel),
            _ => {
                let value = self.value(env, e);
                self.is(IntCC::NotEqual, value, 0)
            }
        }
    }

    /// Goes one way if an expression is not zero, and another way if it is. What is known afterwards holds on both ways.
    pub fn branch(&mut self, env: &Env, e: &Expr, yes: Block, no: Block) {
        let before = self.knowledge();
        match e {
            Expr::Const(v, _) => self.go(if *v != 0 { yes } else { no }),
            Expr::Unary(UnaryOp::Not, a) => self.branch(env, a, no, yes),
            Expr::Binary(BinaryOp::And, a, b) if !self.cheap(env, b) => {
                let both = self.block();
                self.branch(env, a, both, no);
                let sure = self.knowledge();
                self.at(both);
                self.assume(env, a);
                self.branch(env, b, yes, no);
                self.forget(sure);
            }
            Expr::Binary(BinaryOp::Or, a, b) if !self.cheap(env, b) => {
                let second = self.block();
                self.branch(env, a, yes, second);
                let sure = self.knowledge();
                self.at(second);
                self.branch(env, b, yes, no);
                self.forget(sure);
            }
            Expr::Poll { channel, args, random } => {
                self.noting(false, |g| g.poll(env, channel, args, *random, yes, no));
            }
            _ => {
                let test = self.test(env, e);
                self.fork(test, yes, no);
                if !straight(e) {
                    self.forget(before);
                }
            }
        }
    }

    fn binary(&mut self, env: &Env, e: &Expr, op: BinaryOp, a: &Expr, b: &Expr) -> Value {
        if comparison(op).is_some() || matches!(op, BinaryOp::And | BinaryOp::Or) {
            return self.truth(env, e);
        }
        let (x, y) = (self.value(env, a), self.value(env, b));
        match op {
            BinaryOp::Add => self.b.ins().iadd(x, y),
            BinaryOp::Sub => self.b.ins().isub(x, y),
            BinaryOp::Mul => self.b.ins().imul(x, y),
            BinaryOp::BitAnd => self.b.ins().band(x, y),
            BinaryOp::BitXor => self.b.ins().bxor(x, y),
            BinaryOp::BitOr => self.b.ins().bor(x, y),
            BinaryOp::Shl => self.b.ins().ishl(x, y),
            BinaryOp::Shr => self.b.ins().sshr(x, y),
            BinaryOp::Div => self.divide(x, y, b.as_const(), false),
            _ => self.divide(x, y, b.as_const(), true),
        }
    }

    /// The least number divided by minus one wraps around.
    fn divide(&mut self, x: Value, y: Value, constant: Option<i32>, rest: bool) -> Value {
        if constant.is_none_or(|c| c == 0) {
            let zero = self.is(IntCC::Equal, y, 0);
            self.bail_if(zero);
        }
        let special = constant.is_none_or(|c| c == -1 || c == 0);
        let minus_one = self.is(IntCC::Equal, y, -1);
        let divisor = if special {
            let one = self.i32(1);
            self.b.ins().select(minus_one, one, y)
        } else {
            y
        };
        if rest {
            // What is left by minus one is what is left by one.
            return self.b.ins().srem(x, divisor);
        }
        let quotient = self.b.ins().sdiv(x, divisor);
        if !special {
            return quotient;
        }
        let negative = self.b.ins().ineg(x);
        self.b.ins().select(minus_one, negative, quotient)
    }

    fn conditional(&mut self, env: &Env, c: &Expr, a: &Expr, b: &Expr) -> Value {
        let (yes, no, join) = (self.block(), self.block(), self.block());
        self.b.append_block_param(join, types::I32);
        self.branch(env, c, yes, no);
        let sure = self.knowledge();
        for (block, e) in [(yes, a), (no, b)] {
            self.at(block);
            let value = self.value(env, e);
            self.b.ins().jump(join, &[value.into()]);
            self.forget(sure);
        }
        self.at(join);
        self.b.block_params(join)[0]
    }

    /// Leaves if the processes are not those of the context.
    pub fn need_same_processes(&mut self, env: &Env) {
        if env.same_processes {
            return;
        }
        let at = self.count_at(env);
        let now = self.byte(env, at);
        let then = self.fixed(types::I32, offset_of!(Context, count));
        let other = self.b.ins().icmp(IntCC::NotEqual, now, then);
        self.bail_if(other);
    }

    /// Something about another process, given its frame's address; zero if there is no such process. A process type
    /// stands for its first process if there is no number; with `true` the process must be of that type.
    fn of_process(
        &mut self,
        env: &Env,
        proctype: Option<(ProctypeId, bool)>,
        pid: Option<&Expr>,
        what: impl FnOnce(&mut Self, &Env, Value) -> Value,
    ) -> Value {
        self.need_same_processes(env);
        let (found, join) = (self.block(), self.block());
        self.b.append_block_param(join, types::I32);
        let zero = self.i32(0);
        let frame = match (pid, proctype) {
            (Some(pid), proctype) => {
                let number = self.value(env, pid);
                let count = self.fixed(types::I32, offset_of!(Context, count));
                let exists = self.b.ins().icmp(IntCC::UnsignedLessThan, number, count);
                self.b.ins().brif(exists, found, &[], join, &[zero.into()]);
                self.at(found);
                let entry = self.frame_entry(number);
                if let Some((id, true)) = proctype {
                    let ty = self.b.ins().load(types::I32, Self::flags(env), entry, offset_of!(Frame, proctype) as i32);
                    let other = self.is(IntCC::NotEqual, ty, i64::from(id.0));
                    self.bail_if(other);
                }
                self.b.ins().uload32(Self::flags(env), entry, offset_of!(Frame, at) as i32)
            }
            (None, proctype) => {
                let id = proctype.map_or(0, |(id, _)| id.index());
                let firsts = self.fixed(types::I64, offset_of!(Context, firsts));
                let frame = self.b.ins().load(types::I64, FIXED, firsts, (id * size_of::<i64>()) as i32);
                let exists = self.is(IntCC::SignedGreaterThanOrEqual, frame, 0);
                self.b.ins().brif(exists, found, &[], join, &[zero.into()]);
                self.at(found);
                frame
            }
        };
        let fp = self.b.ins().iadd(env.state, frame);
        let sure = self.knowledge();
        let value = what(self, env, fp);
        self.forget(sure);
        self.b.ins().jump(join, &[value.into()]);
        self.at(join);
        self.b.block_params(join)[0]
    }

    /// The context's entry of a process.
    pub fn frame_entry(&mut self, number: Value) -> Value {
        let wide = self.b.ins().uextend(types::I64, number);
        let bytes = self.b.ins().imul_imm_u(wide, size_of::<Frame>() as i64);
        let frames = self.fixed(types::I64, offset_of!(Context, frames));
        self.b.ins().iadd(frames, bytes)
    }

    fn remote_var(&mut self, env: &Env, proctype: ProctypeId, pid: Option<&Expr>, place: &Place) -> Value {
        self.of_process(env, Some((proctype, true)), pid, |g, env, fp| {
            let at = g.address(env, &Env { fp, outside: false, ..*env }, place);
            g.read(env, place.ty, at)
        })
    }

    /// True if an expression always has a value.
    pub fn total(&self, env: &Env, e: &Expr) -> bool {
        match e {
            Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Priority | Expr::Timeout => true,
            Expr::Last => !env.half,
            Expr::Load(place) if place.region == Region::Local && env.outside => false,
            Expr::Load(place) => {
                let inside = |i: i32, len: u32| i >= 0 && (i as u32) < len;
                place.dims.iter().all(|d| d.index.as_const().is_some_and(|i| inside(i, d.len)))
            }
            Expr::Unary(_, a) => self.total(env, a),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, a, b) => {
                self.total(env, a) && b.as_const().is_some_and(|c| c != 0)
            }
            Expr::Binary(_, a, b) => self.total(env, a) && self.total(env, b),
            Expr::Cond(c, a, b) => [c, a, b].iter().all(|e| self.total(env, e)),
            Expr::Channel(_, c) => matches!(self.plan.named(env.proctype, c), Named::One(..)),
            _ => false,
        }
    }

    /// True if it costs less to evaluate an expression than to jump around it.
    fn cheap(&self, env: &Env, e: &Expr) -> bool {
        let mut size = 0;
        e.walk(&mut |e| size += if matches!(e, Expr::Cond(..)) { 100 } else { 1 });
        size <= 8 && self.total(env, e)
    }
}

/// The value of an expression that has the same value in all states.
fn constant(e: &Expr) -> Option<i32> {
    match e {
        Expr::Const(v, _) => Some(*v),
        Expr::Unary(UnaryOp::Not, a) => Some(i32::from(constant(a)? == 0)),
        Expr::Unary(UnaryOp::Neg, a) => Some(constant(a)?.wrapping_neg()),
        Expr::Unary(UnaryOp::BitNot, a) => Some(!constant(a)?),
        Expr::Unary(UnaryOp::Lazy, a) => constant(a),
        Expr::Binary(op, a, b) => op.apply(constant(a)?, constant(b)?),
        _ => None,
    }
}

fn comparison(op: BinaryOp) -> Option<IntCC> {
    Some(match op {
        BinaryOp::Lt => IntCC::SignedLessThan,
        BinaryOp::Le => IntCC::SignedLessThanOrEqual,
        BinaryOp::Gt => IntCC::SignedGreaterThan,
        BinaryOp::Ge => IntCC::SignedGreaterThanOrEqual,
        BinaryOp::Eq => IntCC::Equal,
        BinaryOp::Ne => IntCC::NotEqual,
        _ => return None,
    })
}
