//! Configurations: entering, leaving and naming them.

use super::frame::{FrameId, Kind, Segment};
use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use starwheel_base::Span;

/// Where a process stands, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Conf {
    /// Not entered yet; the entry point by which it will be.
    Pending(Option<String>),
    /// A part of an aggregation that has returned.
    Done,
    At {
        frame: FrameId,
        state: String,
        parts: Vec<Conf>,
    },
}

/// An aggregation may have this many parts inside each other.
const DEEPEST: usize = 30;

impl Conf {
    fn node(&self, path: &[usize]) -> Option<&Conf> {
        match (path, self) {
            ([], c) => Some(c),
            ([i, rest @ ..], Conf::At { parts, .. }) => parts.get(*i)?.node(rest),
            _ => None,
        }
    }

    /// The configuration with one part replaced.
    fn with(&self, path: &[usize], new: Conf) -> Conf {
        match (path, self) {
            ([i, rest @ ..], Conf::At { frame, state, parts }) if *i < parts.len() => {
                let mut parts = parts.clone();
                parts[*i] = parts[*i].with(rest, new);
                Conf::At { frame: *frame, state: state.clone(), parts }
            }
            _ => new,
        }
    }

    fn pending(&self) -> Option<Vec<usize>> {
        match self {
            Conf::Pending(_) => Some(Vec::new()),
            Conf::Done => None,
            Conf::At { parts, .. } => parts.iter().enumerate().find_map(|(i, p)| {
                let mut path = p.pending()?;
                path.insert(0, i);
                Some(path)
            }),
        }
    }

    /// The names of the states, outermost first.
    pub fn names(&self, out: &mut Vec<String>) {
        if let Conf::At { state, parts, .. } = self {
            out.push(state.clone());
            parts.iter().for_each(|p| p.names(out));
        }
    }
}

impl<'a> Lower<'a> {
    /// True if a frame's text has a state of this name.
    fn has_state(&self, frame: FrameId, key: &str) -> bool {
        let f = &self.frames[frame];
        let named = |s: &StateDef| s.names.as_ref().is_some_and(|n| n.iter().any(|n| n.key == key));
        f.composites.contains_key(key) || f.body.states.iter().any(named)
    }

    /// NEXTSTATE.
    pub fn next(&mut self, next: &Next, via: Option<&Name>, span: Span, here: &Here, out: &mut Vec<Stmt>) {
        let node = here.conf.node(&here.path).cloned();
        let target = match next {
            Next::State(name) => {
                if !self.has_state(here.frame, &name.key) {
                    return self.error("unknown-state", name.span, format!("there is no state `{}` here", name.text));
                }
                name.key.clone()
            }
            Next::History => return self.settle(&here.conf, span, out),
            Next::Same => match &node {
                Some(Conf::At { state, .. }) => state.clone(),
                _ => {
                    let text = "`nextstate -` has no meaning here: there is no state before".to_string();
                    return self.error("no-state", span, text);
                }
            },
        };
        let in_procedure = matches!(self.frames[here.frame].kind, Kind::Procedure { .. });
        if in_procedure && !here.path.is_empty() {
            let advice = "move the call out of the composite state, or the states out of the procedure";
            return self.refuse(span, "a procedure with states inside a composite state", advice);
        }
        if let (Some(node), false) = (&node, in_procedure) {
            self.leave(node, here, span, out);
        }
        self.enter(&target, via.map(|v| v.key.clone()), span, here, out);
    }

    /// Calls the exit procedures of a configuration that is given up, innermost first.
    fn leave(&mut self, node: &Conf, here: &Here, span: Span, out: &mut Vec<Stmt>) {
        let Conf::At { frame, state, parts } = node else { return };
        if parts.is_empty() {
            return;
        }
        parts.iter().for_each(|p| self.leave(p, here, span, out));
        self.special(*frame, state, "exit", here, span, out);
    }

