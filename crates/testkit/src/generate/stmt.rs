//! Random statements and sequences of them.

use super::Gen;
use super::features::Feature;
use super::scope::{Scope, Var};
use crate::ast::*;

/// The shapes a statement can take.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Assign,
    Step,
    Guard,
    Skip,
    Assert,
    Printf,
    If,
    Do,
    Atomic,
    DStep,
    Block,
    Unless,
    Exchange,
    Handover,
    Run,
    For,
    Select,
    Inline,
    Macro,
    Decl,
    Jump,
    SetPriority,
    Discard,
    OwnCell,
}

impl Gen {
    /// A sequence of about `count` statements; declarations in it are seen by what follows.
    pub(super) fn sequence(&mut self, scope: &mut Scope, count: u32) -> Seq {
        let mut seq = Vec::new();
        self.go_on(scope, count, &mut seq);
        seq
    }

    /// Adds about `count` statements to a sequence. SPIN refuses a label at the start of a block.
    pub(super) fn go_on(&mut self, scope: &mut Scope, count: u32, seq: &mut Seq) {
        for _ in 0..count {
            if self.budget <= 0 && !seq.is_empty() {
                break;
            }
            self.budget -= 1;
            let mut made = self.statement(scope);
            if !seq.is_empty() || scope.nest == 0 {
                self.label(scope, &mut made);
            }
            seq.extend(made);
        }
    }

    /// Puts a waiting label in front of the first statement, now and then.
    fn label(&mut self, scope: &Scope, made: &mut Seq) {
        let free = !scope.inline && !scope.dstep;
        let Some(label) = self.unplaced.last().cloned() else { return };
        if free && made.first().is_some_and(|s| self.takes_label(s, &label)) && self.rng.chance(25) {
            self.unplaced.pop();
            made[0].labels.push(label);
        }
    }

    /// Declarations take no label, and a jump takes none that jumps go to: that could be an endless circle of jumps.
    pub(super) fn takes_label(&self, stmt: &Stmt, label: &str) -> bool {
        match stmt.kind {
            Kind::Decl(_) | Kind::Exclusive(..) => false,
            Kind::Goto(_) | Kind::Break => !self.targets.iter().any(|t| t == label),
            _ => true,
        }
    }

    fn statement(&mut self, scope: &mut Scope) -> Seq {
        for _ in 0..4 {
            let shape = self.shape(scope);
            if let Some(seq) = self.shaped(scope, shape) {
                return seq;
            }
        }
        vec![Kind::Guard(Expr::word("skip")).into()]
    }

    fn shape(&mut self, scope: &Scope) -> Shape {
        let shapes = if scope.dstep { self.quiet_shapes() } else { self.all_shapes(scope) };
        let weights: Vec<u32> = shapes.iter().map(|(weight, _)| *weight).collect();
        shapes[self.rng.weighted(&weights)].1
    }

    /// Shapes that never block and are deterministic.
    fn quiet_shapes(&self) -> Vec<(u32, Shape)> {
        let on = |feature, weight| if self.has(feature) { weight } else { 0 };
        vec![
            (10, Shape::Assign),
            (4, Shape::Step),
            (2, Shape::Skip),
            (on(Feature::Assert, 3), Shape::Assert),
            (on(Feature::Printf, 3), Shape::Printf),
            (5, Shape::If),
            (on(Feature::For, 3), Shape::For),
            (on(Feature::MidDecl, 3), Shape::Decl),
            (1, Shape::Discard),
            (on(Feature::OwnCell, 4), Shape::OwnCell),
        ]
    }

    fn all_shapes(&self, scope: &Scope) -> Vec<(u32, Shape)> {
        let on = |feature, weight| if self.has(feature) { weight } else { 0 };
        let nested = |feature, weight| if scope.nest > 3 { 0 } else { on(feature, weight) };
        let selections = if scope.nest > 3 { 0 } else { 6 };
        let io = if scope.chans.is_empty() { 0 } else { 14 };
        let mut shapes = vec![
            (10, Shape::Assign),
            (4, Shape::Step),
            (3, Shape::Guard),
            (2, Shape::Skip),
            (selections, Shape::If),
            (selections / 2, Shape::Do),
            (io, Shape::Exchange),
            (1, Shape::Discard),
            (on(Feature::Assert, 4), Shape::Assert),
            (on(Feature::Printf, 3), Shape::Printf),
            (nested(Feature::Atomic, 6), Shape::Atomic),
            (nested(Feature::DStep, 6), Shape::DStep),
            (nested(Feature::Blocks, 5), Shape::Block),
            (nested(Feature::Unless, 8), Shape::Unless),
            (nested(Feature::For, 5), Shape::For),
            (on(Feature::Select, 4), Shape::Select),
            (on(Feature::Macro, 3), Shape::Macro),
            (on(Feature::MidDecl, 5), Shape::Decl),
            (on(Feature::Inline, 6), Shape::Inline),
        ];
        if !scope.inline {
            shapes.extend([
                (on(Feature::ChanPass, 7), Shape::Handover),
                (on(Feature::Run, 2), Shape::Run),
                (on(Feature::Goto, 4), Shape::Jump),
                (on(Feature::Priority, 3), Shape::SetPriority),
                (on(Feature::OwnCell, 3), Shape::OwnCell),
            ]);
        }
        shapes
    }

