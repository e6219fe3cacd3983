//! Processes that come and go: who runs whom, with which arguments; deaths, and numbers that are given away again.

use super::Gen;
use super::features::Feature;
use super::scope::{ChanVar, Scope, Var};
use crate::ast::*;

/// What is special about the life of the processes of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Life {
    #[default]
    Usual,
    /// It runs its own type, as often as a counter allows.
    RunsItself,
    /// Its very first statement runs its own type; a counter in its `provided` ends that.
    BeginsWithItself,
    /// It dies soon, so that its number is free again.
    Mayfly,
}

/// Counts how often a process has run its own type.
const RUNS: &str = "runs";
/// A cell for each process, for use by its number.
const CELLS: &str = "own";
/// More than there are ever processes.
const CELL_COUNT: u32 = 12;

impl Gen {
    /// Declares what processes need that run themselves, and the cells that are used by number.
    pub(super) fn declare_lives(&mut self) {
        let mut global = |name: &str, len| {
            let decl = VarDecl { vis: Vis::Plain, ty: Ty::Byte, name: name.into(), len, init: None };
            self.items.push(Item::Global(decl));
        };
        if self.on.has(Feature::SelfRun) {
            global(RUNS, None);
        }
        if self.on.has(Feature::OwnCell) {
            global(CELLS, Some(CELL_COUNT));
        }
    }

    /// Chooses who runs himself, and adds a type that dies soon.
    pub(super) fn plan_lives(&mut self) {
        if self.has(Feature::SelfRun) {
            let fits = |p: &super::Plan| p.start == Start::Run && !p.deterministic;
            let runners: Vec<usize> = (0..self.plans.len()).filter(|i| fits(&self.plans[*i])).collect();
            if let Some(&index) = self.rng.pick(&runners) {
                let first = self.rng.chance(30);
                self.plans[index].life = if first { Life::BeginsWithItself } else { Life::RunsItself };
            }
        }
        if self.has(Feature::Rebirth) {
            let mut plan = self.empty_plan("T", Start::Run);
            plan.life = Life::Mayfly;
            if self.rng.chance(50) {
                self.add_params(&mut plan);
            }
            self.plans.push(plan);
        }
    }

    /// The condition that ends the running of oneself.
    pub(super) fn bound(&mut self) -> Expr {
        Expr::binary("<", Expr::word(RUNS), Expr::Num(self.rng.range(1, 2).into()))
    }

    /// A process that runs its own type once more.
    pub(super) fn run_itself(&mut self, scope: &Scope) -> Option<Seq> {
        let count = Stmt::new(Kind::Step(Place::name(RUNS), "++"));
        let life = self.plans[scope.proc].life;
        if life == Life::BeginsWithItself {
            let run = self.run_stmt(scope, scope.proc);
            return Some(vec![Kind::Atomic(vec![run, count]).into()]);
        }
        if life != Life::RunsItself {
            return None;
        }
        let guard = Stmt { arrow: true, ..Stmt::new(Kind::Guard(self.bound().paren())) };
        let run = self.run_stmt(scope, scope.proc);
        let all = vec![guard, count, run];
        Some(match self.rng.below(4) {
            0 | 1 => vec![Kind::Atomic(all).into()],
            2 => {
                let other = vec![Stmt::new(Kind::Else)];
                vec![Kind::If(vec![vec![Kind::Atomic(all).into()], other]).into()]
            }
            _ => all,
        })
    }

    /// `init` runs somebody, waits until there are fewer again, and runs somebody: with luck under the same number.
    pub(super) fn rebirth(&mut self, scope: &Scope) -> Option<Seq> {
        if !self.has(Feature::Rebirth) || self.plans[scope.proc].start != Start::Init {
            return None;
        }
        let mayfly = self.plans.iter().position(|p| p.life == Life::Mayfly)?;
        let actives: u32 = self.plans.iter().map(|p| if let Start::Active(n) = p.start { n } else { 0 }).sum();
        let left = Expr::Num((actives + 1 + self.rng.below(2)).into());
        let wait = Kind::Guard(Expr::binary("<=", Expr::word("_nr_pr"), left).paren());
        let again: Vec<usize> = (0..self.plans.len()).filter(|i| self.plans[*i].start == Start::Run).collect();
        let second = if self.rng.chance(60) { mayfly } else { *self.rng.pick(&again)? };
        Some(vec![self.run_stmt(scope, mayfly), Stmt::new(wait), self.run_stmt(scope, second)])
    }

    /// A body that comes to its end soon and leaves a sign of the number that it had.
    pub(super) fn mayfly(&mut self, scope: &Scope) -> Seq {
        let mut body = Vec::new();
        if self.rng.chance(70) {
            body.extend(self.own_cell(scope));
        }
        if self.rng.chance(40) {
            body.extend(self.send(scope).map(Stmt::new));
        }
        if body.is_empty() {
            body.push(Kind::Assign(Place::name("g0"), Expr::word("_pid")).into());
        }
        body
    }

