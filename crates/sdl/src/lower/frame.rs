//! Frames: what names mean inside a process, a composite state or one call of a procedure.

use super::timer::Family;
use super::{Lower, procedures};
use crate::ast::*;
use crate::machine::*;
use crate::sorts::{SortId, SortKind};
use std::collections::HashMap;

pub type FrameId = usize;

/// Actions that follow each other, and the end of their transition if it comes right after them.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    pub actions: &'a [Action],
    pub end: Option<&'a End>,
}

#[derive(Debug)]
pub enum Kind {
    Process,
    Composite,
    /// A call: where it returns to, where its result goes, and who called.
    Procedure {
        back: LabelId,
        result: Option<(Place, SortId)>,
        caller: FrameId,
    },
}

#[derive(Debug)]
pub struct Frame<'a> {
    pub parent: Option<FrameId>,
    pub kind: Kind,
    pub vars: HashMap<String, (Place, SortId)>,
    pub timers: HashMap<String, Family>,
    pub procedures: HashMap<String, &'a Procedure>,
    pub composites: HashMap<String, &'a Composite>,
    pub body: &'a Body,
    /// What follows each label, innermost first.
    pub labels: HashMap<String, Vec<Segment<'a>>>,
    /// Labelled texts say `nextstate -`, so each configuration needs its own copy.
    pub sensitive: bool,
    pub inner: HashMap<String, FrameId>,
    /// Identifies the text of a procedure, to find recursion.
    pub text: Option<&'a Procedure>,
}

impl<'a> Lower<'a> {
    fn new_frame(&mut self, parent: Option<FrameId>, kind: Kind, items: &'a [Item], body: &'a Body) -> FrameId {
        let composites = items.iter().filter_map(|i| match i {
            Item::Composite(c) => Some((c.name.key.clone(), &**c)),
            _ => None,
        });
        let composites: HashMap<_, _> = composites.collect();
        let (mut labels, mut sensitive) = (HashMap::new(), !composites.is_empty() || matches!(kind, Kind::Composite));
        let texts = body
            .starts
            .iter()
            .map(|s| &s.trans)
            .chain(body.free.iter())
            .chain(body.states.iter().flat_map(|s| s.parts.iter().filter_map(part_trans)));
        let mut twice = Vec::new();
        for t in texts {
            let before = labels.len();
            find_labels(t, &[], &mut labels, &mut twice, 0);
            sensitive |= labels.len() > before && says_same(t, 0);
        }
        for name in twice {
            self.error("two-labels", name.span, format!("there are two labels `{}`", name.text));
        }
        let mut known: HashMap<String, &'a Procedure> = HashMap::new();
        for p in procedures(items) {
            // Tools write the signature in a text of its own: whichever says more is meant.
            let weight = |p: &Procedure| p.params.len() + p.body.as_ref().map_or(0, |b| b.starts.len());
            let old = known.entry(p.name.key.clone()).or_insert(p);
            let is_whole = |p: &Procedure| p.body.as_ref().is_some_and(|b| !b.starts.is_empty());
            if !std::ptr::eq(*old, p) && is_whole(old) && is_whole(p) {
                self.error("two-procedures", p.name.span, format!("there are two procedures `{}`", p.name.text));
            }
            if weight(p) > weight(old) {
                *old = p;
            }
        }
        self.frames.push(Frame {
            parent,
            kind,
            vars: HashMap::new(),
            timers: HashMap::new(),
            procedures: known,
            composites,
            body,
            labels,
            sensitive,
            inner: HashMap::new(),
            text: None,
        });
        self.frames.len() - 1
    }

    /// The frame of the process, with those of the scopes around it.
    pub fn process_frame(&mut self) -> FrameId {
        let info = &self.structure.processes[self.me];
        let id = self.new_frame(None, Kind::Process, &info.text.items, &info.text.body);
        let around: Vec<&'a Procedure> =
            self.structure.around(self.me).flat_map(|s| s.procedures.iter().copied()).collect();
        for p in around.into_iter().chain(self.structure.loose.iter().copied()) {
            self.frames[id].procedures.entry(p.name.key.clone()).or_insert(p);
        }
        for p in &info.text.params {
            if let Some(sort) = self.sort(&p.sort) {
                let var = self.add_var(&p.name.text, sort, false);
                self.process.param_vars.push(var);
                let leaves = self.leaves(sort);
                self.process.params.extend(leaves);
                self.frames[id].vars.insert(p.name.key.clone(), (Self::place_of(var), sort));
            }
        }
        self.declare(id, &info.text.items, None);
        id
    }

