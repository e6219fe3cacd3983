//! From the syntax tree to the model: names and types resolved, control flow turned into automata.
//!
//! The order of things is SPIN's, since it decides numbers of states and of channels: units in source order, the
//! elements of a body in the order in which SPIN's parser makes them. See `flow` and `automaton`.

mod automaton;
mod claims;
mod decl;
mod expr;
mod flow;
mod globals;
mod handshakes;
mod hidden;
mod labels;
pub mod lint;
mod listed;
mod merged;
mod optimise;
mod patch;
mod process;
mod rewrite;
mod stmt;
mod symbols;
mod timers;

use crate::ast;
use expr::Context;
use flow::Flow;
use listed::Listed;
use starwheel_base::cancel::{Token, Watch};
use starwheel_base::{Diagnostic, Label, SourceMap, Span};
use starwheel_model::{ChannelVar, Layout, LocId, Model, Place, ProctypeId, Stmt};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use symbols::{Scope, StructDef};

/// Which of SPIN's automaton optimisations are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Optimisations {
    /// Reset dead locals, and hide globals that are never read.
    pub dead_vars: bool,
    /// Switch dead local timers off, which SPIN does not know.
    pub dead_timers: bool,
    /// Merge local steps.
    pub merge: bool,
}

/// Lowers a whole program. The model is there only if there is no error, and makes no sense if the token says stop.
pub fn lower(
    program: &ast::Program,
    map: &SourceMap,
    name: &str,
    opt: Optimisations,
    until: &Token,
) -> (Option<Model>, Vec<Diagnostic>) {
    let mut l = Lower::new(map, name, opt, until.watch());
    l.program(program);
    if !l.diagnostics.iter().any(Diagnostic::is_error) && !until.stopped() {
        lint::program(program, map, name, &mut l.diagnostics);
    }
    let ok = !l.diagnostics.iter().any(Diagnostic::is_error);
    (ok.then_some(l.model), l.diagnostics)
}

/// A reference to a label of another process type.
struct RemoteRef {
    proctype: ProctypeId,
    label: ast::Ident,
}

/// A body whose web of elements is complete, waiting to become an automaton.
struct Body {
    flow: Flow,
    seq: flow::Seq,
    locals: Listed,
    frame: u32,
    claim: bool,
    /// SPIN's guess whether the initial values of its locals depend on globals.
    unsafe_init: bool,
}