    fn shaped(&mut self, scope: &mut Scope, shape: Shape) -> Option<Seq> {
        let kind = match shape {
            Shape::Assign => self.assignment(scope),
            Shape::Step => self.step(scope),
            Shape::Guard if self.rng.chance(50) => Some(Kind::Guard(self.claim_to_assert(scope).paren())),
            Shape::Guard => Some(Kind::Guard(self.guard(scope))),
            Shape::Skip => Some(Kind::Guard(self.skip())),
            Shape::Assert if self.rng.chance(8) => Some(Kind::Assert(Expr::word("false"))),
            Shape::Assert => Some(Kind::Assert(self.claim_to_assert(scope))),
            Shape::Printf => Some(Kind::Printf((0..self.rng.below(2)).map(|_| self.value(scope, 1)).collect())),
            Shape::If => Some(self.selection(scope)),
            Shape::Do => Some(self.repetition(scope)),
            Shape::Atomic => Some(self.atomic(scope)),
            Shape::DStep => self.deterministic(scope),
            Shape::Block => Some(self.block(scope)),
            Shape::Unless => Some(self.escape(scope)),
            Shape::Exchange => self.exchange(scope),
            Shape::Handover => return self.pass_channels(scope),
            Shape::Run => return self.start_process(scope),
            Shape::For => self.counted(scope),
            Shape::Select => self.select_value(scope),
            Shape::Inline => self.inline_call(scope),
            Shape::Macro => self.rng.pick(&self.stmt_macros).map(|name| Kind::Call(name.clone(), None)),
            Shape::Decl => Some(self.declaration(scope)),
            Shape::Jump => self.jump(scope),
            Shape::SetPriority => Some(Kind::SetPriority(Expr::word("_pid"), Expr::Num(self.rng.range(1, 3).into()))),
            Shape::OwnCell => return self.own_cell(scope).map(|stmt| vec![stmt]),
            Shape::Discard => Some(Kind::Assign(Place::name("_"), self.value(scope, 1))),
        };
        kind.map(|kind| vec![Stmt::new(kind)])
    }

    fn skip(&mut self) -> Expr {
        let text = *self.rng.pick(&["skip", "skip", "true", "1", "(1)"]).unwrap_or(&"skip");
        Expr::word(text)
    }

    /// `x = e` for some variable in sight.
    pub(super) fn assignment(&mut self, scope: &Scope) -> Option<Kind> {
        let vars: Vec<&Var> = scope.vars.iter().filter(|v| v.writable).collect();
        let var = (*self.rng.pick(&vars)?).clone();
        let value = self.value_for(scope, &var.ty)?;
        Some(Kind::Assign(self.place(scope, &var.path), value))
    }

    /// `x++` or `x--`; where it may repeat, only on what wraps soon.
    fn step(&mut self, scope: &Scope) -> Option<Kind> {
        // It reads what it changes.
        let fits = |v: &&Var| v.writable && v.readable && v.numeric() && (!scope.looping || v.narrow());
        let vars: Vec<&Var> = scope.vars.iter().filter(fits).collect();
        let path = self.rng.pick(&vars)?.path.clone();
        let op = if self.rng.chance(60) { "++" } else { "--" };
        Some(Kind::Step(self.place(scope, &path), op))
    }

    /// What an assertion claims: most are true most of the time.
    fn claim_to_assert(&mut self, scope: &Scope) -> Expr {
        match self.rng.below(10) {
            0 => Expr::word("true"),
            1..=6 => {
                let value = self.value(scope, 0);
                Expr::binary("<=", value, Expr::Num(self.rng.range(1, 4).into()))
            }
            _ => self.condition(scope, 1),
        }
    }

    /// A declaration in mid-body, which is a step of its own.
    fn declaration(&mut self, scope: &mut Scope) -> Kind {
        let ty = self.scalar_type();
        let inner_name = scope.nest > 0 && !scope.inline && !self.shadowed && self.maybe(Feature::Shadow, 60);
        self.shadowed |= inner_name;
        let name = if inner_name { "g0".to_string() } else { self.fresh_name("y") };
        let len = self.array_len(&ty);
        let value = if len.is_none() && self.rng.chance(50) { self.value_for(scope, &ty) } else { None };
        scope.hide(&name);
        let decl = VarDecl { vis: Vis::Plain, ty, name, len, init: value.map(Init::Value) };
        self.enter(scope, &decl, true);
        Kind::Decl(decl)
    }

    fn inline_call(&mut self, scope: &Scope) -> Option<Kind> {
        let sig = self.rng.pick(&self.inlines)?.clone();
        let args: Option<Vec<Expr>> = sig.written.iter().map(|written| self.inline_arg(scope, *written)).collect();
        Some(Kind::Call(sig.name, Some(args?)))
    }

    /// A variable for a written parameter, any value for the others. Both are pasted as text.
    fn inline_arg(&mut self, scope: &Scope, written: bool) -> Option<Expr> {
        if !written {
            return Some(self.value(scope, 1));
        }
        let fits = |v: &&Var| v.writable && v.readable && v.numeric();
        let vars: Vec<&Var> = scope.vars.iter().filter(fits).collect();
        let path = self.rng.pick(&vars)?.path.clone();
        Some(Expr::Var(self.place(scope, &path)))
    }

    /// `break` or `goto`.
    pub(super) fn jump(&mut self, scope: &Scope) -> Option<Kind> {
        if scope.dstep {
            return None;
        }
        if scope.breakable && self.rng.chance(50) {
            return Some(Kind::Break);
        }
        if scope.inline {
            return None;
        }
        self.rng.pick(&self.targets).map(|label| Kind::Goto(label.clone()))
    }

    fn pass_channels(&mut self, scope: &Scope) -> Option<Seq> {
        if self.rng.chance(20) {
            return self.alias(scope).map(|kind| vec![Stmt::new(kind)]);
        }
        self.handover(scope)
    }
}