    /// The frame of a composite state, made when it is entered for the first time.
    pub fn composite_frame(&mut self, frame: FrameId, state: &str) -> Option<FrameId> {
        if let Some(&id) = self.frames[frame].inner.get(state) {
            return Some(id);
        }
        let c: &'a Composite = self.frames[frame].composites.get(state)?;
        let id = self.new_frame(Some(frame), Kind::Composite, &c.items, &c.body);
        self.frames[frame].inner.insert(state.to_string(), id);
        self.declare(id, &c.items, None);
        Some(id)
    }

    /// The frame of a call; variables are shared with all other calls of the same procedure.
    pub fn call_frame(&mut self, parent: FrameId, caller: FrameId, p: &'a Procedure, body: &'a Body) -> FrameId {
        let back = self.new_label();
        let id = self.new_frame(Some(parent), Kind::Procedure { back, result: None, caller }, &p.items, body);
        self.frames[id].text = Some(p);
        self.declare(id, &p.items, Some(p));
        id
    }

    /// Variables and timers of a frame.
    fn declare(&mut self, id: FrameId, items: &'a [Item], shared: Option<&'a Procedure>) {
        for item in items {
            match item {
                Item::Variables(list) => list.iter().for_each(|v| self.declare_var(id, v, shared)),
                Item::Timers(list) => list.iter().for_each(|t| self.declare_timer(id, t)),
                _ => {}
            }
        }
    }

    fn declare_var(&mut self, id: FrameId, v: &Variable, shared: Option<&'a Procedure>) {
        let Some(sort) = self.sort(&v.sort) else {
            self.refused.insert(v.name.key.clone());
            return;
        };
        if self.frames[id].vars.contains_key(&v.name.key) {
            return self.error("two-variables", v.name.span, format!("`{}` is declared twice", v.name.text));
        }
        let var = match shared {
            Some(p) => self.local(p, &v.name, sort),
            None => self.add_var(&v.name.text, sort, false),
        };
        self.frames[id].vars.insert(v.name.key.clone(), (Self::place_of(var), sort));
    }

    /// A variable of a procedure.
    pub fn local(&mut self, p: &'a Procedure, name: &Name, sort: SortId) -> VarId {
        let key = (std::ptr::from_ref(p) as usize, name.key.clone());
        if let Some(&var) = self.locals.get(&key) {
            return var;
        }
        let var = self.add_var(&name.text, sort, false);
        self.locals.insert(key, var);
        var
    }

    /// First values: a constant goes to the declaration, all others are assigned in the start.
    pub fn initial_values(&mut self, frame: FrameId, items: &'a [Item], out: &mut Vec<Stmt>) {
        let here = super::Here { frame, conf: super::Conf::Pending(None), path: Vec::new() };
        for item in items {
            let Item::Variables(list) = item else { continue };
            for v in list {
                let Some((place, sort)) = self.frames[frame].vars.get(&v.name.key).cloned() else { continue };
                let mut code = Vec::new();
                if let Some(other) = v.value.as_ref().and_then(|e| self.variable_in(frame, e, Some(sort), 0)) {
                    let what = format!("a first value that reads the variable `{}`", other.text);
                    self.refuse(other.span, &what, "a first value is constant: set it in START");
                    continue;
                }
                match &v.value {
                    Some(value) => drop(self.assign(&place, sort, value, &here, &mut code)),
                    None => self.default_value(&place, sort, &here, &mut code, 0),
                }
                let constant = match code.as_slice() {
                    [Stmt { kind: StmtKind::Assign { to, value: Ex::Num(n), .. }, .. }] if to.path.is_empty() => {
                        Some(*n)
                    }
                    _ => None,
                };
                match constant {
                    Some(n) => self.process.vars[place.var].initial = n,
                    _ => out.append(&mut code),
                }
            }
        }
    }

