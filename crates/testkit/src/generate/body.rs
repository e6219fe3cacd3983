//! The plan of process types and their bodies.

use super::features::Feature;
use super::life::Life;
use super::scope::{ChanVar, Scope, Seg, Var};
use super::{Gen, Plan};
use crate::ast::*;

impl Gen {
    /// Decides which process types there are, how they start and what they take.
    pub(super) fn plan(&mut self) {
        // A chain needs three: who has it, who meets it, who looks.
        let count = if self.maybe(Feature::Chains, 85) { 3 } else { self.rng.range(2, 3) };
        let started = if self.has(Feature::Run) { self.rng.range(1, 2) } else { 0 };
        for index in 0..count {
            let by_run = index + started >= count;
            let start = if by_run { Start::Run } else { Start::Active(self.instances()) };
            let mut plan = self.empty_plan(&format!("P{index}"), start);
            if by_run || self.rng.chance(4) {
                self.add_params(&mut plan);
            }
            if by_run {
                plan.deterministic = self.maybe(Feature::DProctype, 70);
            }
            self.plans.push(plan);
        }
        if started > 0 {
            let position = if self.rng.chance(50) { 0 } else { self.plans.len() };
            let init = self.empty_plan("init", Start::Init);
            self.plans.insert(position, init);
        }
        self.plan_remote();
        self.plan_lives();
    }

    pub(super) fn empty_plan(&mut self, name: &str, start: Start) -> Plan {
        Plan {
            name: name.to_string(),
            start,
            deterministic: false,
            params: Vec::new(),
            param_chans: Vec::new(),
            remote_label: None,
            remote_var: None,
            life: Life::Usual,
        }
    }

    fn instances(&mut self) -> u32 {
        if self.maybe(Feature::Replicate, 50) { 2 } else { 1 }
    }

    /// Parameters; those of active processes are 0, so they cannot be channels.
    pub(super) fn add_params(&mut self, plan: &mut Plan) {
        for index in 0..self.rng.below(3) {
            let chans = self.globals.chans.clone();
            let chan =
                if plan.start == Start::Run && self.rng.chance(45) { self.rng.pick(&chans).cloned() } else { None };
            let ty = if chan.is_some() { Ty::Chan } else { self.scalar_type() };
            let ty = if matches!(ty, Ty::Unsigned(_)) { Ty::Byte } else { ty };
            let name = format!("p{index}");
            plan.params.push(VarDecl { vis: Vis::Plain, ty, name, len: None, init: None });
            plan.param_chans.push(chan);
        }
    }

    /// Remote references go to the first process type, if it is the one with pid 0.
    fn plan_remote(&mut self) {
        let (label, var) = (self.has(Feature::RemoteLabel), self.has(Feature::RemoteVar));
        if let Some(plan) = self.plans.first_mut().filter(|p| matches!(p.start, Start::Active(_))) {
            plan.remote_label = label.then(|| "Seen".to_string());
            plan.remote_var = var.then(|| "z0".to_string());
        }
    }

    /// Makes the body of every planned process type.
    pub(super) fn bodies(&mut self) {
        for index in 0..self.plans.len() {
            let proc = self.process(index);
            self.items.push(Item::Proc(proc));
        }
    }

    fn process(&mut self, index: usize) -> Proc {
        let plan = self.plans[index].clone();
        let mut scope = Scope { proc: index, ..self.globals.clone() };
        for (param, chan) in plan.params.iter().zip(&plan.param_chans) {
            self.enter_param(&mut scope, param, chan);
        }
        let mut body = self.leading_decls(&mut scope, &plan);
        self.choose_labels(&plan);
        self.shadowed = false;
        scope.looping = !self.targets.is_empty();
        self.budget = self.rng.range(4, 9) as i32;
        if plan.life != Life::Usual {
            self.budget = self.budget.min(3);
        }
        if plan.start == Start::Init {
            body.extend(self.starting_runs(&scope));
            self.budget = self.budget.min(3);
        }
        let before = scope.clone();
        let mut own = match &self.chain {
            _ if plan.life == Life::Mayfly => self.mayfly(&scope),
            Some(chain) if chain.bare => self.few_statements(&mut scope),
            _ if self.rounds.as_ref().is_some_and(|r| r.bare) => self.few_statements(&mut scope),
            _ => {
                let count = self.rng.range(2, 4);
                self.sequence(&mut scope, count)
            }
        };
        self.insert_parts(&before, &mut own);
        body.extend(own);
        self.place_remaining_labels(&mut body);
        self.heading(index, plan, body)
    }

