//! The walk over the tree: who reads and writes what, and which checks look at what they meet.

use super::Lint;
use super::names::{Role, VarId};
use crate::ast::*;

impl Lint<'_> {
    /// Walks over the whole model; formulas come last, as they may speak of anything.
    pub fn program(&mut self, program: &Program) {
        self.learn(program);
        for unit in &program.units {
            match unit {
                Unit::Decl(d) => self.declaration(d, Role::Global),
                Unit::Typedef(t) => t.fields.iter().for_each(|d| self.typedef_field(d)),
                Unit::Proctype(p) => self.proctype(p),
                Unit::Init(i) => {
                    self.priority(i.priority.as_ref());
                    self.body("init".into(), &[], None, &i.body);
                }
                Unit::Never(n) => {
                    self.claim = true;
                    self.body("never".into(), &[], None, &n.body);
                    self.claim = false;
                }
                Unit::Trace(t) => self.trace(&t.body),
                Unit::Mtype(_) | Unit::Inline(_) | Unit::Embedded(_) | Unit::Ltl(_) => {}
            }
        }
        self.claim = true;
        for unit in &program.units {
            if let Unit::Ltl(l) = unit {
                self.expr(&l.formula);
            }
        }
        self.claim = false;
    }

    fn proctype(&mut self, p: &Proctype) {
        if p.active.is_some() {
            self.started.insert(p.name.name.clone());
        }
        if let Some(Active { count: Some(e), .. }) = &p.active {
            self.expr(e);
        }
        self.priority(p.priority.as_ref());
        self.body(p.name.name.clone(), &p.params, p.provided.as_ref(), &p.body);
    }

    fn body(&mut self, name: std::sync::Arc<str>, params: &[Decl], provided: Option<&Expr>, body: &Block) {
        self.body = Some(name);
        self.enter();
        for d in params {
            self.declaration(d, Role::Parameter);
        }
        if let Some(e) = provided {
            self.expr(e);
        }
        self.scoped(body);
        self.leave();
        self.body = None;
    }

    /// An event assertion: names in it are used, but nothing is executed.
    fn trace(&mut self, body: &Block) {
        let (before, claim) = (self.vars.len(), std::mem::replace(&mut self.claim, true));
        let events: Vec<_> = self.vars.iter().map(|v| (v.uses.sent, v.uses.received)).collect();
        self.body(":trace:".into(), &[], None, body);
        for (v, (sent, received)) in self.vars.iter_mut().take(before).zip(events) {
            (v.uses.sent, v.uses.received) = (sent, received);
        }
        self.claim = claim;
    }

    fn typedef_field(&mut self, d: &Decl) {
        for v in &d.vars {
            self.initialised(d, v);
        }
    }

    /// A declaration with its initialisers.
    fn declaration(&mut self, d: &Decl, role: Role) {
        for v in &d.vars {
            // The name is not known in its own initialiser.
            self.initialised(d, v);
            let id = self.declare(d, v, role);
            let plain = matches!(v.init, Some(Initializer::Expr(_) | Initializer::List(_)));
            self.uses(id).written = plain;
        }
    }

    fn initialised(&mut self, d: &Decl, v: &Declarator) {
        self.optional(v.length.as_ref());
        let ty = self.type_of(d, v);
        match &v.init {
            Some(Initializer::Expr(e)) => {
                self.expr(e);
                self.fits(e, &ty, v.length.is_some());
                self.mixed_sets(&ty, e);
            }
            Some(Initializer::List(list)) => list.iter().for_each(|e| self.fits(e, &ty, true)),
            Some(Initializer::Channel(c)) => {
                self.optional(Some(&c.capacity));
                self.rendezvous_declared(c);
            }
            None => {}
        }
    }

    fn optional(&mut self, e: Option<&Expr>) {
        if let Some(e) = e {
            self.expr(e);
        }
    }

    /// A block with a scope of its own.
    pub fn scoped(&mut self, block: &Block) {
        self.enter();
        self.sequence(block, false);
        self.leave();
    }

    /// The steps of a block. `guarded` is true if the first one decides whether the block is entered at all.
    pub fn sequence(&mut self, block: &Block, guarded: bool) {
        self.unreachable_after(block);
        let mut guard = guarded;
        for step in &block.steps {
            match step {
                Step::Decl(d) => self.declaration(d, Role::Local),
                Step::Exclusive(x) => x.channels.iter().for_each(|c| self.mention(c)),
                Step::Stmt(s) => self.statement(s, guard),
            }
            guard = false;
        }
    }

    /// One statement; `guard` is true if it decides whether what it stands in is entered.
    pub fn statement(&mut self, s: &Stmt, guard: bool) {
        self.labels.declare(self.body.as_ref(), &s.labels);
        self.passed_label(s, guard);
        self.may_block(s, guard);
        match &s.kind {
            StmtKind::If(options) | StmtKind::Do(options) => self.options(s, options, guard),
            StmtKind::For { var, from, to, body } => {
                self.endless_for(var, to, body);
                self.counter(var);
                self.expr(from);
                self.expr(to);
                self.fits_variable(from, var);
                self.scoped(body);
            }
            StmtKind::ForIn { var, over, body } => {
                self.endless_for_in(var, over, body);
                self.counter(var);
                self.iterated(over, s.span);
                self.scoped(body);
            }
            StmtKind::Select { var, from, to, .. } => {
                self.select_in_d_step(s, from, to);
                self.counter(var);
                for e in [from, to] {
                    self.expr(e);
                    self.fits_variable(e, var);
                }
            }
            StmtKind::Atomic(b) | StmtKind::DStep(b) => self.indivisible(s, b, guard),
            StmtKind::Block(b) => {
                self.enter();
                self.sequence(b, guard);
                self.leave();
            }
            StmtKind::InlineCall { name, result, body, .. } => {
                self.called.insert(name.name.clone());
                if let Some(v) = result {
                    self.mention(v);
                }
                self.enter();
                self.sequence(body, guard);
                self.leave();
            }
            StmtKind::Unless { body, escape } => self.unless(body, escape, guard),
            StmtKind::Goto(label) => self.labels.jump(self.body.as_ref(), label),
            StmtKind::Skip | StmtKind::Break | StmtKind::Else | StmtKind::Embedded(_) => {}
            _ => self.basic(s),
        }
    }

    fn basic(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Assign { target, op } => self.assignment(target, op),
            StmtKind::Assert(e) => {
                self.constant_assertion(s, e);
                self.expr(e);
            }
            StmtKind::Printf { format, args } => {
                self.printf(s, format, args);
                args.iter().for_each(|a| self.expr(a));
            }
            StmtKind::Printm(e) | StmtKind::Expr(e) | StmtKind::Lazy(e) => self.expr(e),
            StmtKind::Send { channel, args, .. } => {
                args.iter().for_each(|a| self.expr(a));
                self.sent(channel, args, s.span);
            }
            StmtKind::Receive { channel, args, .. } => {
                self.pattern(args);
                self.received(channel, args, s.span);
            }
            StmtKind::SetTimer { timer, slices } => {
                self.read(timer);
                self.optional(slices.as_ref());
                if let Some(id) = self.find(&timer.parts[0].name.name) {
                    self.uses(id).written = true;
                }
            }
            StmtKind::SetPriority { pid, priority } => {
                self.combinations.priority.get_or_insert(s.span);
                self.expr(pid);
                self.expr(priority);
            }
            _ => {}
        }
    }

    fn assignment(&mut self, target: &VarRef, op: &AssignOp) {
        if &*target.parts[0].name.name == "_priority" {
            self.combinations.priority.get_or_insert(target.span);
        }
        let referent = self.refer(target);
        let id = referent.as_ref().map(|r| r.var);
        if let Some(id) = id {
            let uses = self.uses(id);
            (uses.mentioned, uses.written, uses.shared) = (true, true, true);
        }
        self.indices(target);
        if let AssignOp::Set(e) = op {
            self.target = id;
            self.expr(e);
            self.target = None;
            if let Some(r) = referent {
                self.fits(e, &r.ty, r.array.is_some());
                self.mixed_sets(&r.ty, e);
            }
        }
    }

    fn indices(&mut self, v: &VarRef) {
        for part in &v.parts {
            self.optional(part.index.as_deref());
        }
    }

    /// A variable that counts for a loop: it is written, and read by the loop itself.
    fn counter(&mut self, v: &VarRef) {
        self.read(v);
        if let Some(id) = self.find(&v.parts[0].name.name) {
            self.uses(id).written = true;
        }
    }

    /// A name that occurs without being read or written.
    pub fn mention(&mut self, v: &VarRef) {
        if let Some(id) = self.find(&v.parts[0].name.name) {
            self.uses(id).mentioned = true;
        }
        self.indices(v);
    }

    /// A name whose value is read.
    pub fn read(&mut self, v: &VarRef) {
        self.predefined(v);
        if let Some(id) = self.find(&v.parts[0].name.name) {
            let own: bool = self.target == Some(id);
            let uses = self.uses(id);
            (uses.mentioned, uses.shared) = (true, true);
            uses.read |= !own;
        }
        self.indices(v);
    }

    /// A channel that is used by a channel operation, which does not make it known under other names.
    pub fn channel(&mut self, v: &VarRef) -> Option<VarId> {
        let id = self.find(&v.parts[0].name.name);
        if let Some(id) = id {
            let uses = self.uses(id);
            (uses.mentioned, uses.read) = (true, true);
        }
        self.indices(v);
        id
    }

    /// The pattern of a receive. A variable in it counts as read, as it does for SPIN: many a model receives a value
    /// only to be rid of it.
    fn pattern(&mut self, args: &[RecvArg]) {
        for a in args {
            match a {
                RecvArg::Var(v) => self.read(v),
                RecvArg::Eval(e) => self.expr(e),
                RecvArg::Number(..) => {}
            }
        }
    }

    /// An expression that is read.
    pub fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(v) => self.read(v),
            ExprKind::Unary(_, a) => self.expr(a),
            ExprKind::Binary(op, a, b) => {
                self.expr(a);
                self.expr(b);
                if let Some(op) = op.plain() {
                    self.operation(e, op, a, b);
                }
            }
            ExprKind::Cond(a, b, c) => [a, b, c].into_iter().for_each(|x| self.expr(x)),
            ExprKind::Run { name, args, priority } => {
                self.started.insert(name.name.clone());
                args.iter().for_each(|a| self.expr(a));
                self.priority(priority.as_deref());
                self.run_arguments(name, args);
            }
            ExprKind::Timer(_, v) => self.read(v),
            ExprKind::Channel(query, v) => {
                self.channel(v);
                self.asked(v);
                self.rendezvous_query(e, *query, v);
            }
            ExprKind::Poll { channel, args, .. } => {
                self.channel(channel);
                self.asked(channel);
                self.pattern(args);
                self.rendezvous_poll(e, channel);
            }
            ExprKind::Enabled(a) => {
                self.combinations.enabled.get_or_insert(e.span);
                self.expr(a);
            }
            ExprKind::GetPriority(a) => {
                self.combinations.priority.get_or_insert(e.span);
                self.expr(a);
            }
            ExprKind::PcValue(a) => self.expr(a),
            ExprKind::RemoteLabel { process, pid, label } => {
                self.labels.jump(Some(&process.name), label);
                self.optional(pid.as_deref());
            }
            ExprKind::RemoteVar { process, pid, var } => {
                self.remote_vars.push((process.name.clone(), var.parts[0].name.name.clone()));
                self.optional(pid.as_deref());
                self.indices(var);
            }
            ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress | ExprKind::Embedded(_) => {}
        }
    }
}
