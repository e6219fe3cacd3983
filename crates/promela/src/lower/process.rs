//! Process types and `init`: from a body to its web, and from all webs to automata.

use super::automaton::{self, AutomatonError};
use super::expr::Context;
use super::flow::{Flow, FlowError, Item, Place as LabelPlace, Spanned};
use super::globals::Globals;
use super::optimise::{Dead, Optimised, Others, optimise};
use super::{Body, Lower, handshakes, merged};
use crate::ast;
use starwheel_base::{Diagnostic, Span};
use starwheel_model::{Expr, LocId, Proctype, ProctypeId, ProctypeKind, Start, layout::FRAME_HEADER};
use std::sync::Arc;

/// What is known of a body before it is lowered.
pub struct Head<'a> {
    pub name: Arc<str>,
    pub kind: ProctypeKind,
    pub span: Span,
    pub params: &'a [ast::Decl],
    pub body: &'a ast::Block,
    pub deterministic: bool,
}

impl Lower<'_> {
    pub fn proctype(&mut self, p: &ast::Proctype) {
        let head = Head {
            name: p.name.name.clone(),
            kind: ProctypeKind::Process,
            span: p.name.span,
            params: &p.params,
            body: &p.body,
            deterministic: p.deterministic,
        };
        let priority = self.declared_priority(p.priority.as_ref());
        let id = self.body(head, p.provided.as_ref());
        if let (Some(e), None) = (&p.priority, &p.active) {
            self.report(
                Diagnostic::warning(
                    "priority-without-active",
                    e.span,
                    "this priority has no effect on processes that `run` starts",
                )
                .advise(format!("give it where the process is started: `run {}(…) priority {priority}`", p.name.name)),
            );
        }
        if let Some(active) = &p.active {
            for _ in 0..self.active_count(active) {
                self.model.starts.push(Start { proctype: id, priority });
            }
        }
    }

    pub fn init(&mut self, init: &ast::Init) {
        if self.model.proctypes.iter().any(|p| p.kind == ProctypeKind::Init) {
            self.report(
                Diagnostic::error("second-init", init.span, "a model has only one `init`")
                    .advise("make the other one an `active proctype`"),
            );
        }
        let head = Head {
            name: ":init:".into(),
            kind: ProctypeKind::Init,
            span: init.span,
            params: &[],
            body: &init.body,
            deterministic: false,
        };
        let priority = self.declared_priority(init.priority.as_ref());
        let id = self.body(head, None);
        self.model.starts.push(Start { proctype: id, priority });
    }

    fn declared_priority(&mut self, e: Option<&ast::Expr>) -> u8 {
        let Some(e) = e else { return 1 };
        self.model.uses.priority = true;
        self.priority(e).unwrap_or(1)
    }

    fn active_count(&mut self, active: &ast::Active) -> i32 {
        let Some(e) = &active.count else { return 1 };
        let named = match &e.kind {
            ast::ExprKind::Var(v) if v.parts.len() == 1 => self.find(&v.parts[0].name.name),
            _ => None,
        };
        let count = match named.and_then(|id| self.symbol(id).constant) {
            Some(n) => Some(n),
            None => self.constant(e),
        };
        match count {
            Some(n) if n > 255 => {
                self.report(
                    Diagnostic::error(
                        "too-many-processes",
                        e.span,
                        format!("{n} processes are asked for, 255 are possible"),
                    )
                    .advise("only 255 processes are started"),
                );
                255
            }
            Some(n) => n,
            None => 0,
        }
    }

    /// Lowers one body and keeps its web for later.
    pub fn body(&mut self, head: Head<'_>, provided: Option<&ast::Expr>) -> ProctypeId {
        self.locals.clear();
        self.locals_used = FRAME_HEADER;
        self.params = Vec::new();
        self.frame_init = Vec::new();
        self.frame_channels = Vec::new();
        self.scope = Vec::new();
        self.scopes_made = vec![0];
        self.loops = Vec::new();
        self.flow = Flow::new(head.span);
        self.params(head.params);
        let provided = provided.and_then(|e| self.provided(e));
        self.flow.open();
        self.at_start = true;
        self.block(head.body, true);
        // A process ends at its closing brace.
        let brace = Span { start: head.body.span.end.saturating_sub(1), ..head.body.span };
        self.flow.add(Spanned { item: Item::Stop, span: brace });
        let seq = self.flow.close(LabelPlace::Allowed, head.body.span);
        self.flow_errors();
        self.model.proctypes.push(Proctype {
            name: head.name,
            kind: head.kind,
            span: head.span,
            locals: Vec::new(),
            params: std::mem::take(&mut self.params),
            channels: std::mem::take(&mut self.frame_channels),
            init: std::mem::take(&mut self.frame_init),
            start: LocId(0),
            locs: Vec::new(),
            provided,
            priority: 1,
            deterministic: head.deterministic,
        });
        let locals = std::mem::take(&mut self.locals);
        self.bodies.push(Body {
            unsafe_init: unsafe_init(head.body, &locals),
            flow: std::mem::take(&mut self.flow),
            seq,
            locals,
            frame: self.locals_used,
            claim: head.kind == ProctypeKind::Never || head.kind == ProctypeKind::Trace,
        });
        ProctypeId((self.bodies.len() - 1) as u8)
    }

    fn provided(&mut self, e: &ast::Expr) -> Option<Expr> {
        self.model.uses.provided = true;
        let context = std::mem::replace(&mut self.context, Context::Property);
        let value = self.expr(e);
        self.context = context;
        let local = value
            .as_ref()
            .is_some_and(|v| v.any(|e| matches!(e, Expr::Load(p) if p.region == starwheel_model::Region::Local)));
        if local {
            let message = "a `provided` clause can speak of global variables and `_pid` only";
            self.report(
                Diagnostic::error("provided-local", e.span, message)
                    .advise("make the variable global, for instance an array with `_pid` as its index"),
            );
        }
        value
    }

    fn flow_errors(&mut self) {
        for e in std::mem::take(&mut self.flow.errors) {
            let d = match e {
                FlowError::EmptySequence(span) => {
                    Diagnostic::error("empty-sequence", span, "there is no statement here")
                        .advise("write at least `skip`")
                }
                FlowError::DuplicateElse(span) => {
                    Diagnostic::error("second-else", span, "a selection can have only one `else`")
                        .advise("join the two, or give one of them a condition")
                }
                FlowError::DuplicateLabel(span, first, name) => {
                    Diagnostic::error("duplicate-label", span, format!("label `{name}` stands twice in this body"))
                        .also(first, "the first one")
                        .advise("give one of them another name")
                }
                FlowError::TooManyStates(span) => {
                    Diagnostic::error("too-large", span, "this body is too long: it has more than 65535 states")
                        .advise("split it into several process types, or shorten what macros and inlines expand to")
                }
                FlowError::MisplacedLabel(span, name, place) => misplaced(span, &name, place),
                FlowError::ElseWithIo(span) => {
                    self.model.uses.else_with_io = true;
                    if self.exclusive_promises {
                        let message = "`else` beside channel operations cannot be combined with `xr` and `xs`";
                        self.report(Diagnostic::error("else-with-exclusive", span, message));
                        continue;
                    }
                    Diagnostic::warning("else-with-channel", span, "`else` competes with channel operations").advise(
                        "it is taken whenever no send or receive is possible at this very moment, so the two race",
                    )
                }
            };
            self.report(d);
        }
    }

    /// Checks the number of arguments of every `run`, now that all process types are known.
    pub fn check_runs(&mut self) {
        for (id, given, span) in std::mem::take(&mut self.runs) {
            let Some(p) = self.model.proctypes.get(id.index()) else { continue };
            let (wanted, name, at) = (p.params.len(), p.name.clone(), p.span);
            let values = if wanted == 1 { "value" } else { "values" };
            let are = if given == 1 { "is" } else { "are" };
            let message = format!("`{name}` takes {wanted} {values}, but {given} {are} given");
            let d = match given.cmp(&wanted) {
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => Diagnostic::error("argument-count", span, message),
                std::cmp::Ordering::Less => {
                    Diagnostic::warning("argument-count", span, message).advise("the others are 0")
                }
            };
            self.report(d.also(at, "declared here"));
        }
    }

    /// Turns all webs into automata.
    pub fn build_automata(&mut self) {
        let off = self.model.uses.remote_vars;
        let mergeable = !off && !self.model.uses.provided;
        let merge = self.opt.merge && mergeable;
        let dead = Dead { variables: self.opt.dead_vars && !off, timers: self.opt.dead_timers && !off };
        let mut globals = Globals::new(&self.globals, self.bodies.iter().map(|b| b.unsafe_init).collect());
        let uses = &self.model.uses;
        let (rendezvous, interrupt) = (uses.rendezvous, uses.priority);
        let minded = handshakes::minded(&self.model, &self.bodies.iter().map(|b| &b.flow).collect::<Vec<_>>());
        for (i, minded) in minded.iter().enumerate() {
            if self.watch.token().stopped() {
                return;
            }
            let body = &mut self.bodies[i];
            let first = self.model.transitions.len() as u32;
            body.flow.tie_ends();
            globals.enter(&body.locals);
            let others = Others { rendezvous, minded, interrupt };
            let build = |flow: &mut Flow, merge| {
                let found = match body.claim {
                    true => Optimised::none(flow),
                    false => optimise(flow, body.seq, &globals, dead, merge, others),
                };
                automaton::build(flow, body.seq, ProctypeId(i as u8), first, found)
            };
            // A label at the start of an option marks the state behind its first statement, with all that is merged into it: a
            // state that is met. It does so as well if nothing is merged, so that merging changes no verdict.
            let wanted = mergeable && !body.claim && (merge || body.flow.marked_options);
            let merged = wanted.then(|| build(&mut body.flow.clone(), true));
            let mut a = build(&mut body.flow, false);
            match merged {
                Some(merged) if merge => a = if merged::follows(&merged, &a) { merged } else { a },
                Some(merged) => a.mark_as(&merged),
                None => {}
            }
            let p = &mut self.model.proctypes[i];
            p.start = a.start;
            p.locs = a.locs;
            self.model.transitions.extend(a.transitions);
            let labels: Vec<_> = self.bodies[i].flow.labels.iter().map(|l| l.name.clone()).collect();
            for e in a.errors {
                let known = self.diagnostics.iter().any(|d| d.code == "second-else");
                if !(known && matches!(e, AutomatonError::SecondElse(_))) {
                    self.report(automaton_error(e, &labels));
                }
            }
        }
    }
}

