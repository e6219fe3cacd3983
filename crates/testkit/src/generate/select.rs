//! Compound statements: selections, loops, escapes, atomic and deterministic blocks.

use super::Gen;
use super::decl::HIDDEN;
use super::features::Feature;
use super::scope::Scope;
use crate::ast::*;

impl Gen {
    /// `if` with one to three options.
    pub(super) fn selection(&mut self, scope: &Scope) -> Kind {
        let count = self.rng.range(1, 3);
        let mut options: Vec<Seq> = (0..count).map(|_| self.option(scope, false)).collect();
        if self.else_allowed(scope) && (scope.dstep || self.rng.chance(35)) {
            let other = self.else_option(scope);
            self.place_else(&mut options, other);
        }
        Kind::If(options)
    }

    /// `do` with one to three options, most often with a way out.
    pub(super) fn repetition(&mut self, scope: &Scope) -> Kind {
        let inner = Scope { looping: true, breakable: true, ..scope.clone() };
        let count = self.rng.range(1, 3);
        let mut options: Vec<Seq> = (0..count).map(|_| self.option(&inner, true)).collect();
        if self.rng.chance(75) {
            let mut way_out = vec![self.option_start(&inner)];
            way_out[0].arrow = true;
            way_out.push(Kind::Break.into());
            options.push(way_out);
        }
        if self.else_allowed(scope) && self.rng.chance(25) {
            let other = self.else_option(&inner);
            self.place_else(&mut options, other);
        }
        Kind::Do(options)
    }

    /// SPIN tries `else` last wherever it stands.
    fn place_else(&mut self, options: &mut Vec<Seq>, other: Seq) {
        if self.has(Feature::Exclusive) && options.iter().any(|option| may_exchange(option)) {
            return;
        }
        let position =
            if self.rng.chance(80) { options.len() } else { self.rng.below(options.len() as u32 + 1) as usize };
        options.insert(position, other);
    }

    fn else_option(&mut self, scope: &Scope) -> Seq {
        let mut option = vec![Stmt { arrow: true, ..Stmt::new(Kind::Else) }];
        let mut inner = scope.inner();
        match self.rng.below(4) {
            0 => {}
            1 if scope.breakable && !scope.dstep => option.push(Kind::Break.into()),
            _ => self.go_on(&mut inner, 1, &mut option),
        }
        option
    }

    fn option(&mut self, scope: &Scope, loops: bool) -> Seq {
        let mut inner = Scope { no_else: true, ..scope.inner() };
        let mut option = vec![self.option_start(&inner)];
        option[0].arrow = self.rng.chance(70);
        inner.no_else = false;
        let count = self.rng.weighted(&[3, 4, 2]) as u32;
        self.go_on(&mut inner, count, &mut option);
        if loops && !scope.dstep && (self.rng.chance(12) || spins(&option)) {
            option.push(Kind::Break.into());
        }
        option
    }

    /// The statement that decides whether an option can be taken.
    fn option_start(&mut self, scope: &Scope) -> Stmt {
        if scope.dstep {
            return Kind::Guard(self.condition(scope, 1).paren()).into();
        }
        let io = if scope.chans.is_empty() { 0 } else { 7 };
        let made = match self.rng.weighted(&[8, io, 4, 2, 1, 1]) {
            0 => Some(Kind::Guard(self.guard(scope))),
            1 => self.exchange(scope),
            2 => self.assignment(scope),
            3 => self.compound_start(scope),
            4 => Some(Kind::Guard(Expr::word(if self.rng.chance(50) { "skip" } else { "true" }))),
            _ => self.jump(scope),
        };
        made.unwrap_or_else(|| Kind::Guard(Expr::word("true"))).into()
    }

    /// A block or a nested selection as the first thing of an option.
    fn compound_start(&mut self, scope: &Scope) -> Option<Kind> {
        if scope.nest > 3 {
            return None;
        }
        let atomic = if self.has(Feature::Atomic) { 4 } else { 0 };
        let dstep = if self.has(Feature::DStep) { 4 } else { 0 };
        let unless = if self.has(Feature::Unless) { 2 } else { 0 };
        let blocks = if self.has(Feature::Blocks) { 2 } else { 0 };
        match self.rng.weighted(&[3, atomic, dstep, unless, blocks]) {
            0 => Some(self.selection(&scope.inner_no_else())),
            1 => Some(self.atomic(scope)),
            2 => self.deterministic(scope),
            3 => Some(self.escape(scope)),
            _ => Some(self.block(scope)),
        }
    }

