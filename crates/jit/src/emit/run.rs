//! Processes that come to life.

use super::{Env, Gen, Making};
use crate::context::Context;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use starwheel_model::expr::Run;
use std::mem::offset_of;

/// Most processes, and most channels, that a state can hold.
const LIMIT: i64 = 255;

impl Gen<'_, '_> {
    /// Starts a process behind the others; the value is its number.
    pub fn run(&mut self, making: &mut Making, run: &Run) -> Value {
        let model = self.model;
        let proctype = model.proctype(run.proctype);
        let total = model.layout.frames[run.proctype.index()].total;
        let args: Vec<Value> = run.args.iter().map(|e| self.value(&making.read, e)).collect();
        let count_at = self.count_at(&making.read);
        let pid = self.byte(&making.read.clone(), count_at);
        let full = self.is(IntCC::UnsignedGreaterThanOrEqual, pid, LIMIT);
        self.bail_if(full);
        let older = self.older_channels(making, proctype.channels.len());
        let (write, len) = (making.write, self.len(making));
        let at = self.b.ins().iadd(write.state, len);
        self.zero_bytes((at, 0), total);
        let priority = u32::from(run.priority.unwrap_or(1));
        let head = u32::from(run.proctype.0) | priority << 8 | u32::from(proctype.start.0) << 16;
        let head = self.i32(head as i32);
        self.store(head, (at, 0));
        let next = self.b.ins().iadd_imm_s(pid, 1);
        let count_at = self.count_at(&write);
        self.store_byte(next, count_at);
        let env = Env { frame: len, fp: at, pid, proctype: run.proctype, ..write };
        let mut inner = Making { read: env, write: env, ..*making };
        for (place, value) in proctype.params.iter().zip(args) {
            let at = self.address(&env, &env, place);
            self.write(place.ty, value, at);
        }
        for (i, c) in proctype.channels.iter().enumerate() {
            let number = self.b.ins().iadd_imm_s(older, i as i64 + 1);
            let at = self.address(&env, &env, &c.place);
            self.write(c.place.ty, number, at);
        }
        proctype.init.iter().for_each(|s| self.statement(&mut inner, s));
        making.len = Some(self.b.ins().iadd_imm_s(len, i64::from(total)));
        making.new_channels += proctype.channels.len() as u32;
        making.touched();
        pid
    }

    /// The number of channels so far; leaves if there is no room for more.
    fn older_channels(&mut self, making: &Making, more: usize) -> Value {
        let old = self.fixed(types::I32, offset_of!(Context, nr_chans));
        let older = self.b.ins().iadd_imm_s(old, i64::from(making.new_channels));
        if more > 0 {
            let full = self.is(IntCC::UnsignedGreaterThan, older, LIMIT - more as i64);
            self.bail_if(full);
        }
        older
    }
}
