//! Messages that go into channels with slots and come out of them.

use super::memory::Address;
use super::{Env, Gen, Making};
use crate::plan::Shape;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use starwheel_model::layout::CHANNEL_HEADER;
use starwheel_model::{Expr, RecvArg};

/// Bytes of a channel's contents that are moved without a loop.
const UNROLLED: u32 = 128;

impl Gen<'_, '_> {
    /// Puts a message at the end of a channel that has room.
    pub fn send(&mut self, making: &mut Making, channel: &Expr, args: &[Expr], sorted: bool) {
        let (read, write) = (making.read, making.write);
        let place = self.channel(&read, channel);
        let (from, to) = (self.channel_at(&read, &place), self.channel_at(&write, &place));
        let done = self.block();
        for (shape, arm) in self.arms(&place) {
            self.at(arm);
            if shape.capacity == 0 || shape.fields.len() != args.len() {
                self.go(self.bail);
                continue;
            }
            let values: Vec<Value> = args.iter().map(|e| self.value(&read, e)).collect();
            let len = self.messages(&read, from);
            let more = self.b.ins().iadd_imm_s(len, 1);
            let end = self.slot(to, len, &shape);
            let slot = match sorted {
                true => (self.make_gap(end, to, &shape, &values), end.1),
                false => end,
            };
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

    /// Moves larger messages up by one slot, from the last one on; the result is the base of the slot that is free then.
    /// As in pan, values are compared before they are cut to their types.
    fn make_gap(&mut self, end: Address, channel: Address, shape: &Shape, values: &[Value]) -> Value {
        let size = i64::from(shape.message);
        let (head, body, larger, found) = (self.block(), self.block(), self.block(), self.block());
        self.b.append_block_param(head, types::I64);
        self.b.append_block_param(found, types::I64);
        self.b.ins().jump(head, &[channel.0.into()]);
        // The first larger message.
        self.at(head);
        let slot = self.b.block_params(head)[0];
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, slot, end.0);
        self.b.ins().brif(more, body, &[], found, &[slot.into()]);
        self.at(body);
        let next_slot = self.b.ins().iadd_imm_s(slot, size);
        for (&value, &(offset, ty)) in values.iter().zip(&shape.fields) {
            let stored = self.read_changing(ty, (slot, end.1 + offset as i32));
            let (other, same, smaller) = (self.block(), self.block(), self.block());
            let differs = self.b.ins().icmp(IntCC::NotEqual, value, stored);
            self.fork(differs, other, same);
            self.at(other);
            let less = self.b.ins().icmp(IntCC::SignedLessThan, value, stored);
            self.fork(less, larger, smaller);
            self.at(smaller);
            self.b.ins().jump(head, &[next_slot.into()]);
            self.at(same);
        }
        self.b.ins().jump(head, &[next_slot.into()]);
        // Everything from there on moves, the last message first.
        self.at(larger);
        let (up, copy) = (self.block(), self.block());
        self.b.append_block_param(up, types::I64);
        self.b.ins().jump(up, &[end.0.into()]);
        self.at(up);
        let free = self.b.block_params(up)[0];
        let more = self.b.ins().icmp(IntCC::UnsignedGreaterThan, free, slot);
        self.b.ins().brif(more, copy, &[], found, &[slot.into()]);
        self.at(copy);
        let below = self.b.ins().iadd_imm_s(free, -size);
        self.copy_bytes((below, end.1), (free, end.1), shape.message);
        self.b.ins().jump(up, &[below.into()]);
        self.at(found);
        self.b.block_params(found)[0]
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
                self.go(self.bail);
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
fn pieces(bytes: u32) -> Vec<(i32, Type)> {
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