    /// A variable that an expression reads, which is to be of a sort if that is known.
    fn variable_in<'e>(&self, frame: FrameId, e: &'e Expr, sort: Option<SortId>, depth: usize) -> Option<&'e Name> {
        if depth > 50 {
            return None;
        }
        let inside = |e: &'e Expr| self.variable_in(frame, e, None, depth + 1);
        match &e.kind {
            // A literal or a constant may have the name of a variable.
            ExprKind::Name(n) => {
                let literal = match sort {
                    Some(sort) => self.sorts.literal_in(sort, &n.key).is_some(),
                    None => !self.sorts.literals(&n.key).is_empty(),
                };
                let other = literal || self.sorts.constants.contains_key(&n.key);
                (!other && self.variable(frame, &n.key).is_some()).then_some(n)
            }
            ExprKind::Apply(f, args) => inside(f).or_else(|| args.iter().find_map(inside)),
            ExprKind::Field(e, _) | ExprKind::Unary(_, e) | ExprKind::Choice(_, e) => inside(e),
            ExprKind::Binary(_, a, b) => inside(a).or_else(|| inside(b)),
            ExprKind::If(c, a, b) => inside(c).or_else(|| inside(a)).or_else(|| inside(b)),
            ExprKind::List(all) => all.iter().find_map(inside),
            ExprKind::Record(all) => all.iter().find_map(|f| inside(&f.1)),
            _ => None,
        }
    }

    /// What the sort of a variable, or those of its parts, say that it holds at first.
    pub fn default_value(
        &mut self,
        place: &Place,
        sort: SortId,
        here: &super::Here,
        out: &mut Vec<Stmt>,
        depth: usize,
    ) {
        if let Some(e) = self.sorts.default_of(sort).cloned() {
            self.assign(place, sort, &e, here, out);
            return;
        }
        if depth > 20 || !self.sorts.has_default(sort, 0) {
            return;
        }
        let inside = |step: Step| {
            let mut part = place.clone();
            part.path.push(step);
            part
        };
        match self.sorts.kind(sort).clone() {
            SortKind::Struct(fields) => {
                for f in fields {
                    self.default_value(&inside(Step::Field(f.key)), f.sort, here, out, depth + 1);
                }
            }
            SortKind::Array { element, len, .. } => {
                for i in 0..len {
                    self.default_value(&inside(Step::At(Ex::Num(i))), element, here, out, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Looks outwards through the frames.
    pub fn find<T>(&self, frame: FrameId, look: impl Fn(&Frame<'a>) -> Option<T>) -> Option<(FrameId, T)> {
        let mut at = Some(frame);
        while let Some(f) = at {
            if let Some(found) = look(&self.frames[f]) {
                return Some((f, found));
            }
            at = self.frames[f].parent;
        }
        None
    }

    pub fn variable(&self, frame: FrameId, key: &str) -> Option<(Place, SortId)> {
        self.find(frame, |f| f.vars.get(key).cloned()).map(|f| f.1)
    }

    pub fn timer(&self, frame: FrameId, key: &str) -> Option<Family> {
        self.find(frame, |f| f.timers.get(key).cloned()).map(|f| f.1)
    }

    pub fn procedure(&self, frame: FrameId, key: &str) -> Option<(FrameId, &'a Procedure)> {
        self.find(frame, |f| f.procedures.get(key).copied())
    }
}

pub fn part_trans(part: &StatePart) -> Option<&Trans> {
    match part {
        StatePart::Input(i) => Some(&i.trans),
        StatePart::Continuous { trans, .. } | StatePart::Connect { trans, .. } => Some(trans),
        StatePart::Save(..) => None,
    }
}

/// Notes what follows each label of a transition, through the decisions around it, and labels that there are already. Of the
/// alternatives of a SELECT only one is there.
fn find_labels<'a>(
    t: &'a Trans,
    after: &[Segment<'a>],
    labels: &mut HashMap<String, Vec<Segment<'a>>>,
    twice: &mut Vec<&'a Name>,
    depth: usize,
) {
    if depth > 100 {
        return;
    }
    for (i, a) in t.actions.iter().enumerate() {
        let rest = Segment { actions: &t.actions[i + 1..], end: t.end.as_ref() };
        let mut all = vec![rest];
        if t.end.is_none() {
            all.extend_from_slice(after);
        }
        match &a.kind {
            ActionKind::Label(name) if labels.contains_key(&name.key) => twice.push(name),
            ActionKind::Label(name) => drop(labels.insert(name.key.clone(), all)),
            ActionKind::Decision(d) => {
                d.answers.iter().for_each(|a| find_labels(&a.trans, &all, labels, twice, depth + 1));
            }
            ActionKind::Select(arms) => {
                arms.iter().for_each(|a| find_labels(&a.1, &all, labels, &mut Vec::new(), depth + 1));
            }
            _ => {}
        }
    }
}

/// True if a transition may end in the state in which it began.
fn says_same(t: &Trans, depth: usize) -> bool {
    let here = matches!(&t.end, Some(End { kind: EndKind::Next { state: Next::Same | Next::History, .. }, .. }));
    let inside = |a: &Action| match &a.kind {
        ActionKind::Decision(d) => d.answers.iter().any(|a| says_same(&a.trans, depth + 1)),
        ActionKind::Select(arms) => arms.iter().any(|a| says_same(&a.1, depth + 1)),
        _ => false,
    };
    depth < 100 && (here || t.actions.iter().any(inside))
}
