//! Random expressions: values, values that stay small, conditions and guards.

use super::Gen;
use super::features::Feature;
use super::scope::{Scope, Seg, Var};
use crate::ast::*;

const ARITHMETIC: &[&str] = &["+", "-", "*", "&", "|", "^"];
const COMPARISONS: &[&str] = &["==", "!=", "<", "<=", ">", ">="];

impl Gen {
    /// A place for a path of names, with an index wherever one is needed.
    pub(super) fn place(&mut self, scope: &Scope, path: &[Seg]) -> Place {
        let index = path[0].len.map(|len| Box::new(self.index(scope, len)));
        let field = (path.len() > 1).then(|| Box::new(self.place(scope, &path[1..])));
        Place { name: path[0].name.clone(), index, field }
    }

    /// An index below `len`: out-of-bounds ones are undefined in SPIN's verifier.
    fn index(&mut self, scope: &Scope, len: u32) -> Expr {
        if self.rng.chance(65) {
            return Expr::Num(self.rng.below(len).into());
        }
        let unsigned =
            |v: &&Var| v.readable && v.indexable && v.path.len() == 1 && v.path[0].len.is_none() && index_type(&v.ty);
        let vars: Vec<&Var> = scope.vars.iter().filter(unsigned).collect();
        let inner = match self.rng.pick(&vars) {
            Some(var) if self.rng.chance(70) => Expr::Var(Place::name(&var.path[0].name)),
            _ if scope.inline => Expr::Num(1),
            _ => Expr::word("_pid"),
        };
        Expr::Binary("%", Box::new(inner), Box::new(Expr::Num(len.into())))
    }

    /// A number that can be read.
    fn numeric_var(&mut self, scope: &Scope) -> Option<Expr> {
        let vars: Vec<&Var> = scope.vars.iter().filter(|v| v.readable && v.numeric()).collect();
        let path = self.rng.pick(&vars)?.path.clone();
        Some(Expr::Var(self.place(scope, &path)))
    }

    fn leaf(&mut self, scope: &Scope) -> Expr {
        if self.rng.chance(60)
            && let Some(var) = self.numeric_var(scope)
        {
            return var;
        }
        if self.rng.chance(25)
            && let Some(special) = self.special_value(scope)
        {
            return special;
        }
        self.constant()
    }

    fn constant(&mut self) -> Expr {
        if self.maybe(Feature::Wrap, 40) {
            return Expr::Num(*self.rng.pick(&[7, 127, 128, 255, 256, 1000, 32767, 65536]).unwrap_or(&7));
        }
        match self.rng.below(20) {
            0 => Expr::word("true"),
            1 => Expr::word("false"),
            2 if self.has(Feature::Constants) => Expr::word("'a'"),
            n => Expr::Num((n % 3).into()),
        }
    }