    /// Almost nothing, so that little hides what else the process does.
    fn few_statements(&mut self, scope: &mut Scope) -> Seq {
        self.budget = self.budget.min(2);
        let count = self.rng.below(3);
        self.sequence(scope, count)
    }

    /// Puts planned statements among the random ones, more often in front of them than anywhere else. They see only what
    /// was declared before.
    fn insert_parts(&mut self, scope: &Scope, own: &mut Seq) {
        let life = self.plans[scope.proc].life;
        let chain = if life == Life::Mayfly { None } else { self.chain_part(scope) };
        let rounds = if life == Life::Mayfly { None } else { self.rounds_part(scope) };
        let parts = [rounds, chain, self.rebirth(scope), self.run_itself(scope)];
        for part in parts.into_iter().flatten() {
            let first = life == Life::BeginsWithItself || self.rng.chance(70);
            let at = if first { 0 } else { self.rng.below(own.len() as u32 + 1) as usize };
            own.splice(at..at, part);
        }
    }

    fn heading(&mut self, index: usize, plan: Plan, body: Seq) -> Proc {
        let provided = self.maybe(Feature::Provided, 50) && plan.start != Start::Init;
        let globals = Scope { inline: true, ..self.globals.clone() };
        let usual = provided.then(|| {
            let c = self.condition(&globals, 0);
            if self.rng.chance(50) {
                Expr::binary("||", c, Expr::binary("==", Expr::word("_pid"), Expr::Num(0)))
            } else {
                c
            }
        });
        let provided = if plan.life == Life::BeginsWithItself { Some(self.bound()) } else { usual };
        let priority = match self.chain_priority(index) {
            Some(priority) => Some(priority),
            None => self.maybe(Feature::Priority, 60).then(|| self.rng.range(1, 4)),
        };
        Proc {
            start: plan.start,
            deterministic: plan.deterministic,
            name: plan.name,
            params: plan.params,
            priority,
            provided,
            body,
        }
    }

    fn enter_param(&self, scope: &mut Scope, param: &VarDecl, chan: &Option<ChanVar>) {
        match chan {
            Some(chan) => {
                let path = vec![Seg { name: param.name.clone(), len: None }];
                scope.chans.push(ChanVar { path, ..chan.clone() });
            }
            None => scope.vars.push(Var::plain(&param.name, param.ty.clone(), None)),
        }
    }

    /// The declarations at the start of a body, which are part of the creation of the process.
    fn leading_decls(&mut self, scope: &mut Scope, plan: &Plan) -> Seq {
        let mut decls = Vec::new();
        for index in 0..self.rng.below(3) {
            let ty = self.scalar_type();
            let len = self.array_len(&ty);
            let init = if self.rng.chance(40) && len.is_none() { self.leading_value(scope, &ty) } else { None };
            decls.push(VarDecl { vis: Vis::Plain, ty, name: format!("x{index}"), len, init });
            let last = decls.len() - 1;
            self.enter(scope, &decls[last].clone(), true);
        }
        if let Some(name) = &plan.remote_var {
            decls.push(VarDecl { vis: Vis::Plain, ty: Ty::Byte, name: name.clone(), len: None, init: None });
            self.enter(scope, &decls[decls.len() - 1], true);
        }
        if self.has(Feature::Structs) && self.rng.chance(30) && plan.start != Start::Init {
            let ty = Ty::Struct("Inner".into());
            decls.push(VarDecl { vis: Vis::Plain, ty, name: "t0".into(), len: None, init: None });
            self.enter(scope, &decls[decls.len() - 1], true);
        }
        let mut seq = self.channel_decls(scope);
        seq.extend(decls.into_iter().map(|d| Stmt::new(Kind::Decl(d))));
        seq.extend(self.exclusive_claim(plan));
        seq
    }

