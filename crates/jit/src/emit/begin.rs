//! How a successor begins: a copy of the state at hand and its entry.
//!
//! The twin of [`crate::help::begin`], which is called where states have different lengths. Without that call most
//! functions call nothing at all, and need not save any register.

use super::memory::{FIXED, PLAIN};
use super::{Env, Gen};
use crate::context::{Context, Help, Mover};
use crate::group::SHORT;
use crate::help::Raw;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use starwheel_model::{TransId, Transition};
use std::mem::{offset_of, size_of};

impl Gen<'_, '_> {
    /// Begins the successor of a transition; the address of its bytes. There is always room for `once` for each transition.
    pub fn begin(&mut self, env: &Env, id: TransId, t: &Transition, once: bool) -> Value {
        match self.plan.len {
            Some(len @ 8..=SHORT) if !env.outside => {
                let room = once && self.member.is_some();
                self.begin_here(env, id, t, len as i32, room)
            }
            _ => {
                let how = self.how(id, t);
                self.help(offset_of!(Help, begin), &[self.ctx, how])
            }
        }
    }

    fn begin_here(&mut self, env: &Env, id: TransId, t: &Transition, len: i32, room: bool) -> Value {
        let out = self.out();
        if !room {
            self.need_room(out);
        }
        self.copy(env.state, out, len);
        let fp = self.b.ins().iadd(out, env.frame);
        let to = self.i32(i32::from(t.to.0));
        self.store_u16(to, (fp, 2));
        if self.plan.atomic {
            let nobody = self.i32(0);
            let (_, control) = self.control_at(env);
            self.store_byte(nobody, (out, control));
        }
        let entry = self.entry();
        self.write_entry(out, entry, id);
        self.go_on_behind(out, entry, len);
        out
    }

    /// Where the next successor goes.
    fn out(&mut self) -> Value {
        match self.cursor {
            Some(cursor) => self.b.use_var(cursor.out),
            None => self.load(types::I64, (self.ctx, offset_of!(Context, out) as i32)),
        }
    }

    /// Its start and length.
    fn place(&mut self, out: Value) -> Value {
        if let Some(cursor) = self.cursor {
            return self.b.use_var(cursor.place);
        }
        let bias = self.fixed(types::I64, offset_of!(Context, bias));
        self.b.ins().isub(out, bias)
    }

    /// The next successor goes behind one of this length.
    fn go_on_behind(&mut self, out: Value, entry: Value, len: i32) {
        let next_out = self.b.ins().iadd_imm_s(out, i64::from(len));
        let next_entry = self.b.ins().iadd_imm_s(entry, size_of::<Raw>() as i64);
        let Some(cursor) = self.cursor else {
            self.store(next_out, (self.ctx, offset_of!(Context, out) as i32));
            return self.store(next_entry, (self.ctx, offset_of!(Context, entry) as i32));
        };
        let place = self.b.use_var(cursor.place);
        let next_place = self.b.ins().iadd_imm_s(place, i64::from(len));
        self.b.def_var(cursor.out, next_out);
        self.b.def_var(cursor.entry, next_entry);
        self.b.def_var(cursor.place, next_place);
    }

    /// Who takes a transition, and which words it may change.
    fn who_changes(&mut self, id: TransId) -> (Value, Value) {
        if let Some(member) = self.member {
            let written = self.plan.written[id.index()];
            let changed = written.global | written.local.wrapping_shl(member.at / 4);
            return (self.i64(i64::from(member.pid)), self.i64(changed as i64));
        }
        let mover = self.fixed(types::I64, offset_of!(Context, mover));
        let who = self.b.ins().load(types::I64, FIXED, mover, offset_of!(Mover, who) as i32);
        let changes = self.b.ins().load(types::I64, FIXED, mover, offset_of!(Mover, changes) as i32);
        let changed = self.b.ins().load(types::I64, FIXED, changes, (id.0 as usize * size_of::<u64>()) as i32);
        (who, changed)
    }

    /// Leaves if the successor would start where there is no room.
    fn need_room(&mut self, out: Value) {
        let full = *self.full.get_or_insert_with(|| self.b.create_block());
        let go_on = self.block();
        let limit = self.fixed(types::I64, offset_of!(Context, limit));
        let over = self.b.ins().icmp(IntCC::UnsignedGreaterThan, out, limit);
        self.fork(over, full, go_on);
        self.at(go_on);
    }

    /// Copies so many bytes by pieces, the last two of which may overlap.
    fn copy(&mut self, from: Value, to: Value, len: i32) {
        let (ty, size): (Type, i32) = if len >= 16 { (types::I8X16, 16) } else { (types::I64, 8) };
        for at in (0..len - size).step_by(size as usize).chain([len - size]) {
            let piece = self.b.ins().load(ty, PLAIN, from, at);
            self.b.ins().store(PLAIN, piece, to, at);
        }
    }

    /// Writes the entry of the successor that starts here.
    fn write_entry(&mut self, out: Value, entry: Value, id: TransId) {
        let place = self.place(out);
        self.store(place, (entry, offset_of!(Raw, place) as i32));
        let trans = self.i64(i64::from(id.0));
        self.store(trans, (entry, offset_of!(Raw, trans) as i32));
        let (mut who, mut changed) = self.who_changes(id);
        if self.model.uses.timeout {
            let flags = self.fixed(types::I64, offset_of!(Context, flags));
            who = self.b.ins().bor(who, flags);
        }
        self.store(who, (entry, offset_of!(Raw, who) as i32));
        if self.plan.atomic {
            let unknown = self.fixed(types::I64, offset_of!(Context, unknown));
            changed = self.b.ins().bor(changed, unknown);
        }
        self.store(changed, (entry, offset_of!(Raw, changed) as i32));
    }
}