    /// Any value.
    pub(super) fn value(&mut self, scope: &Scope, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(scope);
        }
        match self.rng.below(14) {
            0..=3 => self.leaf(scope),
            4..=8 => self.arithmetic(scope, depth),
            9 => self.divided(scope, depth),
            10 => {
                let op = *self.rng.pick(&["-", "~", "!"]).unwrap_or(&"-");
                let inner = self.value(scope, depth - 1);
                let inner = if self.rng.chance(70) { inner.paren() } else { inner };
                Expr::Unary(op, Box::new(inner))
            }
            11 => self.conditional(scope, depth),
            12 => self.macro_value(scope),
            _ => self.condition(scope, depth - 1).paren(),
        }
    }

    fn arithmetic(&mut self, scope: &Scope, depth: u32) -> Expr {
        let op = *self.rng.pick(ARITHMETIC).unwrap_or(&"+");
        let (a, b) = (self.value(scope, depth - 1), self.value(scope, depth - 1));
        self.joined(op, a, b)
    }

    /// Division, remainder and shifts by a constant: by zero and by much they are undefined.
    fn divided(&mut self, scope: &Scope, depth: u32) -> Expr {
        let op = *self.rng.pick(&["/", "%", "<<", ">>"]).unwrap_or(&"%");
        let (a, b) = (self.value(scope, depth - 1), Expr::Num(self.rng.range(1, 3).into()));
        Expr::binary(op, a, b)
    }

    /// `a op b`, sometimes without the parentheses that make it clear.
    fn joined(&mut self, op: &'static str, a: Expr, b: Expr) -> Expr {
        if self.rng.chance(75) { Expr::binary(op, a, b) } else { Expr::Binary(op, Box::new(a), Box::new(b)) }
    }

    fn conditional(&mut self, scope: &Scope, depth: u32) -> Expr {
        let c = self.condition(scope, depth - 1);
        let (a, b) = (self.value(scope, depth - 1), self.value(scope, depth - 1));
        Expr::Cond(Box::new(c), Box::new(a), Box::new(b))
    }

    fn macro_value(&mut self, scope: &Scope) -> Expr {
        let macros = self.value_macros.clone();
        match self.rng.pick(&macros) {
            Some((name, 0)) => Expr::word(name),
            Some((name, _)) => Expr::Call(name.clone(), vec![self.leaf(scope)]),
            None => self.leaf(scope),
        }
    }

    /// A value from a handful, whatever the variables hold: safe to assign in a loop.
    pub(super) fn bounded(&mut self, scope: &Scope) -> Expr {
        match self.rng.below(12) {
            0..=3 => Expr::Num(self.rng.below(3).into()),
            4..=6 => {
                let inner = self.value(scope, 1);
                let modulus = self.rng.range(2, 3).into();
                Expr::binary("%", inner, Expr::Num(modulus))
            }
            7 => {
                let inner = self.value(scope, 1);
                Expr::binary("&", inner, Expr::Num(*self.rng.pick(&[1, 2, 3]).unwrap_or(&1)))
            }
            8 => {
                let inner = self.leaf(scope).paren();
                Expr::Unary("!", Box::new(inner))
            }
            9 => {
                let c = self.condition(scope, 1);
                let (a, b) = (Expr::Num(self.rng.below(3).into()), Expr::Num(self.rng.below(3).into()));
                Expr::Cond(Box::new(c), Box::new(a), Box::new(b))
            }
            10 => self.narrow_var(scope).unwrap_or(Expr::Num(1)),
            _ => self.condition(scope, 1).paren(),
        }
    }

    fn narrow_var(&mut self, scope: &Scope) -> Option<Expr> {
        let vars: Vec<&Var> = scope.vars.iter().filter(|v| v.readable && v.narrow()).collect();
        let path = self.rng.pick(&vars)?.path.clone();
        Some(Expr::Var(self.place(scope, &path)))
    }

    /// A value for a variable or message field of a type; channels and structures have none.
    pub(super) fn value_for(&mut self, scope: &Scope, ty: &Ty) -> Option<Expr> {
        match ty {
            Ty::Mtype(sub) => {
                let same = |v: &&Var| v.readable && v.ty == *ty;
                let vars: Vec<&Var> = scope.vars.iter().filter(same).collect();
                match self.rng.pick(&vars) {
                    Some(var) if self.rng.chance(35) => {
                        let path = var.path.clone();
                        Some(Expr::Var(self.place(scope, &path)))
                    }
                    _ => self.mtype_name(sub),
                }
            }
            Ty::Chan | Ty::Struct(_) => None,
            _ if scope.looping => Some(self.bounded(scope)),
            _ => Some(self.value(scope, 2)),
        }
    }

    pub(super) fn mtype_name(&mut self, sub: &Option<String>) -> Option<Expr> {
        let names = self.mtypes.iter().find(|(s, _)| s == sub).map(|(_, names)| names.clone())?;
        self.rng.pick(&names).map(|n| Expr::word(n))
    }

    /// A condition without channel words, fit for any place.
    pub(super) fn condition(&mut self, scope: &Scope, depth: u32) -> Expr {
        match self.rng.below(10) {
            0..=5 => self.comparison(scope, depth),
            6 => self.mtype_comparison(scope).unwrap_or_else(|| self.comparison(scope, depth)),
            7 if depth > 0 => {
                let op = *self.rng.pick(&["&&", "||"]).unwrap_or(&"&&");
                let (a, b) = (self.condition(scope, depth - 1), self.condition(scope, depth - 1));
                self.joined(op, a, b)
            }
            8 => {
                let inner = self.comparison(scope, 0).paren();
                Expr::Unary("!", Box::new(inner))
            }
            _ => self.leaf(scope),
        }
    }

    /// `a == b` and its relatives.
    pub(super) fn comparison(&mut self, scope: &Scope, depth: u32) -> Expr {
        let op = *self.rng.pick(COMPARISONS).unwrap_or(&"==");
        let depth = depth.min(1);
        let (a, b) = (self.value(scope, depth), self.leaf(scope));
        self.joined(op, a, b)
    }

    fn mtype_comparison(&mut self, scope: &Scope) -> Option<Expr> {
        let vars: Vec<Var> =
            scope.vars.iter().filter(|v| v.readable && matches!(v.ty, Ty::Mtype(_))).cloned().collect();
        let var = self.rng.pick(&vars)?.clone();
        let op = if self.rng.chance(50) { "==" } else { "!=" };
        let place = self.place(scope, &var.path);
        let other = self.value_for(scope, &var.ty)?;
        Some(Expr::binary(op, Expr::Var(place), other))
    }

    /// A condition for the start of an option or for a statement of its own.
    pub(super) fn guard(&mut self, scope: &Scope) -> Expr {
        if self.maybe(Feature::Constants, 20) {
            return Expr::Num(*self.rng.pick(&[0, 1, 1, 2]).unwrap_or(&1));
        }
        if self.rng.chance(35)
            && let Some(special) = self.special_guard(scope)
        {
            return special;
        }
        let c = self.condition(scope, 1);
        if self.rng.chance(60) { c.paren() } else { c }
    }
}

fn index_type(ty: &Ty) -> bool {
    matches!(ty, Ty::Bit | Ty::Bool | Ty::Byte | Ty::Unsigned(_))
}