fn misplaced(span: Span, name: &str, place: LabelPlace) -> Diagnostic {
    let (message, advice) = match place {
        LabelPlace::Escape => ("on the guard of an escape", "put the label in front of the whole statement"),
        LabelPlace::BeforeUnless => ("in front of `… unless …`", "write `label: { … unless … }`"),
        LabelPlace::Atomic => ("inside `atomic`, at its start", "write `label: atomic { … }`"),
        LabelPlace::DStep => ("inside `d_step`, at its start", "write `label: d_step { … }`"),
        LabelPlace::Block => ("inside a block, at its start", "write `label: { … }`"),
        LabelPlace::Option => ("at the start of an option", "put the label in front of the `if` or `do`"),
        LabelPlace::Allowed => ("here", "move it"),
    };
    let text = format!("label `{name}` stands {message}, where it names no state of its own");
    if place == LabelPlace::Option {
        return Diagnostic::warning("misplaced-label", span, text).advise(advice);
    }
    Diagnostic::error("misplaced-label", span, text).advise(advice)
}

fn automaton_error(e: AutomatonError, labels: &[Arc<str>]) -> Diagnostic {
    match e {
        AutomatonError::UnknownLabel(span, name) => {
            let d = Diagnostic::error("unknown-label", span, format!("there is no label `{name}` in this body"));
            match super::lint::nearest(&name, labels.iter().map(|l| &**l)) {
                Some(near) => d.advise(format!("did you mean `{near}`?")),
                None => d.advise(format!("write `{name}:` in front of the statement to jump to")),
            }
        }
        AutomatonError::JumpLoop(span) => {
            Diagnostic::error("jump-loop", span, "these jumps lead in a circle without any statement")
                .advise("put a statement between them, such as `skip`")
        }
        AutomatonError::SecondElse(span) => {
            Diagnostic::error("second-else", span, "two `else` can be reached from the same place").advise(
                "a selection at the start of an option is part of the selection around it; put a `skip` before it",
            )
        }
        AutomatonError::NotInDStep(span, what) => {
            Diagnostic::error("not-in-d_step", span, format!("{what} cannot stand inside a `d_step`"))
                .advise("use `atomic` instead, or move it in front of the `d_step`")
        }
        AutomatonError::JumpAcrossDStep(span) => {
            Diagnostic::error("jump-across-d_step", span, "a jump cannot leave or enter a `d_step`")
                .advise("use `atomic` instead, or move the jump behind the `d_step`")
        }
    }
}

