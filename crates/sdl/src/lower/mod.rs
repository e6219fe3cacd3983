//! From the tree of a process to its machine: names are looked up, procedures inlined, composite states unfolded.
//!
//! A *configuration* is where a process stands: a state, and inside it, if it is composite, the states of its parts.
//! Each configuration that can be reached by NEXTSTATE becomes one state of the machine. A transition is lowered in
//! the configuration in which it begins, so that `nextstate -`, exit procedures and the other parts of an aggregation
//! need no variables at run time.

mod action;
mod arithmetic;
mod assign;
mod call;
mod config;
mod expr;
mod frame;
mod list;
mod observer;
mod place;
mod property;
mod timer;
mod trans;
mod trigger;

use crate::ast::{Expr, ExprKind, Item, Name};
use crate::machine::*;
use crate::options::Options;
use crate::sorts::{SortId, Sorts};
use crate::structure::{Reach, Structure};
use config::Conf;
use frame::{Frame, FrameId};
use starwheel_base::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

pub use place::leaves;
pub use property::properties;
pub use trans::{drop_labels, each_block, tidy};

/// A process may have this many statements and states once everything is written out.
const BUDGET: usize = 60_000;

/// One copy of a label: of which frame, its name, and the configuration it was made for, if that matters.
type LabelKey = (FrameId, String, Option<(Conf, Vec<usize>)>);

/// Where a transition is being lowered.
#[derive(Clone, Debug)]
pub struct Here {
    frame: FrameId,
    conf: Conf,
    /// Which part of the configuration the transition belongs to.
    path: Vec<usize>,
}

/// Lowers one process.
pub struct Lower<'a> {
    structure: &'a Structure<'a>,
    sorts: &'a mut Sorts,
    options: &'a Options,
    diagnostics: &'a mut Vec<Diagnostic>,
    me: ProcessId,
    process: Process,
    frames: Vec<Frame<'a>>,
    states: HashMap<Conf, StateId>,
    todo: Vec<(StateId, Conf)>,
    labels: HashMap<LabelKey, LabelId>,
    /// Scratch variables that are free, by sort.
    free: HashMap<SortId, Vec<VarId>>,
    /// Scratch variables of the statement that is being lowered.
    used: Vec<(VarId, SortId)>,
    /// Variables of procedures: all calls share them.
    locals: HashMap<(usize, String), VarId>,
    noted: HashSet<String>,
    /// Names whose declaration was refused: that they are missing is no news.
    refused: HashSet<String>,
    budget: usize,
    names: HashSet<String>,
    /// What is lowered already: observers look into it.
    others: &'a [Process],
    /// Variables of others that an observer reads.
    watch: Vec<(ProcessId, VarId)>,
}

