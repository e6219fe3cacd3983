//! Channels: which one an expression names, questions about it, and the message that a receive would take.

use super::memory::Address;
use super::{Env, Gen};
use crate::context::{Chan, Context};
use crate::plan::{Home, Named, Shape};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use starwheel_model::layout::CHANNEL_HEADER;
use starwheel_model::{ChannelQuery, Expr, RecvArg};
use std::mem::{offset_of, size_of};

/// A channel at hand.
#[derive(Clone)]
pub(crate) struct Place {
    /// Where it starts, from the start of the state or of the frame.
    home: Where,
    /// The shapes that it may have, and which of them it has.
    shapes: Vec<usize>,
    shape: Option<Value>,
}

#[derive(Clone, Copy)]
enum Where {
    Global(i32),
    Local(i32),
    Found(Value),
}

impl Gen<'_, '_> {
    /// The channel that an expression names.
    pub fn channel(&mut self, env: &Env, e: &Expr) -> Place {
        match self.plan.named(env.proctype, e) {
            Named::One(Home::Global(at, _), shape) => {
                Place { home: Where::Global(at as i32), shapes: vec![shape], shape: None }
            }
            Named::One(Home::Local(_, at), shape) => {
                Place { home: Where::Local(at as i32), shapes: vec![shape], shape: None }
            }
            Named::Some(shapes) => self.look_up(env, e, shapes),
        }
    }

