//! Deterministic sequences: an automaton that runs inside one step.

use super::hand::Taken;
use super::ready::Ways;
use super::{Gen, Making};
use crate::plan::always;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder};
use cranelift_frontend::Variable;
use starwheel_model::{DStep, DTrans, Stmt};

/// Steps after which the interpreter takes a sequence to be endless.
const LIMIT: usize = 1_000_000;

/// The blocks of a sequence.
struct Web {
    /// By location; none if nobody jumps there.
    locs: Vec<Option<Block>>,
    end: Block,
    /// How often locations may be visited that lie behind a backward jump. Between two such visits a sequence only goes
    /// forward.
    visits: Option<Variable>,
}

impl Gen<'_, '_> {
    /// Runs a sequence to its end, given that its start can be executed; with a message, as the receiver of a handshake.
    pub fn d_step(&mut self, making: &mut Making, d: &DStep, offer: Option<Taken>) {
        let visits = (0..d.locs.len()).any(|i| comes_back(d, i)).then(|| {
            let visits = self.i32((LIMIT / (d.locs.len() + 1)) as i32);
            self.variable(visits)
        });
        let mut web = Web { locs: vec![None; d.locs.len()], end: self.block(), visits };
        match offer {
            Some(taken) => self.take_first(making, d, taken, &mut web),
            None => self.straight(*making, d, &mut web),
        }
        making.touched();
        let mut done = vec![false; d.locs.len()];
        // Locations are made as they are jumped to; a later one may ask for an earlier one.
        while let Some(i) = (0..d.locs.len()).find(|&i| web.locs[i].is_some() && !done[i]) {
            done[i] = true;
            self.d_step_location(making, d, i, &mut web);
        }
        self.at(web.end);
    }

    fn target(&mut self, web: &mut Web, to: Option<u32>) -> Block {
        let Some(to) = to else { return web.end };
        match web.locs[to as usize] {
            Some(block) => block,
            None => {
                let block = self.block();
                web.locs[to as usize] = Some(block);
                block
            }
        }
    }

    /// The first transition that takes the message.
    fn take_first(&mut self, making: &Making, d: &DStep, taken: Taken, web: &mut Web) {
        for t in d.locs.first().map_or(&[][..], |l| l) {
            let Stmt::Receive { args, .. } = &t.stmt else { continue };
            let (yes, no) = (self.block(), self.block());
            self.accepts(&making.write, &t.stmt, taken, yes, no);
            self.at(yes);
            self.take_values(&mut making.clone(), args, taken);
            let to = self.target(web, t.to);
            self.go(to);
            self.at(no);
        }
        self.go(self.bail);
    }

    /// The start of a sequence as far as it is a straight line: no jump leads back into it.
    fn straight(&mut self, mut making: Making, d: &DStep, web: &mut Web) {
        let mut at = Some(0);
        let mut first = true;
        while let Some(i) = at
            && let [only] = &d.locs[i as usize][..]
            && jumps_to(d, i) == usize::from(!first)
        {
            if !first {
                self.must_be_ready(&making, only);
            }
            self.statement(&mut making, &only.stmt);
            at = only.to;
            first = false;
        }
        let to = self.target(web, at);
        self.go(to);
    }

    fn must_be_ready(&mut self, making: &Making, t: &DTrans) {
        if always(&t.stmt) {
            return;
        }
        let yes = self.block();
        self.ready(&making.read, &t.stmt, None, Ways { yes, no: self.bail, hand: self.bail });
        self.at(yes);
    }

    fn d_step_location(&mut self, making: &Making, d: &DStep, i: usize, web: &mut Web) {
        let Some(block) = web.locs[i] else { return };
        self.at(block);
        if let Some(visits) = web.visits.filter(|_| comes_back(d, i)) {
            let left = self.b.use_var(visits);
            let less = self.b.ins().iadd_imm_s(left, -1);
            self.b.def_var(visits, less);
            let endless = self.is(IntCC::Equal, less, 0);
            self.bail_if(endless);
        }
        for t in &d.locs[i] {
            let (yes, no) = (self.block(), self.block());
            self.ready(&making.write, &t.stmt, None, Ways { yes, no, hand: self.bail });
            self.at(yes);
            self.statement(&mut making.clone(), &t.stmt);
            let to = self.target(web, t.to);
            self.go(to);
            self.at(no);
        }
        // Nothing can be executed: an error.
        self.go(self.bail);
    }
}

/// True if a sequence may jump back to a location.
fn comes_back(d: &DStep, loc: usize) -> bool {
    d.locs[loc..].iter().flatten().any(|t| t.to == Some(loc as u32))
}

fn jumps_to(d: &DStep, loc: u32) -> usize {
    d.locs.iter().flatten().filter(|t| t.to == Some(loc)).count()
}