    /// Calls `entry` or `exit` of a composite state, if it has one.
    fn special(&mut self, frame: FrameId, state: &str, which: &str, here: &Here, span: Span, out: &mut Vec<Stmt>) {
        let Some(inner) = self.composite_frame(frame, state) else { return };
        let Some(p) = self.frames[inner].procedures.get(which).copied() else { return };
        let at = Here { frame: inner, ..here.clone() };
        self.call(inner, p, &[], span, &at, out);
    }

    fn enter(&mut self, state: &str, via: Option<String>, span: Span, here: &Here, out: &mut Vec<Stmt>) {
        let frame = here.frame;
        let parts = match self.frames[frame].composites.get(state).copied() {
            None => Vec::new(),
            Some(c) if c.aggregation => {
                self.special(frame, state, "entry", here, span, out);
                let Some(inner) = self.composite_frame(frame, state) else { return };
                let mut names: Vec<&Composite> = c
                    .items
                    .iter()
                    .filter_map(|i| match i {
                        Item::Composite(c) => Some(&**c),
                        _ => None,
                    })
                    .collect();
                names.sort_by_key(|c| c.name.span.start);
                let part = |c: &&Composite| Conf::At {
                    frame: inner,
                    state: c.name.key.clone(),
                    parts: vec![Conf::Pending(None)],
                };
                names.iter().map(part).collect()
            }
            Some(_) => vec![Conf::Pending(via)],
        };
        let new = Conf::At { frame, state: state.to_string(), parts };
        self.settle(&here.conf.with(&here.path, new), span, out);
    }

    /// Starts the parts that are not entered yet; then the configuration is the next state.
    fn settle(&mut self, conf: &Conf, span: Span, out: &mut Vec<Stmt>) {
        let Some(path) = conf.pending() else {
            let id = self.state_id(conf, span);
            return out.push(Stmt { kind: StmtKind::Next(id), span });
        };
        let above = path.split_last().and_then(|(_, up)| conf.node(up)).cloned();
        let (Some(Conf::At { frame, state, .. }), true) = (above, path.len() < DEEPEST && self.spend()) else {
            let text = "the states are nested too deeply here".to_string();
            return self.error("deep", span, text);
        };
        let Some(inner) = self.composite_frame(frame, &state) else { return };
        let here = Here { frame: inner, conf: conf.clone(), path: path.clone() };
        self.special(frame, &state, "entry", &here, span, out);
        let via = match conf.node(&path) {
            Some(Conf::Pending(via)) => via.clone(),
            _ => None,
        };
        let body = self.frames[inner].body;
        let start = body.starts.iter().find(|s| s.via.as_ref().map(|v| v.key.clone()) == via);
        let Some(start) = start else {
            let by = via.map_or(String::new(), |v| format!(" via `{v}`"));
            return self.error("no-start", span, format!("state `{state}` has no START{by}"));
        };
        if self.run_trans(&start.trans, &here, out) {
            self.error("no-end", span, format!("the START of state `{state}` has no end"));
        }
    }

    /// RETURN from a composite state.
    pub fn return_from_state(&mut self, exit: Option<&Expr>, span: Span, here: &Here, out: &mut Vec<Stmt>) {
        if let Some(node) = here.conf.node(&here.path).cloned() {
            self.leave(&node, here, span, out);
        }
        let Some((_, above)) = here.path.split_last() else { return };
        let Some(Conf::At { frame, state, .. }) = here.conf.node(above).cloned() else { return };
        self.special(frame, &state, "exit", here, span, out);
        let exit = match exit.map(|e| &e.kind) {
            Some(ExprKind::Name(n)) => Some(n.key.clone()),
            _ => None,
        };
        let outer = above.split_last().map(|(_, up)| up);
        let in_aggregation = outer.and_then(|up| here.conf.node(up)).is_some_and(|n| self.is_aggregation(n));
        if let (true, Some(up)) = (in_aggregation, outer) {
            let conf = here.conf.with(above, Conf::Done);
            let all_done =
                matches!(conf.node(up), Some(Conf::At { parts, .. }) if parts.iter().all(|p| *p == Conf::Done));
            if !all_done {
                return self.settle(&conf, span, out);
            }
            let Some(Conf::At { frame, state, .. }) = conf.node(up).cloned() else { return };
            self.special(frame, &state, "exit", here, span, out);
            return self.connect(frame, &state, exit, span, &conf, up, out);
        }
        self.connect(frame, &state, exit, span, &here.conf, above, out)
    }

