//! The steps of a claim that only looks: each copies the state, moves the claim and gives the turn to whoever has it next.

use super::ready::Ways;
use super::{Env, Gen, Timeout};
use crate::context::Context;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use starwheel_model::layout::{CLAIM, TURN};
use starwheel_model::{Location, Pid, Stmt, TransId, Transition};
use std::mem::offset_of;

impl Gen<'_, '_> {
    /// The function that makes the successors of a state in which it is the claim's turn.
    pub fn claim_function(&mut self, state: Value, frame: Value, pid: Value) {
        let env = self.env(state, frame, pid, Timeout::Question);
        let env = Env { outside: true, ..env };
        self.with_sink(|g, nothing, done| {
            let loc = g.u16(&env, (state, (g.model.layout.header() + CLAIM) as i32));
            g.switch(loc, nothing, |_, _| true, |g, l| g.claim_steps(&env, l, done));
        });
    }

    fn claim_steps(&mut self, env: &Env, loc: &Location, done: Block) {
        let zero = self.i32(0);
        let moved = self.variable(zero);
        for (i, &id) in loc.out.iter().enumerate() {
            let t = self.model.transition(id);
            if t.stmt != Stmt::End {
                let ways = Ways { yes: self.block(), no: self.block(), hand: self.bail };
                let before = self.b.use_var(moved);
                self.ready(env, &t.stmt, Some(before), ways);
                self.at(ways.yes);
                self.claim_step(env, id, t, moved);
                self.go(ways.no);
                self.at(ways.no);
            }
            self.end_of_group(loc, i, moved, done);
        }
        self.go(done);
    }

    fn claim_step(&mut self, env: &Env, id: TransId, t: &Transition, moved: Variable) {
        let place = &self.model.proctype(self.proctype).locs[t.to.index()];
        let ends = place.out.iter().any(|&t| self.model.transition(t).stmt == Stmt::End);
        if place.end || ends {
            // The claim comes to its end: a finding.
            return self.give_up();
        }
        let len = self.old_len();
        let mut making = self.make(env, len);
        making.write.pid = self.i32(i32::from(Pid::CLAIM.0));
        self.body(&mut making, t);
        let header = self.model.layout.header();
        let to = self.i32(i32::from(t.to.0));
        self.store_u16(to, (making.write.state, (header + CLAIM) as i32));
        let turn = self.fixed(types::I32, offset_of!(Context, turn));
        self.store_byte(turn, (making.write.state, (header + TURN) as i32));
        // Only the system's turn, which is one, is passed through.
        let transient = self.b.ins().band_imm_u(turn, 1);
        let trans = self.i64(i64::from(id.0));
        self.finish_successor(&making, trans, None, Some(transient));
        let one = self.i32(1);
        self.b.def_var(moved, one);
    }
}