    fn look_up(&mut self, env: &Env, e: &Expr, shapes: Vec<usize>) -> Place {
        let number = self.value(env, e);
        let index = self.b.ins().iadd_imm_s(number, -1);
        let count = self.fixed(types::I32, offset_of!(Context, nr_chans));
        let nobody = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, count);
        self.bail_if(nobody);
        let wide = self.b.ins().uextend(types::I64, index);
        let bytes = self.b.ins().imul_imm_u(wide, size_of::<Chan>() as i64);
        let chans = self.fixed(types::I64, offset_of!(Context, chans));
        let entry = self.b.ins().iadd(chans, bytes);
        let at = self.b.ins().uload32(Self::flags(env), entry, offset_of!(Chan, at) as i32);
        let shape = self.b.ins().load(types::I32, Self::flags(env), entry, offset_of!(Chan, shape) as i32);
        Place { home: Where::Found(at), shapes, shape: Some(shape) }
    }

    /// The channel's address in a state.
    pub fn channel_at(&mut self, env: &Env, place: &Place) -> Address {
        match place.home {
            Where::Global(at) => (env.state, at),
            Where::Local(at) => (env.fp, at),
            Where::Found(at) => (self.b.ins().iadd(env.state, at), 0),
        }
    }

    /// One block for each shape that the channel may have.
    pub fn arms(&mut self, place: &Place) -> Vec<(Shape, Block)> {
        if let ([only], Some(here)) = (&place.shapes[..], self.b.current_block()) {
            return vec![(self.plan.shapes[*only].clone(), here)];
        }
        let mut arms = Vec::new();
        for (i, &s) in place.shapes.iter().enumerate() {
            let arm = self.block();
            match place.shape {
                Some(shape) if place.shapes.len() > 1 => {
                    let other = if i + 1 == place.shapes.len() { self.bail } else { self.block() };
                    let same = self.is(IntCC::Equal, shape, s as i64);
                    self.fork(same, arm, other);
                    if other != self.bail {
                        self.at(other);
                    }
                }
                _ => self.go(arm),
            }
            arms.push((self.plan.shapes[s].clone(), arm));
        }
        if arms.is_empty() {
            self.go(self.bail);
        }
        arms
    }

    /// The number of messages.
    pub fn messages(&mut self, env: &Env, at: Address) -> Value {
        self.u16(env, at)
    }

    pub fn length(&mut self, env: &Env, e: &Expr) -> Value {
        let place = self.channel(env, e);
        let at = self.channel_at(env, &place);
        let join = self.block();
        self.b.append_block_param(join, types::I32);
        for (shape, arm) in self.arms(&place) {
            self.at(arm);
            let len = if shape.capacity == 0 { self.i32(0) } else { self.messages(env, at) };
            self.b.ins().jump(join, &[len.into()]);
        }
        self.at(join);
        self.b.block_params(join)[0]
    }

    /// The answer to a question, zero or one.
    pub fn query(&mut self, env: &Env, query: ChannelQuery, e: &Expr) -> Value {
        let place = self.channel(env, e);
        let at = self.channel_at(env, &place);
        let join = self.block();
        self.b.append_block_param(join, types::I8);
        for (shape, arm) in self.arms(&place) {
            self.at(arm);
            // A channel without slots is never full between two steps.
            let constant = shape.capacity == 0;
            let answer = if constant {
                let yes = matches!(query, ChannelQuery::Empty | ChannelQuery::NotFull);
                self.b.ins().iconst(types::I8, i64::from(yes))
            } else {
                let len = self.messages(env, at);
                let (cc, with) = match query {
                    ChannelQuery::Full => (IntCC::Equal, shape.capacity),
                    ChannelQuery::NotFull => (IntCC::NotEqual, shape.capacity),
                    ChannelQuery::Empty => (IntCC::Equal, 0),
                    ChannelQuery::NotEmpty | ChannelQuery::Len => (IntCC::NotEqual, 0),
                };
                self.is(cc, len, i64::from(with))
            };
            self.b.ins().jump(join, &[answer.into()]);
        }
        self.at(join);
        self.b.block_params(join)[0]
    }

    pub fn poll(&mut self, env: &Env, e: &Expr, args: &[RecvArg], random: bool, yes: Block, no: Block) {
        let place = self.channel(env, e);
        let at = self.channel_at(env, &place);
        for (shape, arm) in self.arms(&place) {
            self.at(arm);
            if shape.capacity == 0 {
                self.go(self.bail);
                continue;
            }
            self.not_empty(env, at, no);
            if args.len() > shape.fields.len() {
                self.go(self.bail);
                continue;
            }
            self.find(env, at, &shape, args, random, no);
            self.go(yes);
        }
    }

    /// Goes elsewhere if there is no message.
    pub fn not_empty(&mut self, env: &Env, at: Address, no: Block) {
        let some = self.block();
        let len = self.messages(env, at);
        self.fork(len, some, no);
        self.at(some);
    }

    /// The first message that a receive would take, as an offset from the channel's start; goes elsewhere if there is
    /// none. The channel is not empty.
    pub fn find(&mut self, env: &Env, at: Address, shape: &Shape, args: &[RecvArg], random: bool, no: Block) -> Value {
        let first = self.i64(i64::from(CHANNEL_HEADER));
        let patterns = args.iter().enumerate().filter_map(|(i, arg)| match arg {
            RecvArg::Match(e) => Some((i, e)),
            _ => None,
        });
        let patterns: Vec<(usize, &Expr)> = patterns.collect();
        if patterns.is_empty() {
            return first;
        }
        if !random {
            for (i, e) in patterns {
                let wanted = self.value(env, e);
                let same = self.field_is(env, (at.0, at.1 + CHANNEL_HEADER as i32), shape, i, wanted);
                let next = self.block();
                self.fork(same, next, no);
                self.at(next);
            }
            return first;
        }
        // No expression is evaluated inside the loop.
        let wanted: Vec<(usize, Value)> = patterns.iter().map(|&(i, e)| (i, self.value(env, e))).collect();
        let len = self.messages(env, at);
        let len = self.b.ins().uextend(types::I64, len);
        let bytes = self.b.ins().imul_imm_u(len, i64::from(shape.message));
        let end = self.b.ins().iadd_imm_s(bytes, i64::from(CHANNEL_HEADER));
        let (head, other, found) = (self.block(), self.block(), self.block());
        self.b.append_block_param(head, types::I64);
        self.b.ins().jump(head, &[first.into()]);
        self.at(head);
        let slot = self.b.block_params(head)[0];
        // The contents are read as if they could change, so that nothing is moved out of the loop.
        let changing = Env { fixed: false, ..*env };
        let base = self.b.ins().iadd(at.0, slot);
        for (i, value) in wanted {
            let same = self.field_is(&changing, (base, at.1), shape, i, value);
            let next = self.block();
            self.fork(same, next, other);
            self.at(next);
        }
        self.go(found);
        self.at(other);
        let next = self.b.ins().iadd_imm_s(slot, i64::from(shape.message));
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.b.ins().brif(more, head, &[next.into()], no, &[]);
        self.at(found);
        slot
    }

    fn field_is(&mut self, env: &Env, slot: Address, shape: &Shape, field: usize, value: Value) -> Value {
        let (offset, ty) = shape.fields[field];
        let stored = self.read(env, ty, (slot.0, slot.1 + offset as i32));
        self.b.ins().icmp(IntCC::Equal, stored, value)
    }
}
