//! Channels with slots: questions, messages that go in and messages that come out.

use super::memory::Address;
use super::{Env, Gen, Making};
use crate::context::{Chan, Context};
use crate::plan::{Home, Named, Shape};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use starwheel_model::layout::CHANNEL_HEADER;
use starwheel_model::{ChannelQuery, Expr, RecvArg};
use std::mem::{offset_of, size_of};

/// Bytes of a channel's contents that are moved without a loop.
const UNROLLED: u32 = 128;

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
            let bail = self.bail;
            self.go(bail);
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
                let bail = self.bail;
                self.go(bail);
                continue;
            }
            self.not_empty(env, at, no);
            if args.len() > shape.fields.len() {
                let bail = self.bail;
                self.go(bail);
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

    /// Puts a message at the end of a channel that has room.
    pub fn send(&mut self, making: &mut Making, channel: &Expr, args: &[Expr], sorted: bool) {
        let (read, write) = (making.read, making.write);
        let place = self.channel(&read, channel);
        let (from, to) = (self.channel_at(&read, &place), self.channel_at(&write, &place));
        let done = self.block();
        for (shape, arm) in self.arms(&place) {
            self.at(arm);
            if shape.capacity == 0 || shape.fields.len() != args.len() || sorted {
                let bail = self.bail;
                self.go(bail);
                continue;
            }
            let values: Vec<Value> = args.iter().map(|e| self.value(&read, e)).collect();
            let len = self.messages(&read, from);
            let more = self.b.ins().iadd_imm_s(len, 1);
            let slot = self.slot(to, len, &shape);
            // Free slots are zero, also between the fields.
            for (value, &(offset, ty)) in values.into_iter().zip(&shape.fields) {
                self.write(ty, value, (slot.0, slot.1 + offset as i32));
            }
            self.store_u16(more, to);
            self.go(done);
        }
        self.at(done);
        making.touched();
    }

    /// Where a slot starts.
    fn slot(&mut self, at: Address, index: Value, shape: &Shape) -> Address {
        let wide = self.b.ins().uextend(types::I64, index);
        let bytes = self.b.ins().imul_imm_u(wide, i64::from(shape.message));
        (self.b.ins().iadd(at.0, bytes), at.1 + CHANNEL_HEADER as i32)
    }

    /// Takes a message from a channel that has one that fits.
    pub fn receive(&mut self, making: &mut Making, channel: &Expr, args: &[RecvArg], random: bool, copy: bool) {
        let read = making.read;
        let write = making.write;
        let place = self.channel(&read, channel);
        let (from, to) = (self.channel_at(&read, &place), self.channel_at(&write, &place));
        let done = self.block();
        for (shape, arm) in self.arms(&place) {
            self.at(arm);
            if shape.capacity == 0 || shape.fields.len() != args.len() {
                let bail = self.bail;
                self.go(bail);
                continue;
            }
            let bail = self.bail;
            let slot = self.find(&read, from, &shape, args, random, bail);
            let base = self.b.ins().iadd(from.0, slot);
            let value = |g: &mut Self, i: usize| {
                let (offset, ty) = shape.fields[i];
                g.read(&read, ty, (base, from.1 + offset as i32))
            };
            let bound = |i: &usize| matches!(args[*i], RecvArg::Bind(_));
            let values: Vec<(usize, Value)> = (0..args.len()).filter(bound).map(|i| (i, value(self, i))).collect();
            self.bind(&mut making.clone(), args, &values);
            if !copy {
                self.remove(&read, from, to, &shape, random.then_some(slot));
            }
            self.go(done);
        }
        self.at(done);
        making.touched();
    }

    /// Stores fields of a message one after the other, so that an index may use a field that came before.
    pub fn bind(&mut self, making: &mut Making, args: &[RecvArg], values: &[(usize, Value)]) {
        for &(i, value) in values {
            if let RecvArg::Bind(place) = &args[i] {
                let at = self.address(&making.read, &making.write, place);
                self.write(place.ty, value, at);
                making.touched();
            }
        }
    }

    /// Removes a message, the first one or the one at an offset; the slot that becomes free is zeroed.
    fn remove(&mut self, read: &Env, from: Address, to: Address, shape: &Shape, slot: Option<Value>) {
        let len = self.messages(read, from);
        let less = self.b.ins().iadd_imm_s(len, -1);
        self.store_u16(less, to);
        let rest = (u32::from(shape.capacity) - 1) * shape.message;
        let contents = (to.0, to.1 + CHANNEL_HEADER as i32);
        if slot.is_none() && rest <= UNROLLED {
            // Free slots are zero, so that they may move, too.
            let source = (from.0, from.1 + (CHANNEL_HEADER + shape.message) as i32);
            self.copy_bytes(source, contents, rest);
            self.zero_bytes((contents.0, contents.1 + rest as i32), shape.message);
            return;
        }
        let first = slot.unwrap_or_else(|| self.i64(i64::from(CHANNEL_HEADER)));
        let wide = self.b.ins().uextend(types::I64, less);
        let bytes = self.b.ins().imul_imm_u(wide, i64::from(shape.message));
        let last = self.b.ins().iadd_imm_s(bytes, i64::from(CHANNEL_HEADER));
        let (head, body, end) = (self.block(), self.block(), self.block());
        self.b.append_block_param(head, types::I64);
        self.b.ins().jump(head, &[first.into()]);
        self.at(head);
        let at = self.b.block_params(head)[0];
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, at, last);
        self.fork(more, body, end);
        self.at(body);
        let base = self.b.ins().iadd(to.0, at);
        self.copy_bytes((base, to.1 + shape.message as i32), (base, to.1), shape.message);
        let next = self.b.ins().iadd_imm_s(at, i64::from(shape.message));
        self.b.ins().jump(head, &[next.into()]);
        self.at(end);
        let base = self.b.ins().iadd(to.0, last);
        self.zero_bytes((base, to.1), shape.message);
    }

    /// Copies upwards in pieces, so that the target may overlap the source if it lies below it.
    fn copy_bytes(&mut self, from: Address, to: Address, bytes: u32) {
        for (offset, ty) in pieces(bytes) {
            let piece = self.load(ty, (from.0, from.1 + offset));
            self.store(piece, (to.0, to.1 + offset));
        }
    }

    pub fn zero_bytes(&mut self, to: Address, bytes: u32) {
        for (offset, ty) in pieces(bytes) {
            let zero = if ty == types::I8X16 {
                let byte = self.b.ins().iconst(types::I8, 0);
                self.b.ins().splat(types::I8X16, byte)
            } else {
                self.b.ins().iconst(ty, 0)
            };
            self.store(zero, (to.0, to.1 + offset));
        }
    }
}

/// Cuts a number of bytes into pieces, as large ones as possible.
fn pieces(bytes: u32) -> Vec<(i32, cranelift_codegen::ir::Type)> {
    let mut at = 0;
    let mut list = Vec::new();
    for ty in [types::I8X16, types::I64, types::I32, types::I16, types::I8] {
        while bytes - at >= ty.bytes() {
            list.push((at as i32, ty));
            at += ty.bytes();
        }
    }
    list
}