    pub(super) fn atomic(&mut self, scope: &Scope) -> Kind {
        let mut inner = scope.inner();
        let count = self.rng.range(1, 3);
        Kind::Atomic(self.sequence(&mut inner, count))
    }

    /// Whether a selection may have an `else`. What pan's `enabled(0)` says of a process at an `else` depends on what it
    /// has tried before, so process 0 has none where that is asked.
    fn else_allowed(&self, scope: &Scope) -> bool {
        let asked = scope.proc == 0 && self.has(Feature::Enabled);
        !(scope.no_else || asked)
    }

    pub(super) fn block(&mut self, scope: &Scope) -> Kind {
        let mut inner = scope.inner();
        let count = self.rng.range(1, 2);
        Kind::Block(self.sequence(&mut inner, count))
    }

    /// A `d_step`: any first statement, then nothing that blocks (unless the seed asks for it).
    pub(super) fn deterministic(&mut self, scope: &Scope) -> Option<Kind> {
        if scope.dstep {
            return None;
        }
        let mut inner = Scope { dstep: true, breakable: false, ..scope.inner() };
        let mut body = Vec::new();
        // pan executes a d_step that begins with an assertion or a printf in the middle of a handshake.
        if self.rng.chance(50) || self.has(Feature::Rendezvous) {
            let guard = match self.rng.below(3) {
                0 => self.receive(scope),
                _ => None,
            };
            let guard = guard.unwrap_or_else(|| Kind::Guard(self.condition(scope, 1).paren()));
            body.push(Stmt::new(guard));
        }
        if self.maybe(Feature::HiddenRead, 70) {
            body.extend(self.scratch(&mut inner));
        }
        let count = self.rng.range(1, 3);
        self.go_on(&mut inner, count, &mut body);
        if self.maybe(Feature::OwnCell, 70) {
            body.extend(self.own_cell(&inner));
        }
        if self.maybe(Feature::BlockInDStep, 50) {
            body.push(Kind::Guard(self.condition(scope, 1).paren()).into());
        }
        Some(Kind::DStep(body))
    }

    /// The hidden variable as scratch of a step: mostly written first, then read by what follows.
    fn scratch(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let value = self.value_for(scope, &Ty::Byte)?;
        let hidden = scope.vars.iter_mut().find(|v| v.path[0].name == HIDDEN)?;
        hidden.readable = true;
        let written = self.rng.chance(85);
        written.then(|| Kind::Assign(Place::name(HIDDEN), value).into())
    }

    /// `{ } unless { }`
    pub(super) fn escape(&mut self, scope: &Scope) -> Kind {
        let mut inner = scope.inner();
        let count = self.rng.range(1, 3);
        // An escape that stands inside another, first of all or later.
        let nested = inner.nest < 3 && self.rng.chance(25);
        let body = match self.jumps_alone(scope) {
            Some(jumps) if !nested => vec![Stmt::new(jumps)],
            _ => {
                let mut body = if nested { vec![Stmt::new(self.escape(&inner))] } else { Vec::new() };
                self.go_on(&mut inner, count, &mut body);
                body
            }
        };
        let mut outer = scope.inner();
        let io = if scope.chans.is_empty() { 0 } else { 4 };
        // After an offer that nobody takes, pan forgets that another way into the escape was open.
        let offers = self.has(Feature::Rendezvous);
        let first = match self.rng.weighted(&[6, io, u32::from(!offers)]) {
            0 => Kind::Guard(self.guard(scope)),
            1 if offers => self.receive(scope).unwrap_or_else(|| Kind::Guard(Expr::word("true"))),
            1 => self.exchange(scope).unwrap_or_else(|| Kind::Guard(Expr::word("true"))),
            _ => self.selection(&scope.inner_no_else()),
        };
        let mut escape = vec![Stmt { arrow: true, ..Stmt::new(first) }];
        let count = self.rng.below(2);
        self.go_on(&mut outer, count, &mut escape);
        match self.jump_over(scope, &mut escape) {
            Some(jump) => {
                let body = vec![Kind::Guard(self.guard(scope)).into()];
                Kind::Block(vec![jump.into(), Kind::Unless(body, escape).into()])
            }
            None => Kind::Unless(body, escape),
        }
    }

