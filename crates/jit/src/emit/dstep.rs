//! Deterministic sequences: an automaton that runs inside one step.

use super::hand::Taken;
use super::ready::Ways;
use super::{Gen, Making};
use cranelift_codegen::ir::{Block, InstBuilder};
use starwheel_model::{DStep, Stmt};

/// Steps after which the interpreter takes a sequence to be endless.
const LIMIT: usize = 1_000_000;

impl Gen<'_, '_> {
    /// Runs a sequence to its end; with a message, as the receiver of a handshake.
    pub fn d_step(&mut self, making: &mut Making, d: &DStep, offer: Option<Taken>) {
        making.touched();
        let blocks: Vec<Block> = d.locs.iter().map(|_| self.block()).collect();
        let end = self.block();
        let target = |to: Option<u32>| to.map_or(end, |to| blocks[to as usize]);
        let back =
            |i: usize| d.locs.iter().enumerate().any(|(from, l)| from >= i && l.iter().any(|t| t.to == Some(i as u32)));
        // Between two visits of such locations the sequence only goes forward.
        let visits = self.i32((LIMIT / (d.locs.len() + 1)) as i32);
        let visits = self.variable(visits);
        match offer {
            Some(taken) => {
                for t in d.locs.first().map_or(&[][..], |l| l) {
                    let Stmt::Receive { args, .. } = &t.stmt else { continue };
                    let (yes, no) = (self.block(), self.block());
                    self.accepts(&making.write, &t.stmt, taken, yes, no);
                    self.at(yes);
                    let mut inner = *making;
                    self.take_values(&mut inner, args, taken);
                    self.go(target(t.to));
                    self.at(no);
                }
                self.give_up();
                self.go(end);
            }
            None => match blocks.first() {
                Some(&first) => self.go(first),
                None => self.go(end),
            },
        }
        for (i, (list, &block)) in d.locs.iter().zip(&blocks).enumerate() {
            self.at(block);
            if back(i) {
                let left = self.b.use_var(visits);
                let less = self.b.ins().iadd_imm_s(left, -1);
                self.b.def_var(visits, less);
                let endless = self.is(cranelift_codegen::ir::condcodes::IntCC::Equal, less, 0);
                self.bail_if(endless);
            }
            for t in list {
                let (yes, no) = (self.block(), self.block());
                self.ready(&making.write, &t.stmt, None, Ways { yes, no, hand: self.bail });
                self.at(yes);
                let mut inner = *making;
                self.statement(&mut inner, &t.stmt);
                self.go(target(t.to));
                self.at(no);
            }
            // Nothing can be executed: an error.
            self.go(self.bail);
        }
        self.at(end);
    }
}