    fn is_aggregation(&self, node: &Conf) -> bool {
        let Conf::At { frame, state, .. } = node else { return false };
        self.frames[*frame].composites.get(state).is_some_and(|c| c.aggregation)
    }

    /// The transition that follows a composite state which has returned.
    #[allow(clippy::too_many_arguments)]
    fn connect(
        &mut self,
        frame: FrameId,
        state: &str,
        exit: Option<String>,
        span: Span,
        conf: &Conf,
        path: &[usize],
        out: &mut Vec<Stmt>,
    ) {
        let body = self.frames[frame].body;
        let defs = body.states.iter().filter(|s| applies(s, state));
        let parts = defs.flat_map(|s| &s.parts).filter_map(|p| match p {
            StatePart::Connect { exits, trans } => Some((exits, trans)),
            _ => None,
        });
        let fits = |exits: &Names| match (exits, &exit) {
            (Names::All, _) => true,
            (Names::List(l), None) => l.is_empty(),
            (Names::List(l), Some(e)) => l.iter().any(|n| n.key == *e),
        };
        let Some((_, trans)) = parts.into_iter().find(|(e, _)| fits(e)) else {
            let by = exit.map_or(String::new(), |e| format!(" by `{e}`"));
            return self.error("no-connect", span, format!("nothing is said about leaving state `{state}`{by}"));
        };
        // Its exit procedure has been called: what follows must not do so again.
        let left = Conf::At { frame, state: state.to_string(), parts: Vec::new() };
        let here = Here { frame, conf: conf.with(path, left), path: path.to_vec() };
        if !self.spend() {
            return;
        }
        let segment = Segment { actions: &trans.actions, end: trans.end.as_ref() };
        if self.run_segments(&[segment], &here, out) {
            self.error("no-end", span, format!("what follows state `{state}` has no end"));
        }
    }

    /// The state of the machine for a configuration.
    fn state_id(&mut self, conf: &Conf, span: Span) -> StateId {
        if let Some(&id) = self.states.get(conf) {
            return id;
        }
        let id = self.process.states.len();
        let mut path = Vec::new();
        conf.names(&mut path);
        let name = self.state_name(conf);
        self.process.states.push(State { name, span, saves: Vec::new(), triggers: Vec::new(), may_rest: false, path });
        self.states.insert(conf.clone(), id);
        if self.spend() {
            self.todo.push((id, conf.clone()));
        }
        id
    }

    /// A name for a configuration: the names as written, from the outermost state inwards.
    fn state_name(&self, conf: &Conf) -> String {
        let Conf::At { frame, state, parts } = conf else { return "done".to_string() };
        let written = self.written(*frame, state);
        let inner: Vec<String> = parts.iter().map(|p| self.state_name(p)).collect();
        if inner.is_empty() { written } else { format!("{written}_{}", inner.join("_")) }
    }

    fn written(&self, frame: FrameId, key: &str) -> String {
        let f = &self.frames[frame];
        let names = f.body.states.iter().flat_map(|s| s.names.iter().flatten());
        let name = names.chain(f.composites.values().map(|c| &c.name)).find(|n| n.key == key);
        name.map_or(key.to_string(), |n| n.text.clone())
    }
}

/// True if a part of a text speaks of a state.
pub fn applies(def: &StateDef, state: &str) -> bool {
    match &def.names {
        Some(names) => names.iter().any(|n| n.key == state),
        None => !def.except.iter().any(|n| n.key == state),
    }
}
