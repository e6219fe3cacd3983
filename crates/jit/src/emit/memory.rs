//! Loads and stores: values of the model's types, the header of a state, the context.

use super::{Env, Gen, Making};
use crate::context::Context;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use starwheel_model::{Place, Region, Ty};
use std::mem::offset_of;

/// Memory that may change at any time.
pub(super) const PLAIN: MemFlagsData = MemFlagsData::new().with_notrap();
/// Memory that nobody changes while a function runs.
///
/// Loads of it may be moved. They stay behind their bounds check as long as no loop is built around them, because only
/// loops make the compiler move a load to an earlier place.
pub(super) const FIXED: MemFlagsData = MemFlagsData::new().with_notrap().with_readonly().with_can_move();

/// An address: a value and an offset.
pub(super) type Address = (Value, i32);

impl Gen<'_, '_> {
    /// How a state, and the tables that belong to it, may be read. In a state that changes there may be loops.
    pub fn flags(env: &Env) -> MemFlagsData {
        if env.fixed { FIXED } else { PLAIN }
    }

    /// A part of the context that is constant while a function runs.
    pub fn fixed(&mut self, ty: Type, offset: usize) -> Value {
        self.b.ins().load(ty, FIXED, self.ctx, offset as i32)
    }

    pub fn load(&mut self, ty: Type, (base, offset): Address) -> Value {
        self.b.ins().load(ty, PLAIN, base, offset)
    }

    pub fn store(&mut self, value: Value, (base, offset): Address) {
        self.b.ins().store(PLAIN, value, base, offset);
    }

    /// Stores the low byte of an `i32`.
    pub fn store_byte(&mut self, value: Value, (base, offset): Address) {
        self.b.ins().istore8(PLAIN, value, base, offset);
    }

    pub fn store_u16(&mut self, value: Value, (base, offset): Address) {
        self.b.ins().istore16(PLAIN, value, base, offset);
    }

    /// An unsigned byte as an `i32`.
    pub fn byte(&mut self, env: &Env, (base, offset): Address) -> Value {
        self.b.ins().uload8(types::I32, Self::flags(env), base, offset)
    }

    /// Two unsigned bytes as an `i32`.
    pub fn u16(&mut self, env: &Env, (base, offset): Address) -> Value {
        self.b.ins().uload16(types::I32, Self::flags(env), base, offset)
    }

    /// A value of a type as an `i32`.
    pub fn read(&mut self, env: &Env, ty: Ty, at: Address) -> Value {
        self.read_with(Self::flags(env), ty, at)
    }

    /// The same from a state that may change.
    pub fn read_changing(&mut self, ty: Ty, at: Address) -> Value {
        self.read_with(PLAIN, ty, at)
    }

    fn read_with(&mut self, flags: MemFlagsData, ty: Ty, (base, offset): Address) -> Value {
        match (ty, ty.size()) {
            (Ty::Short | Ty::Timer, _) => self.b.ins().sload16(types::I32, flags, base, offset),
            (_, 1) => self.b.ins().uload8(types::I32, flags, base, offset),
            (_, 2) => self.b.ins().uload16(types::I32, flags, base, offset),
            _ => self.b.ins().load(types::I32, flags, base, offset),
        }
    }

    /// What is left of a value in a type.
    pub fn truncate(&mut self, ty: Ty, value: Value) -> Value {
        match ty {
            Ty::Bit => self.b.ins().band_imm_u(value, 1),
            Ty::Byte => self.b.ins().band_imm_u(value, 0xff),
            Ty::Short | Ty::Timer => {
                let low = self.b.ins().ireduce(types::I16, value);
                self.b.ins().sextend(types::I32, low)
            }
            Ty::Unsigned(n) if n < 32 => self.b.ins().band_imm_u(value, (1i64 << n) - 1),
            Ty::Int | Ty::Unsigned(_) => value,
        }
    }

    /// Stores what is left of a value in a type.
    pub fn write(&mut self, ty: Ty, value: Value, at: Address) {
        let value = match ty {
            Ty::Bit | Ty::Unsigned(_) => self.truncate(ty, value),
            Ty::Byte | Ty::Short | Ty::Timer | Ty::Int => value,
        };
        match ty.size() {
            1 => self.store_byte(value, at),
            2 => self.store_u16(value, at),
            _ => self.store(value, at),
        }
    }

    /// Where a place lies: indices are evaluated in one view, the address is one in the other.
    pub fn address(&mut self, indices: &Env, env: &Env, place: &Place) -> Address {
        if place.region == Region::Local && env.outside {
            self.give_up();
        }
        let (mut base, mut offset) = match place.region {
            Region::Global => (env.state, self.model.layout.globals_start() + place.offset),
            Region::Hidden => (env.state, place.offset),
            Region::Local => (env.fp, place.offset),
        };
        for dim in &place.dims {
            if let Some(i) = dim.index.as_const()
                && i >= 0
                && (i as u32) < dim.len
            {
                offset += i as u32 * dim.stride;
                continue;
            }
            let index = self.value(indices, &dim.index);
            if !self.is_index(index, dim.len) {
                let len = self.i32(dim.len as i32);
                let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, len);
                self.bail_if(outside);
                self.found_index(index, dim.len);
            }
            let wide = self.b.ins().uextend(types::I64, index);
            let bytes = match dim.stride {
                1 => wide,
                stride if stride.is_power_of_two() => self.b.ins().ishl_imm_u(wide, i64::from(stride.trailing_zeros())),
                stride => self.b.ins().imul_imm_u(wide, i64::from(stride)),
            };
            base = self.b.ins().iadd(base, bytes);
        }
        (base, offset as i32)
    }

    fn header(&self, field: i32) -> i32 {
        self.model.layout.header() as i32 + field
    }

    /// Where the number of processes is.
    pub fn count_at(&self, env: &Env) -> Address {
        (env.state, self.header(0))
    }

    /// Where the process in control is.
    pub fn control_at(&self, env: &Env) -> Address {
        (env.state, self.header(1))
    }

    /// Where `_last` is.
    pub fn last_at(&self, env: &Env) -> Address {
        (env.state, self.header(2))
    }

    /// Bytes of a state that is being made.
    pub fn len(&mut self, making: &Making) -> Value {
        making.len.unwrap_or_else(|| self.fixed(types::I64, offset_of!(Context, len)))
    }
}