/// SPIN takes `run P` for a global step if the last initialiser among P's locals is not a constant or a local name.
fn unsafe_init(body: &ast::Block, locals: &[super::symbols::Symbol]) -> bool {
    fn last(block: &ast::Block, found: &mut Option<bool>, local: &dyn Fn(&str) -> bool) {
        for step in &block.steps {
            match step {
                ast::Step::Decl(d) => d.vars.iter().filter_map(|v| v.init.as_ref()).for_each(|init| {
                    *found = Some(match init {
                        ast::Initializer::Expr(e) => match &e.kind {
                            ast::ExprKind::Number(_) => false,
                            ast::ExprKind::Var(v) => !local(&v.parts[0].name.name),
                            _ => true,
                        },
                        _ => true,
                    })
                }),
                ast::Step::Stmt(s) => inner(&s.kind, found, local),
                ast::Step::Exclusive(_) => {}
            }
        }
    }
    fn inner(kind: &ast::StmtKind, found: &mut Option<bool>, local: &dyn Fn(&str) -> bool) {
        use ast::StmtKind as K;
        match kind {
            K::If(o) | K::Do(o) => o.iter().for_each(|b| last(b, found, local)),
            K::For { body, .. } | K::ForIn { body, .. } | K::InlineCall { body, .. } => last(body, found, local),
            K::Atomic(b) | K::DStep(b) | K::Block(b) => last(b, found, local),
            K::Unless { body, escape } => {
                inner(&body.kind, found, local);
                inner(&escape.kind, found, local);
            }
            _ => {}
        }
    }
    let mut found = None;
    last(body, &mut found, &|name| locals.iter().any(|s| &*s.name == name));
    found == Some(true)
}