/// Lowers all processes, observers last.
pub fn lower(
    structure: &Structure,
    sorts: &mut Sorts,
    options: &Options,
    signals: &[Signal],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Process> {
    let mut list: Vec<Process> = structure.processes.iter().map(|_| Process::default()).collect();
    let (last, first): (Vec<ProcessId>, _) = (0..list.len()).partition(|p| structure.is_observer(*p));
    for me in first.into_iter().chain(last) {
        let mut l = Lower {
            structure,
            sorts,
            options,
            diagnostics,
            me,
            process: Process::default(),
            frames: Vec::new(),
            states: HashMap::new(),
            todo: Vec::new(),
            labels: HashMap::new(),
            free: HashMap::new(),
            used: Vec::new(),
            locals: HashMap::new(),
            noted: HashSet::new(),
            refused: HashSet::new(),
            budget: BUDGET,
            names: HashSet::new(),
            others: &list,
            watch: Vec::new(),
        };
        l.run(signals);
        let (process, watch) = (l.process, l.watch);
        list[me] = process;
        watch.into_iter().for_each(|(p, var)| list[p].vars[var].watched = true);
    }
    list
}

impl<'a> Lower<'a> {
    fn run(&mut self, signals: &[Signal]) {
        let info = &self.structure.processes[self.me];
        self.process.name = info.name.text.clone();
        self.process.span = info.name.span;
        self.process.accepts = self.accepts();
        self.count();
        let frame = self.process_frame();
        let text = info.text;
        let mut start = Vec::new();
        self.initial_values(frame, &text.items, &mut start);
        match text.body.starts.first() {
            Some(s) => {
                let here = Here { frame, conf: Conf::Pending(None), path: Vec::new() };
                let falls = self.run_trans(&s.trans, &here, &mut start);
                if falls {
                    self.error("no-end", info.name.span, "the transition from START has no end".to_string());
                }
            }
            None if text.body.states.is_empty() => {}
            None => self.error("no-start", info.name.span, format!("process `{}` has no START", info.name.text)),
        }
        self.process.start = trans::tidy(start);
        // START may be left in between, a transition may not: whoever joins a text of START later gets a copy of his own.
        self.labels.clear();
        while let Some((id, conf)) = self.todo.pop() {
            self.fill(id, &conf, signals);
        }
        trans::drop_labels(&mut self.process);
        self.rests();
        self.observes();
    }

    /// How many instances there are.
    fn count(&mut self) {
        let info = &self.structure.processes[self.me];
        let created = (0..self.structure.processes.len()).any(|p| creates(self.structure, p, self.me));
        let initial = self.instances(info.count.initial.as_ref()).unwrap_or(1);
        // Who is not there at first waits for somebody to create it, though nobody may do so.
        self.process.uses.created = created || initial == 0;
        let most = self.instances(info.count.most.as_ref()).unwrap_or(if created {
            self.options.instances as i64
        } else {
            initial.max(1)
        });
        let fits = (0..=100).contains(&initial) && (1..=100).contains(&most) && initial <= most;
        if !fits {
            let text =
                format!("{initial} to {most} instances of `{}`: at most 100, and no more at the start", info.name.text);
            self.error("instances", info.name.span, text);
        }
        self.process.initial = initial.clamp(0, 100) as usize;
        // More than the initial ones exist only if somebody creates them.
        self.process.most = if created { most.clamp(1, 100) as usize } else { self.process.initial.max(1) };
    }

    /// A number of instances.
    fn instances(&mut self, e: Option<&Expr>) -> Option<i64> {
        let e = e?;
        let n = self.sorts.number(e);
        if n.is_none() {
            self.error("instances", e.span, "the number of instances must be a constant".to_string());
        }
        n
    }

    /// Signals that can arrive: somebody sends them here, or the text takes them.
    fn accepts(&self) -> Vec<SignalId> {
        let s = self.structure;
        let mut set = HashSet::new();
        if s.is_observer(self.me) {
            return self.seen_signals();
        }
        for (q, info) in s.processes.iter().enumerate().filter(|(q, _)| !s.is_observer(*q)) {
            for name in action::outputs(info.text) {
                if s.reach(q, &name, &[]).contains(&Reach::Process(self.me)) {
                    set.extend(s.signal_id(&s.name_there(q, self.me, &name)));
                }
            }
        }
        let text = s.processes[self.me].text;
        let taken = |i: &usize| crate::structure::mentions_input(&text.items, &text.body, &s.signals[*i].name.key, 0);
        set.extend((0..s.signals.len()).filter(taken));
        if self.options.environment != crate::options::Environment::None {
            set.extend(s.inputs_from_outside().iter().filter(|e| e.1 == self.me).map(|e| e.0));
        }
        let mut list: Vec<SignalId> = set.into_iter().collect();
        list.sort_unstable();
        list
    }

    /// Whether an expression names something whose declaration was refused: what is wrong with it then is no news.
    fn mentions_refused(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(n) => self.refused.contains(&n.key),
            ExprKind::Apply(f, args) => self.mentions_refused(f) || args.iter().any(|a| self.mentions_refused(a)),
            ExprKind::Field(a, _) | ExprKind::Unary(_, a) | ExprKind::Choice(_, a) => self.mentions_refused(a),
            ExprKind::Binary(_, a, b) => self.mentions_refused(a) || self.mentions_refused(b),
            ExprKind::If(c, a, b) => [c, a, b].into_iter().any(|e| self.mentions_refused(e)),
            ExprKind::List(list) => list.iter().any(|e| self.mentions_refused(e)),
            ExprKind::Record(list) => list.iter().any(|(_, e)| self.mentions_refused(e)),
            _ => false,
        }
    }

    /// Reports a name that nobody has declared, unless its declaration is what was wrong.
    fn unknown(&mut self, name: &Name, message: String) {
        // The parser declares this for each clock of IF.
        let runs = format!("{} runs", name.key);
        if self.frames.iter().any(|f| f.vars.contains_key(&runs)) {
            let what = format!("the value of the clock `{}` here", name.text);
            self.refuse(name.span, &what, "compare it in `when`, or count in a variable");
        } else if !self.refused.contains(&name.key) {
            self.error("unknown-name", name.span, message);
        }
    }

    fn error(&mut self, code: &'static str, span: Span, message: String) {
        self.report(Diagnostic::error(code, span, message));
    }

    fn report(&mut self, d: Diagnostic) {
        // A text that is lowered in several configurations has its problem only once.
        let key = format!("{}:{}:{}:{}", d.code, d.span().file.0, d.span().start, d.message);
        if self.noted.insert(key) {
            self.diagnostics.push(d);
        }
    }

    fn refuse(&mut self, span: Span, what: &str, advice: &str) {
        self.report(crate::parse::refusal(span, what, advice));
    }

    /// False when the process has become too large; says so once.
    fn spend(&mut self) -> bool {
        if self.budget > 0 {
            self.budget -= 1;
            if self.budget == 0 {
                let name = self.structure.processes[self.me].name.clone();
                let text =
                    format!("process `{}` becomes too large when its procedures and states are written out", name.text);
                self.error("too-large", name.span, text);
            }
        }
        self.budget > 0
    }

    /// A variable of the machine, with a name of its own.
    fn add_var(&mut self, name: &str, sort: SortId, hidden: bool) -> VarId {
        let mut unique = name.to_string();
        let mut n = 2;
        while !self.names.insert(unique.to_lowercase()) {
            unique = format!("{name}_{n}");
            n += 1;
        }
        self.process.vars.push(Var { name: unique, sort, initial: 0, watched: false, hidden });
        self.process.vars.len() - 1
    }

    fn new_label(&mut self) -> LabelId {
        self.process.labels += 1;
        self.process.labels - 1
    }

    fn sort(&mut self, name: &Name) -> Option<SortId> {
        let before = self.sorts.diagnostics.len();
        let found = self.sorts.lookup(name);
        let new: Vec<Diagnostic> = self.sorts.diagnostics.drain(before..).collect();
        new.into_iter().for_each(|d| self.report(d));
        found
    }

    fn place_of(var: VarId) -> Place {
        Place { process: None, var, path: Vec::new() }
    }
}

/// True if a process creates instances of another one, or of itself.
fn creates(structure: &Structure, by: ProcessId, of: ProcessId) -> bool {
    let text = structure.processes[by].text;
    let mut found = false;
    let mut look = |a: &crate::ast::Action| {
        if let crate::ast::ActionKind::Create { process, this, .. } = &a.kind {
            found |= if *this { by == of } else { structure.process_near(by, &process.key) == Some(of) };
        }
    };
    action::each_action(&text.items, &text.body, &mut look);
    found
}

/// Procedures of a list of items.
fn procedures(items: &[Item]) -> impl Iterator<Item = &crate::ast::Procedure> {
    items.iter().filter_map(|i| match i {
        Item::Procedure(p) => Some(&**p),
        _ => None,
    })
}
