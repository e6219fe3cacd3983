//! What statements do to a state that is being made.

use super::{Gen, Making};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use starwheel_model::{Expr, Stmt, Transition, Ty, UnaryOp, time};

impl Gen<'_, '_> {
    /// What a transition does, except going on to its next location.
    pub fn body(&mut self, making: &mut Making, t: &Transition) {
        match &t.stmt {
            Stmt::Chain(list) => list.iter().for_each(|s| self.statement(making, s)),
            Stmt::DStep(d) => self.d_step(making, d, None),
            stmt => self.statement(making, stmt),
        }
    }

    /// What every transition does after its statement. The process has gone on already, unless somebody might have seen it.
    pub fn finish(&mut self, making: &mut Making, t: &Transition) {
        for place in &t.resets {
            let idle = self.i32(place.ty.idle());
            let at = self.address(&making.read, &making.write, place);
            self.write(place.ty, idle, at);
            making.touched();
        }
        if self.plan.asks_where(&t.stmt) {
            self.go_on_to(making, t);
        }
        self.note_last(making);
        making.touched();
    }

    /// The process goes on to its next location.
    pub fn go_on_to(&mut self, making: &Making, t: &Transition) {
        let to = self.i32(i32::from(t.to.0));
        self.store_u16(to, (making.write.fp, 2));
    }

    pub fn note_last(&mut self, making: &Making) {
        if self.model.uses.last {
            let at = self.last_at(&making.write);
            self.store_byte(making.write.pid, at);
        }
    }

    /// What a timer cannot hold is an error, which the interpreter reports.
    fn must_be_duration(&mut self, e: &Expr, value: Value) {
        if e.as_const().is_some_and(|n| (time::OFF..=time::LONGEST).contains(&n)) {
            return;
        }
        let slices = self.b.ins().iadd_imm_s(value, i64::from(-time::OFF));
        let bad = self.is(IntCC::UnsignedGreaterThan, slices, i64::from(time::LONGEST - time::OFF));
        self.bail_if(bad);
    }

    /// Executes a statement that can be executed.
    pub fn statement(&mut self, making: &mut Making, stmt: &Stmt) {
        match stmt {
            Stmt::Skip(_) | Stmt::Else => {}
            Stmt::Guard(e) => {
                if e.any(|e| matches!(e, Expr::Run(_))) {
                    self.effective_value(making, e);
                }
            }
            Stmt::Assign(place, e) => {
                let value = self.effective_value(making, e);
                if place.ty == Ty::Timer {
                    self.must_be_duration(e, value);
                }
                let at = self.address(&making.read, &making.write, place);
                self.write(place.ty, value, at);
                making.touched();
            }
            Stmt::AssignArray(place, values) => {
                let (base, offset) = self.address(&making.read, &making.write, place);
                for (i, &value) in values.iter().enumerate() {
                    let value = self.i32(value);
                    self.write(place.ty, value, (base, offset + i as i32 * place.ty.size() as i32));
                }
                making.touched();
            }
            Stmt::Assert(e) => {
                let go_on = self.block();
                self.branch(&making.read.clone(), e, go_on, self.bail);
                self.at(go_on);
            }
            // Nobody reads what is printed, but it must have a value.
            Stmt::Printf(_, args) => args.iter().for_each(|e| self.must_have_value(making, e)),
            Stmt::Printm(e) => self.must_have_value(making, e),
            Stmt::Send { channel, args, sorted } => self.send(making, channel, args, *sorted),
            Stmt::Receive { channel, args, random, copy } => self.receive(making, channel, args, *random, *copy),
            Stmt::SetPriority(..) | Stmt::DStep(_) | Stmt::Chain(_) | Stmt::End => self.give_up(),
        }
    }

    fn must_have_value(&mut self, making: &Making, e: &Expr) {
        if !self.total(&making.read, e) {
            self.value(&making.read, e);
        }
    }

    /// The value of an expression; starts a process if the expression is a `run`.
    fn effective_value(&mut self, making: &mut Making, e: &Expr) -> Value {
        match e {
            Expr::Run(run) => self.run(making, run),
            Expr::Unary(op, a) if a.any(|e| matches!(e, Expr::Run(_))) => {
                let a = self.effective_value(making, a);
                match op {
                    UnaryOp::Neg => self.b.ins().ineg(a),
                    UnaryOp::BitNot => self.b.ins().bnot(a),
                    UnaryOp::Not => self.i32(0),
                    UnaryOp::Lazy => a,
                }
            }
            e => self.value(&making.read.clone(), e),
        }
    }
}
