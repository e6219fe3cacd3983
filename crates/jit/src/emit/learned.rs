//! What is known at a point of a location's code: values that have been loaded, and how large they can be.
//!
//! Variables that the transitions of a location ask for more than once are loaded before the first of them. An index that
//! a guard has compared with a constant, or that was found to lie inside an array, is not checked again. All of this holds
//! for the state at hand, which does not change, and only where the code that found it out has been passed.

use super::memory::Address;
use super::{Env, Gen};
use cranelift_codegen::ir::Value;
use starwheel_model::{BinaryOp, Expr, Location, Place, Region, Stmt, Ty};

/// What is known.
#[derive(Default)]
pub(crate) struct Learned {
    values: Vec<(Address, Ty, Value)>,
    /// Values that are not negative and below a limit.
    limits: Vec<(Value, u32)>,
    /// True while a guard is evaluated, which all ways to what follows have passed up to its first jump.
    noting: bool,
}

impl Gen<'_, '_> {
    /// Forgets everything, because the code that follows is not reached through what went before.
    pub fn forget_all(&mut self) {
        self.learned = Learned::default();
    }

    /// Loads what the transitions of a location ask for more than once; forgets what was known before.
    pub fn preload(&mut self, env: &Env, loc: &Location) {
        self.forget_all();
        let mut wanted: Vec<(Address, Ty, i32)> = Vec::new();
        let mut note = |place: &Place, weight: i32| {
            let Some(at) = self.place_at(env, place) else { return };
            match wanted.iter_mut().find(|(a, ty, _)| *a == at && *ty == place.ty) {
                Some((_, _, count)) => *count += weight,
                None => wanted.push((at, place.ty, weight)),
            }
        };
        for &id in &loc.out {
            self.model.transition(id).stmt.walk_stmts(&mut |s| {
                if let Stmt::Guard(e) | Stmt::Assign(_, e) = s {
                    e.walk(&mut |e| match e {
                        Expr::Load(place) => note(place, 1),
                        // Most channels are known by name.
                        Expr::Channel(_, c) => {
                            if let Expr::Load(place) = &**c {
                                note(place, -1);
                            }
                        }
                        _ => {}
                    });
                }
            });
        }
        for (at, ty, _) in wanted.into_iter().filter(|&(_, _, count)| count > 1) {
            let value = self.read(env, ty, at);
            self.learned.values.push((at, ty, value));
        }
    }

    /// Where a place lies that is the same in all states.
    fn place_at(&self, env: &Env, place: &Place) -> Option<Address> {
        let (base, mut offset) = match place.region {
            Region::Global => (env.state, self.model.layout.globals_start() + place.offset),
            Region::Hidden => (env.state, place.offset),
            Region::Local if env.outside => return None,
            Region::Local => (env.fp, place.offset),
        };
        for dim in &place.dims {
            let i = u32::try_from(dim.index.as_const()?).ok().filter(|&i| i < dim.len)?;
            offset += i * dim.stride;
        }
        Some((base, offset as i32))
    }

    /// The value of a place, if it has been loaded.
    pub fn loaded(&self, env: &Env, place: &Place) -> Option<Value> {
        if self.learned.values.is_empty() || !env.fixed {
            return None;
        }
        let at = self.place_at(env, place)?;
        self.learned.values.iter().find(|(a, ty, _)| *a == at && *ty == place.ty).map(|&(_, _, value)| value)
    }

    /// True if a value is known to be an index of so many.
    pub fn is_index(&self, value: Value, len: u32) -> bool {
        self.learned.limits.iter().any(|&(v, limit)| v == value && limit <= len)
    }

    /// Notes that a value is an index of so many.
    pub fn found_index(&mut self, value: Value, len: u32) {
        if self.learned.noting {
            self.learned.limits.push((value, len));
        }
    }

    /// Does something during which it is noted, or not, what is found out of values.
    pub fn noting(&mut self, noting: bool, what: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.learned.noting, noting);
        what(self);
        self.learned.noting = before;
    }

    /// How much is known of values.
    pub fn knowledge(&self) -> usize {
        self.learned.limits.len()
    }

    /// Forgets what was found out of values since then.
    pub fn forget(&mut self, knowledge: usize) {
        self.learned.limits.truncate(knowledge);
    }

    /// Notes what is known of values where a condition holds.
    pub fn assume(&mut self, env: &Env, e: &Expr) {
        let Expr::Binary(op, a, b) = e else { return };
        if *op == BinaryOp::And {
            self.assume(env, a);
            return self.assume(env, b);
        }
        let (Expr::Load(place), Some(limit)) = (&**a, b.as_const()) else { return };
        let limit = match op {
            BinaryOp::Lt => u32::try_from(limit).ok(),
            BinaryOp::Le | BinaryOp::Eq => u32::try_from(limit).ok().and_then(|limit| limit.checked_add(1)),
            _ => None,
        };
        let unsigned = matches!(place.ty, Ty::Bit | Ty::Byte) || matches!(place.ty, Ty::Unsigned(bits) if bits < 32);
        if let Some(limit) = limit.filter(|_| unsigned)
            && let Some(value) = self.loaded(env, place)
        {
            self.learned.limits.push((value, limit));
        }
    }
}

/// The guard that decides alone whether a statement can be executed, if there is one.
pub(super) fn sole_guard(stmt: &Stmt) -> Option<&Expr> {
    match stmt {
        Stmt::Guard(e) => Some(e),
        Stmt::Chain(list) => list.first().and_then(sole_guard),
        Stmt::DStep(d) => match d.locs.first().map(|l| &l[..]) {
            Some([only]) => sole_guard(&only.stmt),
            _ => None,
        },
        _ => None,
    }
}

/// True if an expression is evaluated without any jump but to the way out.
pub(super) fn straight(e: &Expr) -> bool {
    match e {
        Expr::Const(..) | Expr::Pid | Expr::NrPr => true,
        Expr::Load(place) => place.dims.iter().all(|d| straight(&d.index)),
        Expr::Unary(_, a) => straight(a),
        Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => false,
        Expr::Binary(_, a, b) => straight(a) && straight(b),
        _ => false,
    }
}