struct Lower<'a> {
    map: &'a SourceMap,
    opt: Optimisations,
    /// Says when to give up.
    watch: Watch,
    model: Model,
    diagnostics: Vec<Diagnostic>,
    /// What was said where, and what is said once for all places: its number among the diagnostics.
    said: HashSet<(&'static str, Span)>,
    repeated: HashMap<(&'static str, String), usize>,

    mtypes: HashMap<Arc<str>, (i32, Arc<str>, Span)>,
    structs: Vec<StructDef>,
    struct_ids: HashMap<Arc<str>, usize>,
    proctype_ids: HashMap<Arc<str>, ProctypeId>,
    globals: Listed,
    /// Names whose declaration is wrong: that they are not known has been explained.
    spoilt: HashSet<Arc<str>>,
    globals_used: u32,
    hidden_used: u32,
    scratch: Option<u32>,
    exclusive_promises: bool,

    bodies: Vec<Body>,
    remote_refs: Vec<RemoteRef>,
    remote_vars: Vec<(ProctypeId, ast::Ident)>,
    remote_locs: HashMap<(ProctypeId, Arc<str>), LocId>,
    runs: Vec<(ProctypeId, usize, Span)>,

    // What follows belongs to the body that is being lowered.
    locals: Listed,
    locals_used: u32,
    params: Vec<Place>,
    frame_init: Vec<Stmt>,
    frame_channels: Vec<ChannelVar>,
    scope: Scope,
    scopes_made: Vec<u32>,
    flow: Flow,
    loops: Vec<u32>,
    at_start: bool,
    in_claim: bool,
    in_trace: bool,
    context: Context,
    printing: bool,
    run_seen: Option<Span>,
}

/// What is wrong with a name is wrong wherever it is used: it is said once, and the next places are shown with it.
const REPEATED: [&str; 2] = ["unknown-name", "missing-index"];
/// How many of these are shown.
const SHOWN: usize = 3;
/// How many errors and warnings are kept; nobody reads more.
const MAX_DIAGNOSTICS: usize = 200;

fn mention(first: &mut Diagnostic, span: Span) {
    if first.labels.len() <= SHOWN && first.labels.iter().all(|label| label.span != span) {
        first.labels.push(Label { span, text: "here, too".to_string(), primary: false });
    }
}

impl<'a> Lower<'a> {
    fn new(map: &'a SourceMap, name: &str, opt: Optimisations, watch: Watch) -> Lower<'a> {
        Lower {
            map,
            opt,
            watch,
            model: Model { name: name.to_string(), ..Model::default() },
            diagnostics: Vec::new(),
            said: HashSet::new(),
            repeated: HashMap::new(),
            mtypes: HashMap::new(),
            structs: Vec::new(),
            struct_ids: HashMap::new(),
            proctype_ids: HashMap::new(),
            globals: Listed::default(),
            spoilt: HashSet::new(),
            globals_used: 0,
            hidden_used: 0,
            scratch: None,
            exclusive_promises: false,
            bodies: Vec::new(),
            remote_refs: Vec::new(),
            remote_vars: Vec::new(),
            remote_locs: HashMap::new(),
            runs: Vec::new(),
            locals: Listed::default(),
            locals_used: 0,
            params: Vec::new(),
            frame_init: Vec::new(),
            frame_channels: Vec::new(),
            scope: Vec::new(),
            scopes_made: vec![0],
            flow: Flow::default(),
            loops: Vec::new(),
            at_start: true,
            in_claim: false,
            in_trace: false,
            context: Context::Process,
            printing: false,
            run_seen: None,
        }
    }

    /// Reports a problem, once: a second one with the same code at the same place adds nothing.
    fn report(&mut self, d: Diagnostic) {
        if !self.said.insert((d.code, d.span())) {
            return;
        }
        if REPEATED.contains(&d.code) {
            let next = self.diagnostics.len();
            let first = *self.repeated.entry((d.code, d.message.clone())).or_insert(next);
            if let Some(first) = self.diagnostics.get_mut(first) {
                return mention(first, d.span());
            }
        }
        if !self.full() || (d.is_error() && !self.diagnostics.iter().any(Diagnostic::is_error)) {
            self.diagnostics.push(d);
        }
    }

    /// True if there is no use in saying more.
    fn full(&self) -> bool {
        self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    fn enter_scope(&mut self) {
        let depth = self.scope.len();
        let made = &mut self.scopes_made;
        made.resize(depth + 1, 0);
        made[depth] += 1;
        self.scope.push(made[depth]);
    }

    fn leave_scope(&mut self) {
        self.scope.pop();
    }

    fn refuse_c(&mut self, c: &ast::EmbeddedC) {
        let message = format!("`{}` is not supported", c.keyword.name);
        self.report(
            Diagnostic::error("embedded-c", c.span, message)
                .advise("embedded C code cannot be executed here; express it in Promela"),
        );
    }

    /// Says that there is no process, at the first type that could be one.
    fn nobody(&mut self, program: &ast::Program) {
        let types = || program.units.iter().filter_map(|u| if let ast::Unit::Proctype(p) = u { Some(p) } else { None });
        let place = types().next().map_or_else(Span::default, |p| p.span);
        let d = Diagnostic::error("no-process", place, "the model has no process: nothing can happen in it");
        let names: Vec<String> = types().take(3).map(|p| format!("`{}`", p.name.name)).collect();
        self.report(d.advise(match names.as_slice() {
            [] => "add an `init { … }` or an `active proctype`".to_string(),
            names => format!("write `active` in front of {}, or add an `init` that runs it", names.join(" or ")),
        }));
    }

    fn program(&mut self, program: &ast::Program) {
        self.number_proctypes(program);
        let mut starts = 0;
        for unit in &program.units {
            if self.watch.token().stopped() {
                return;
            }
            match unit {
                ast::Unit::Mtype(m) => self.mtype(m),
                ast::Unit::Typedef(t) => self.typedef(t),
                ast::Unit::Decl(d) => self.global(d),
                ast::Unit::Proctype(p) => {
                    self.proctype(p);
                    starts += usize::from(p.active.is_some());
                }
                ast::Unit::Init(i) => {
                    self.init(i);
                    starts += 1;
                }
                ast::Unit::Never(n) => self.never(n),
                ast::Unit::Trace(t) => self.trace(t),
                ast::Unit::Ltl(_) | ast::Unit::Inline(_) => {}
                ast::Unit::Embedded(c) => self.refuse_c(c),
            }
        }
        // Formulas may speak of anything in the model, wherever it is declared.
        for unit in &program.units {
            if let ast::Unit::Ltl(l) = unit {
                self.ltl(l);
            }
        }
        self.order_properties();
        let errors = self.diagnostics.iter().any(Diagnostic::is_error);
        if starts == 0 && !errors {
            self.nobody(program);
        }
        self.check_runs();
        if self.diagnostics.iter().any(|d| d.code == "too-large") {
            // The states of such a body have no numbers of their own, so there is no automaton to build.
            return;
        }
        self.mark_remote_labels();
        self.build_automata();
        if self.watch.token().stopped() {
            return;
        }
        self.patch_remotes();
        if !errors {
            self.keep_read();
        }
        self.hide_unread();
        self.lay_out();
    }

    /// Gives every body its number in source order, so that bodies can refer to later ones.
    fn number_proctypes(&mut self, program: &ast::Program) {
        let mut n = 0u32;
        for unit in &program.units {
            let name = match unit {
                ast::Unit::Proctype(p) => Some(&p.name),
                ast::Unit::Init(_) | ast::Unit::Never(_) | ast::Unit::Trace(_) => None,
                _ => continue,
            };
            if n > 255 {
                let span = name.map_or(Span::default(), |n| n.span);
                self.report(Diagnostic::error(
                    "too-many-proctypes",
                    span,
                    "a model can have at most 255 process types",
                ));
                return;
            }
            if let Some(name) = name
                && self.proctype_ids.insert(name.name.clone(), ProctypeId(n as u8)).is_some()
            {
                let message = format!("process type `{}` is declared twice", name.name);
                self.report(
                    Diagnostic::error("duplicate-name", name.span, message).advise("give one of them another name"),
                );
            }
            n += 1;
        }
    }

    fn lay_out(&mut self) {
        let frames: Vec<u32> = self.bodies.iter().map(|b| b.frame).collect();
        let globals = self.globals.clone();
        self.model.globals = globals.iter().flat_map(|s| self.leaves(s)).collect();
        for (i, body) in std::mem::take(&mut self.bodies).into_iter().enumerate() {
            self.model.proctypes[i].locals = body.locals.iter().flat_map(|s| self.leaves(s)).collect();
        }
        self.model.layout = Layout::new(&self.model, self.hidden_used, self.globals_used, &frames);
    }
}