    /// A statement in which the number of the process plays a part, as an index most of all.
    pub(super) fn own_cell(&mut self, scope: &Scope) -> Option<Stmt> {
        if scope.inline {
            return None;
        }
        let cell = |index: Expr| Place { name: CELLS.into(), index: Some(Box::new(index)), field: None };
        let own = cell(Expr::word("_pid"));
        let vars: Vec<&Var> = scope.vars.iter().filter(|v| v.writable && v.numeric()).collect();
        let path = self.rng.pick(&vars).map(|v| v.path.clone());
        let cells = if self.has(Feature::OwnCell) { 1 } else { 0 };
        let kind = match (self.rng.weighted(&[3 * cells, 2 * cells, 2 * cells, 2]), path) {
            (0, _) => Kind::Assign(own, Expr::Num(self.rng.below(3).into())),
            (1, _) => Kind::Assign(own, self.bounded(scope)),
            (2, Some(path)) => {
                let last = (CELL_COUNT - 1).into();
                let other = cell(Expr::binary("-", Expr::Num(last), Expr::word("_pid")));
                let from = if self.rng.chance(75) { own } else { other };
                Kind::Assign(self.place(scope, &path), Expr::Var(from))
            }
            (_, Some(path)) => Kind::Assign(self.place(scope, &path), Expr::word("_pid")),
            (_, None) => return None,
        };
        Some(kind.into())
    }

    /// The `run`s of `init`: every process type that only `run` starts, at least once.
    pub(super) fn starting_runs(&mut self, scope: &Scope) -> Seq {
        let later: Vec<usize> = (0..self.plans.len()).filter(|i| self.plans[*i].start == Start::Run).collect();
        let twice = self.maybe(Feature::Replicate, 40);
        let mut runs: Seq = later.iter().map(|i| self.run_stmt(scope, *i)).collect();
        if twice && runs.len() == 1 {
            runs.push(self.run_stmt(scope, later[0]));
        }
        if self.has(Feature::Atomic) && self.rng.chance(50) {
            return vec![Kind::Atomic(runs).into()];
        }
        runs
    }

    fn run_stmt(&mut self, scope: &Scope, index: usize) -> Stmt {
        let run = self.run_expr(scope, index);
        if self.rng.chance(25) {
            // Which values other types start with decides whether SPIN merges `_ = run P()` with what follows.
            let discards = self.mtypes.is_empty() && self.rng.chance(40);
            let target = if discards { "_" } else { "g0" };
            return Kind::Assign(Place::name(target), run).into();
        }
        Kind::Guard(if self.rng.chance(20) { run.paren() } else { run }).into()
    }

    fn run_expr(&mut self, scope: &Scope, index: usize) -> Expr {
        let plan = self.plans[index].clone();
        let mut args = Vec::new();
        for (param, chan) in plan.params.iter().zip(&plan.param_chans) {
            args.push(self.argument(scope, param, chan));
        }
        let priority = self.maybe(Feature::Priority, 40).then(|| self.rng.range(1, 4));
        Expr::Run(plan.name, args, priority)
    }

    fn argument(&mut self, scope: &Scope, param: &VarDecl, chan: &Option<ChanVar>) -> Expr {
        if let Some(kind) = chan {
            let fitting: Vec<&ChanVar> = scope.chans.iter().filter(|c| c.same_kind(kind)).collect();
            let path = self.rng.pick(&fitting).map_or(kind.path.clone(), |c| c.path.clone());
            return Expr::Var(self.place(scope, &path));
        }
        // An mtype parameter takes only a name.
        if let Ty::Mtype(sub) = &param.ty {
            return self.mtype_name(sub).unwrap_or(Expr::Num(0));
        }
        self.value_for(scope, &param.ty).unwrap_or(Expr::Num(0))
    }

    /// A loop that runs others as often as a counter says; it need not wait for their ends.
    fn counted_runs(&mut self, scope: &Scope, index: usize) -> Seq {
        let counter = self.fresh_name("times");
        let decl = VarDecl { vis: Vis::Plain, ty: Ty::Byte, name: counter.clone(), len: None, init: None };
        let below = Expr::binary("<", Expr::Var(Place::name(&counter)), Expr::Num(self.rng.range(1, 2).into()));
        let guard = Stmt { arrow: true, ..Stmt::new(Kind::Guard(below.paren())) };
        let run = Stmt::new(Kind::Guard(self.run_expr(scope, index)));
        let mut round = vec![guard, run, Stmt::new(Kind::Step(Place::name(&counter), "++"))];
        if self.rng.chance(40) {
            round.swap(1, 2);
        }
        let otherwise = vec![Stmt { arrow: true, ..Stmt::new(Kind::Else) }, Kind::Break.into()];
        vec![Kind::Decl(decl).into(), Kind::Do(vec![round, otherwise]).into()]
    }

    /// A `run` in mid-body, behind a guard that keeps the number of processes small.
    pub(super) fn start_process(&mut self, scope: &Scope) -> Option<Seq> {
        let later: Vec<usize> =
            (0..self.plans.len()).filter(|i| self.plans[*i].start == Start::Run && *i != scope.proc).collect();
        let index = *self.rng.pick(&later)?;
        let may = self.has(Feature::RunLoop) || !scope.looping;
        if !may || (self.plans[scope.proc].start == Start::Run && index < scope.proc) {
            return None;
        }
        if !scope.looping && self.rng.chance(30) {
            return Some(self.counted_runs(scope, index));
        }
        let guard = Expr::binary("<", Expr::word("_nr_pr"), Expr::Num(self.rng.range(3, 4).into())).paren();
        let run = self.run_stmt(scope, index);
        let both = vec![Stmt { arrow: true, ..Stmt::new(Kind::Guard(guard)) }, run];
        Some(if self.rng.chance(50) { vec![Kind::Atomic(both).into()] } else { both })
    }
}
