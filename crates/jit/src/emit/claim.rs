//! The steps of a claim that only looks: each copies the state, moves the claim and gives the turn to whoever has it next.

use super::ready::Ways;
use super::{Env, Gen, Timeout};
use crate::context::Context;
use cranelift_codegen::ir::{Block, Value, types};
use starwheel_model::layout::{CLAIM, TURN};
use starwheel_model::{Location, Pid, Stmt, TransId, Transition};
use std::mem::offset_of;

impl Gen<'_, '_> {
    /// The function that makes the successors of a state in which it is the claim's turn.
    pub fn claim_function(&mut self, state: Value, frame: Value, pid: Value) {
        let env = self.env(state, frame, pid, Timeout::Question);
        let env = Env { outside: true, ..env };
        let done = self.block();
        let loc = self.u16(&env, (state, (self.model.layout.header() + CLAIM) as i32));
        self.switch(loc, None, done, |_, _| true, |g, l| g.claim_steps(&env, l, done));
        self.at(done);
        self.answer(0);
        self.close();
    }

    fn claim_steps(&mut self, env: &Env, loc: &Location, done: Block) {
        self.forget_all();
        let start = self.first_entry(loc);
        for (i, &id) in loc.out.iter().enumerate() {
            let t = self.model.transition(id);
            if t.stmt != Stmt::End {
                let ways = Ways { yes: self.block(), no: self.block(), hand: self.bail };
                self.ready(env, &t.stmt, start.filter(|_| i > 0), ways);
                self.at(ways.yes);
                self.claim_step(env, id, t);
                self.go(ways.no);
                self.at(ways.no);
            }
            self.end_of_group(loc, i, start, done);
        }
        self.go(done);
    }

    fn claim_step(&mut self, env: &Env, id: TransId, t: &Transition) {
        let place = &self.model.proctype(self.proctype).locs[t.to.index()];
        let ends = place.out.iter().any(|&t| self.model.transition(t).stmt == Stmt::End);
        if place.end || ends {
            // The claim comes to its end: a finding.
            return self.give_up();
        }
        let mut making = self.make(env, id, t);
        making.write.pid = self.i32(i32::from(Pid::CLAIM.0));
        self.body(&mut making, t);
        // If a step inside an atomic sequence went wrong, somebody is still in control.
        let control = (self.model.layout.header() + 1) as i32;
        let kept = self.byte(env, (env.state, control));
        self.store_byte(kept, (making.write.state, control));
        let turn = self.fixed(types::I32, offset_of!(Context, turn));
        let header = self.model.layout.header();
        self.store_byte(turn, (making.write.state, (header + TURN) as i32));
    }
}