    /// Two elements, for some; there are no arrays of `unsigned`.
    pub(super) fn array_len(&mut self, ty: &Ty) -> Option<u32> {
        let array = !matches!(ty, Ty::Unsigned(_)) && self.maybe(Feature::Arrays, 20);
        array.then_some(2)
    }

    /// An initial value for a leading declaration. SPIN computes it for the first processes and refuses one that does
    /// not fit, so only wide types start with the value of an expression.
    fn leading_value(&mut self, scope: &Scope, ty: &Ty) -> Option<Init> {
        let scope = &Scope { proc: 0, ..scope.clone() };
        match ty {
            Ty::Short | Ty::Int if self.rng.chance(60) => Some(Init::Value(self.value(scope, 1))),
            Ty::Byte if self.rng.chance(30) => Some(Init::Value(Expr::word("_pid"))),
            Ty::Bit | Ty::Bool | Ty::Byte if self.rng.chance(40) => {
                Some(Init::Value(self.comparison(scope, 0).paren()))
            }
            _ => self.initial(ty),
        }
    }

    fn channel_decls(&mut self, scope: &mut Scope) -> Seq {
        let mut seq = Vec::new();
        if let Some((_, kind)) = self.carrier.clone() {
            seq.push(chan_decl("q0", None));
            if self.maybe(Feature::LocalChan, 60) {
                let decl = chan_decl("k0", Some(Init::Chan(kind.capacity, kind.fields.clone())));
                let path = vec![Seg { name: "k0".into(), len: None }];
                scope.chans.push(ChanVar { path, ..kind });
                seq.push(decl);
            }
        } else if self.maybe(Feature::LocalChan, 60) {
            let decl = VarDecl {
                vis: Vis::Plain,
                ty: Ty::Chan,
                name: "k0".into(),
                len: None,
                init: Some(Init::Chan(1, vec![Ty::Byte])),
            };
            self.enter(scope, &decl, true);
            seq.push(Stmt::new(Kind::Decl(decl)));
        }
        seq
    }

    /// `xr c` or `xs c` for a buffered global channel, in a process that exists once.
    fn exclusive_claim(&mut self, plan: &Plan) -> Seq {
        let plain = |c: &&ChanVar| c.capacity > 0 && c.path.len() == 1 && c.path[0].len.is_none();
        let chan = self.globals.chans.iter().find(plain).map(|c| c.path[0].name.clone());
        match chan {
            Some(name) if plan.start == Start::Active(1) && self.maybe(Feature::Exclusive, 70) => {
                if std::mem::replace(&mut self.claimed, true) {
                    return Vec::new();
                }
                let word = if self.rng.chance(50) { "xr" } else { "xs" };
                vec![Kind::Exclusive(word, Place::name(&name)).into()]
            }
            _ => Vec::new(),
        }
    }

    fn choose_labels(&mut self, plan: &Plan) {
        self.unplaced.clear();
        self.targets.clear();
        if self.has(Feature::Goto) {
            self.targets = (0..self.rng.range(1, 2)).map(|i| format!("L{i}")).collect();
        }
        if self.has(Feature::EndLabels) {
            let word = *self.rng.pick(&["end", "end_here", "progress", "accept"]).unwrap_or(&"end");
            self.unplaced.push(word.to_string());
        }
        self.unplaced.extend(self.targets.iter().cloned());
        self.unplaced.extend(plan.remote_label.iter().cloned());
    }

    /// Labels that found no place stand at the end of the body, or at its last statement.
    fn place_remaining_labels(&mut self, body: &mut Seq) {
        while let Some(label) = self.unplaced.pop() {
            let candidates: Vec<usize> = (0..body.len()).filter(|i| self.takes_label(&body[*i], &label)).collect();
            match self.rng.pick(&candidates) {
                Some(index) if self.rng.chance(70) => body[*index].labels.push(label),
                _ => {
                    let mut last: Stmt = Kind::Guard(Expr::word("skip")).into();
                    last.labels.push(label);
                    body.push(last);
                }
            }
        }
    }
}

fn chan_decl(name: &str, init: Option<Init>) -> Stmt {
    Kind::Decl(VarDecl { vis: Vis::Plain, ty: Ty::Chan, name: name.into(), len: None, init }).into()
}