    /// A jump into an escape whose body stands behind the jump, so that nobody comes there.
    fn jump_over(&mut self, scope: &Scope, escape: &mut Seq) -> Option<Kind> {
        let waiting = self.unplaced.iter().position(|label| self.targets.contains(label));
        let place = waiting.filter(|_| !scope.inline && !scope.dstep && self.rng.chance(25))?;
        if escape.len() == 1 {
            escape.extend(self.assignment(scope).map(Stmt::new));
        }
        let target =
            escape.get(1).filter(|s| s.labels.is_empty() && self.takes_label(s, &self.unplaced[place])).is_some();
        let label = target.then(|| self.unplaced.remove(place))?;
        escape[1].labels.push(label.clone());
        Some(Kind::Goto(label))
    }

    /// Jumps that are states of their own, so that an escape around them can be taken where nothing but a jump stands.
    fn jumps_alone(&mut self, scope: &Scope) -> Option<Kind> {
        if !self.maybe(Feature::Goto, 40) {
            return None;
        }
        let first = vec![self.jump(scope)?.into()];
        Some(match self.rng.below(4) {
            0 => Kind::Atomic(first),
            1 => Kind::If(vec![first, vec![self.jump(scope)?.into()]]),
            _ => Kind::Block(first),
        })
    }

    /// `for` over a small range, or over the elements of an array.
    pub(super) fn counted(&mut self, scope: &Scope) -> Option<Kind> {
        if self.maybe(Feature::StructMessage, 40) && !scope.dstep {
            return self.over_messages(scope);
        }
        let counter = self.counter(scope)?;
        let name = counter.name.clone();
        let arrays: Vec<_> = scope.vars.iter().filter(|v| v.path.len() == 1 && v.path[0].len.is_some()).collect();
        let range = match self.rng.pick(&arrays) {
            Some(array) if self.rng.chance(25) => ForRange::In(Place::name(&array.path[0].name)),
            _ => {
                let low = self.rng.below(2);
                ForRange::Values(Expr::Num(low.into()), Expr::Num((low + self.rng.below(3)).into()))
            }
        };
        let mut inner = Scope { looping: true, breakable: !scope.dstep, ..scope.inner() };
        for var in inner.vars.iter_mut().filter(|v| v.path[0].name == name) {
            var.writable = false;
        }
        let count = self.rng.range(1, 2);
        let body = self.sequence(&mut inner, count);
        Some(Kind::For(counter, range, body))
    }

    /// `for (m in c)`: each message of a channel in turn.
    fn over_messages(&mut self, scope: &Scope) -> Option<Kind> {
        let carries = |c: &&super::scope::ChanVar| c.capacity > 0 && matches!(c.fields[..], [Ty::Struct(_)]);
        let chan = scope.chans.iter().find(carries)?;
        let message = scope.structs.iter().find(|s| chan.fields[0] == Ty::Struct(s.ty.clone()))?.place.clone();
        let whole = ForRange::In(Place::name(&chan.path[0].name));
        let mut inner = Scope { looping: true, breakable: true, ..scope.inner() };
        let body = self.sequence(&mut inner, 1);
        Some(Kind::For(message, whole, body))
    }

    pub(super) fn select_value(&mut self, scope: &Scope) -> Option<Kind> {
        let counter = self.counter(scope)?;
        let low = self.rng.below(2);
        let high = Expr::Num((low + self.rng.below(3)).into());
        let low =
            if self.rng.chance(70) { Expr::Num(low.into()) } else { Expr::Paren(Box::new(Expr::Num(low.into()))) };
        Some(Kind::Select(counter, low, high))
    }

    /// A plain variable that can count to four.
    fn counter(&mut self, scope: &Scope) -> Option<Place> {
        let fits = |v: &&super::scope::Var| {
            v.writable && v.readable && v.indexable && v.path.len() == 1 && v.path[0].len.is_none() && counts(&v.ty)
        };
        let vars: Vec<_> = scope.vars.iter().filter(fits).collect();
        self.rng.pick(&vars).map(|v| Place::name(&v.path[0].name))
    }
}

fn counts(ty: &Ty) -> bool {
    matches!(ty, Ty::Byte | Ty::Short | Ty::Int)
}

/// SPIN's verifier refuses a loop whose option does nothing, always.
fn spins(option: &[Stmt]) -> bool {
    let [Stmt { kind: Kind::Guard(e), .. }] = option else { return false };
    let plain = if let Expr::Paren(inner) = e { inner } else { e };
    matches!(plain, Expr::Num(_)) || matches!(plain, Expr::Word(w) if w != "timeout" && !w.starts_with('_'))
}

/// Could the option start with a send or receive? SPIN refuses that beside an `else` in models with `xr` or `xs`.
fn may_exchange(option: &[Stmt]) -> bool {
    !matches!(option.first().map(|s| &s.kind), Some(Kind::Guard(_) | Kind::Assign(..)))
}
