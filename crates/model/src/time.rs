//! Discrete time: timers count slices down, and time passes when nothing else can happen.
//!
//! After D. Bošnački and D. Dams, *Integrating real time into Spin: a prototype implementation* (FORTE/PSTV 1998): all steps
//! take no time; a *tick* ends the slice and lowers all timers that run, in one step. What is different here:
//!
//! - The clock is no process. A tick is a step of [`starwheel_system::Actor::Clock`] in a *quiet* state: no process can move, but
//!   for steps that wait for `timeout`, which are possible beside the tick.
//! - Time passes only if some timer runs. (There, it passes for ever, and hides every deadlock.)
//! - A step may be *lazy* ([`crate::UnaryOp::Lazy`] around its condition): it does not keep time from passing. A state in which all
//!   steps that are possible are lazy has the tick as well; a jump goes one slice far there.
//! - A timer that runs may be at zero: it has expired, until the next tick switches it off. An expiry that nobody takes in its
//!   slice is lost.

use crate::expr::{BinaryOp, Expr};
use crate::ir::{Model, TransId};
use crate::place::{Place, Ty};
use starwheel_system::{Actor, Step};

/// The value of a timer that does not run.
pub const OFF: i32 = -1;

/// The greatest value of a timer.
pub const LONGEST: i32 = i16::MAX as i32;

/// Whether a variable can be given a value, if that is known: a timer cannot be given any.
pub fn fits(ty: Ty, value: Option<i32>) -> bool {
    ty != Ty::Timer || value.is_some_and(|v| (OFF..=LONGEST).contains(&v))
}

/// How far one tick goes.
///
/// # Why a jump is enough
///
/// Let no guard and no property read a timer but by comparing it with zero as [`reads_values`] allows, let nobody wait for
/// `timeout`, and let all timers that run in a quiet state be above zero, the least of them at `d`. Lowering them all by 1, …,
/// d - 1 changes no such comparison: so these states are quiet as well, have the tick as their only step, and make the same
/// propositions true. They are a chain without branches of states that look the same, and one step may stand for it: assertions,
/// end states, errors, cycles without a tick, and all formulas that cannot tell a state from its repetition are kept. With a timer
/// at zero the next tick switches it off, which may let somebody move: there, a jump goes one slice far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// One slice.
    #[default]
    Slice,
    /// To the next expiry.
    Jump,
}

impl Model {
    /// True if the model has timers.
    pub fn timed(&self) -> bool {
        !self.layout.timers.is_empty() || self.layout.frames.iter().any(|f| !f.timers.is_empty())
    }

    /// The number of timers, elements of arrays counted; those of a process type once.
    pub fn timers(&self) -> usize {
        self.layout.timers.len() + self.layout.frames.iter().map(|f| f.timers.len()).sum::<usize>()
    }

    /// The number of actions: transitions, and the tick of a timed model behind them.
    pub fn actions(&self) -> usize {
        self.transitions.len() + usize::from(self.timed())
    }

    /// The tick.
    pub fn tick(&self) -> Step {
        Step { timeout: true, ..Step::alone(Actor::Clock, TransId(self.transitions.len() as u32)) }
    }

    /// By transition: whether it is lazy; empty if none is.
    pub fn lazy_transitions(&self) -> Vec<bool> {
        let lazy = self.transitions.iter().map(|t| t.stmt.is_lazy());
        if self.uses.lazy { lazy.collect() } else { Vec::new() }
    }

    /// True if some process waits for `timeout`, which time does as well.
    pub fn waits_beside_time(&self) -> bool {
        self.timed() && self.uses.timeout
    }

    /// True if some process reads a timer as a number.
    pub fn reads_timer_values(&self) -> bool {
        let mut reads = Reads::default();
        self.proctypes.iter().filter_map(|p| p.provided.as_ref()).for_each(|e| e.walk(&mut |e| reads.look(e)));
        let code = self.transitions.iter().map(|t| &t.stmt);
        let first = self.init.iter().chain(self.proctypes.iter().flat_map(|p| &p.init));
        code.chain(first).for_each(|s| s.walk(&mut |e| reads.look(e)));
        reads.values()
    }
}

/// The timer whose expiry a condition asks for.
pub fn expired(e: &Expr) -> Option<&Place> {
    compared(e, BinaryOp::Eq)
}

/// The timer that a condition asks whether it runs.
pub fn running(e: &Expr) -> Option<&Place> {
    compared(e, BinaryOp::Ge)
}

fn compared(e: &Expr, wanted: BinaryOp) -> Option<&Place> {
    match e {
        Expr::Binary(op, a, b) if *op == wanted && b.as_const() == Some(0) => timer(a),
        _ => None,
    }
}

/// True for the two questions and their opposites.
fn asks(e: &Expr) -> bool {
    let opposite = compared(e, BinaryOp::Ne).or(compared(e, BinaryOp::Lt));
    expired(e).or(running(e)).or(opposite).is_some()
}

/// True if an expression reads a timer in any way.
pub fn reads_timers(e: &Expr) -> bool {
    e.any(|e| timer(e).is_some())
}

fn timer(e: &Expr) -> Option<&Place> {
    match e {
        Expr::Load(place) | Expr::RemoteVar { place, .. } if place.ty == Ty::Timer => Some(place),
        _ => None,
    }
}

/// True if an expression reads a timer other than by asking whether it has expired or whether it runs, or the opposite.
pub fn reads_values(e: &Expr) -> bool {
    let mut reads = Reads::default();
    e.walk(&mut |e| reads.look(e));
    reads.values()
}

/// How often timers are read, and how often only to ask one of the two questions.
#[derive(Default)]
struct Reads {
    all: usize,
    asked: usize,
}

impl Reads {
    fn look(&mut self, e: &Expr) {
        self.all += usize::from(timer(e).is_some());
        self.asked += usize::from(asks(e));
    }

    fn values(&self) -> bool {
        self.all > self.asked
    }
}

#[cfg(test)]
mod tests;
