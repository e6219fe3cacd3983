//! Processes: variables, start, states and the end.

use super::stmt::{Line, Lines, NO_ANSWER};
use super::{Scratch, Writer};
use crate::machine::*;
use crate::options::Queues;

impl Writer<'_> {
    pub fn process(&mut self, p: ProcessId) {
        let m = self.m;
        let process = &m.processes[p];
        if process.inlined {
            return;
        }
        let active = if self.numbered() { "" } else { "active " };
        let parameter = if process.most > 1 { "byte me" } else { "" };
        let head = format!("{active}proctype {}({parameter}){}", self.desks[p].name, self.while_of_interest());
        self.text.line(process.span, &head);
        self.text.plain("{");
        self.text.more();
        self.variables(p);
        if process.uses.created {
            self.wait_to_be_created(p);
        }
        if process.uses.killed {
            self.text.plain("{");
            self.text.more();
        }
        self.start(p);
        for id in self.order(p) {
            self.state(id, p);
        }
        if process.uses.killed {
            self.killed(p);
        }
        if process.uses.stop && !process.uses.created {
            let stopped = self.desks[p].stopped.clone();
            self.text.plain(&format!("end_{stopped}: {stopped}:"));
            self.text.plain("\t(false)");
        } else if process.states.is_empty() && process.start.is_empty() && !process.uses.created {
            self.text.plain("skip");
        }
        self.text.less();
        self.text.plain("}");
    }

    /// States in the order in which they are written: the one after START comes first, so that no jump is needed.
    fn order(&self, p: ProcessId) -> Vec<StateId> {
        let process = &self.m.processes[p];
        let first = match process.start.last() {
            Some(Stmt { kind: StmtKind::Next(id), .. }) => Some(*id),
            _ => None,
        };
        let rest = (0..process.states.len()).filter(|id| Some(*id) != first);
        first.into_iter().chain(rest).collect()
    }

    /// Gives names to everything inside; the declarations of what can be seen from outside are returned.
    pub fn local_names(&mut self, p: ProcessId) -> Vec<String> {
        let m = self.m;
        let process = &m.processes[p];
        let mut watched = Vec::new();
        let many = if process.most > 1 { format!("[{}]", process.most) } else { String::new() };
        for (i, v) in process.vars.iter().enumerate() {
            if v.watched {
                let name = self.names.take(&format!("{}_{}", self.desks[p].name, v.name));
                let initial = if v.initial != 0 { format!(" = {}", v.initial) } else { String::new() };
                watched.push((i, name.clone(), format!("{} {name}{many}{initial};", self.type_of(v.sort))));
            }
        }
        let kept = self.kept(p);
        let mut names = self.names.clone();
        let states: Vec<String> = process.states.iter().map(|s| names.label(&s.name)).collect();
        let vars: Vec<String> = process
            .vars
            .iter()
            .enumerate()
            .map(|(i, v)| match watched.iter().find(|w| w.0 == i) {
                Some(w) => w.1.clone(),
                None => names.take(&v.name),
            })
            .collect();
        let labels = (0..process.labels).map(|i| format!("_l{i}")).collect();
        let slots = self.desks[p].slots.len();
        let scratch = Scratch {
            found: names.take("m_found"),
            other: names.take("m_other"),
            count: names.take("m_count"),
            found_slots: (0..slots).map(|i| names.take(&format!("m_f{i}"))).collect(),
            other_slots: (0..slots).map(|i| names.take(&format!("m_o{i}"))).collect(),
            found_sender: names.take("m_fs"),
            other_sender: names.take("m_os"),
        };
        let desk = &mut self.desks[p];
        desk.sender = names.take("sender");
        desk.offspring = names.take("offspring");
        desk.parent_local = names.take("parent");
        desk.kept = kept;
        let index = if process.most > 1 { "[me]" } else { "" };
        for (name, used) in desk.kept.iter().zip([&mut desk.sender, &mut desk.offspring, &mut desk.parent_local]) {
            *used = format!("{name}{index}");
        }
        desk.stopped = names.take("stopped");
        desk.states = states;
        desk.vars = vars;
        desk.labels = labels;
        desk.scratch = scratch;
        let kept = self.kept_declarations(p);
        watched.into_iter().map(|w| w.2).chain(kept).collect()
    }

    fn variables(&mut self, p: ProcessId) {
        let m = self.m;
        let process = &m.processes[p];
        for (i, v) in process.vars.iter().enumerate() {
            if v.watched {
                continue;
            }
            let initial = if v.initial != 0 { format!(" = {}", v.initial) } else { String::new() };
            let line = format!("{} {}{initial};", self.type_of(v.sort), self.desks[p].vars[i]);
            self.text.line(process.span, &line);
        }
        let desk = &self.desks[p];
        let mut extra = Vec::new();
        for (used, name) in [
            (process.uses.sender, &desk.sender),
            (process.uses.offspring, &desk.offspring),
            (process.uses.parent, &desk.parent_local),
        ] {
            if used && desk.kept.is_empty() {
                extra.push(format!("byte {name};"));
            }
        }
        let turns = self.options.queues == Queues::Process && process.states.iter().any(super::state::needs_turn);
        if turns {
            let c = &desk.scratch;
            extra.push(format!("{} {}, {}; byte {};", self.name_field, c.found, c.other, c.count));
            for (slot, (f, o)) in desk.slots.iter().zip(c.found_slots.iter().zip(&c.other_slots)) {
                extra.push(format!("{slot} {f}, {o};"));
            }
            if process.uses.sender {
                extra.push(format!("byte {}, {};", c.found_sender, c.other_sender));
            }
        }
        for line in extra {
            self.text.plain(&line);
        }
    }

    /// START: control may be given up after each output, as nothing has been consumed that would make it one step.
    fn start(&mut self, p: ProcessId) {
        let process = &self.m.processes[p];
        let code = match process.start.split_last() {
            Some((Stmt { kind: StmtKind::Next(_), .. }, rest)) => rest,
            _ => &process.start[..],
        };
        let lines = self.spread(code, p);
        if process.uses.killed && lines.first().is_none_or(|l| l.text.ends_with(':')) {
            // No label may be the first thing in a block.
            self.text.line(process.span, "skip;");
        }
        self.emit(&lines);
    }

    /// Who is killed goes to its end, wherever it is. Everything that others can see has been taken away already, and the slot may be
    /// used again.
    fn killed(&mut self, p: ProcessId) {
        let span = self.m.processes[p].span;
        let flag = format!("{}{}", self.desks[p].killed, self.index(p));
        let mut out = Lines::new(span);
        out.say(format!("atomic {{ {flag} ->"), &format!("{} is killed", self.m.processes[p].name));
        out.push(format!("{flag} = 0;"));
        out.append(self.forget(p, span));
        out.push(format!("goto {} }}", self.desks[p].stopped));
        self.text.plain("skip");
        self.text.less();
        self.text.plain("} unless {");
        self.text.more();
        self.emit(&out.list);
        self.text.less();
        self.text.plain("};");
    }

    fn wait_to_be_created(&mut self, p: ProcessId) {
        let m = self.m;
        let process = &m.processes[p];
        let index = self.index(p);
        let desk = &self.desks[p];
        let (stopped, alive) = (desk.stopped.clone(), desk.alive.clone().unwrap_or_default());
        let mut out = Lines::new(process.span);
        let mut leaf = 0;
        for &v in &process.param_vars {
            for l in crate::lower::leaves(&m.sorts, process.vars[v].sort) {
                let place = self.place(&Place { process: None, var: v, path: l.path }, p);
                let from = format!("{}{index}", self.desks[p].params[leaf]);
                out.push(format!("{place} = {from}; {from} = 0;"));
                leaf += 1;
            }
        }
        if process.uses.parent {
            let desk = &self.desks[p];
            out.push(format!("{} = {}{index}; {}{index} = 0;", desk.parent_local, desk.parent, desk.parent));
        }
        self.text.line(process.span, &format!("end_{stopped}: {stopped}:"));
        self.text.line(process.span, &format!("atomic {{ {alive}{index} ->"));
        if process.uses.killed {
            // Whoever was killed before it began has left nothing.
            out.push(format!("{}{index} = 0;", self.desks[p].killed));
        }
        out.push("skip;");
        self.emit(&out.list);
        self.text.line(process.span, "};");
    }

    /// Code in pieces, each of which ends with an output at the latest.
    fn spread(&mut self, code: &[Stmt], p: ProcessId) -> Vec<Line> {
        let mut out: Vec<Line> = Vec::new();
        let mut piece: Vec<Stmt> = Vec::new();
        for (i, s) in code.iter().enumerate() {
            let last = i + 1 == code.len();
            match &s.kind {
                StmtKind::If { .. } | StmtKind::Choose(_) | StmtKind::While { .. } if !simple(s) => {
                    self.flush(&mut piece, p, &mut out);
                    let lines = self.spread_inside(s, p);
                    out.extend(lines);
                }
                StmtKind::Atomic(body) => {
                    self.flush(&mut piece, p, &mut out);
                    let mut body = body.clone();
                    self.flush(&mut body, p, &mut out);
                }
                StmtKind::Label(_) => {
                    self.flush(&mut piece, p, &mut out);
                    out.extend(self.code(std::slice::from_ref(s), p).into_iter().take(if last { 2 } else { 1 }));
                }
                StmtKind::Output { .. }
                | StmtKind::Create { .. }
                | StmtKind::Kill(_)
                | StmtKind::Next(_)
                | StmtKind::Goto(_)
                | StmtKind::Back { .. }
                | StmtKind::Stop => {
                    piece.push(s.clone());
                    self.flush(&mut piece, p, &mut out);
                }
                _ => piece.push(s.clone()),
            }
        }
        self.flush(&mut piece, p, &mut out);
        out
    }

    fn flush(&mut self, piece: &mut Vec<Stmt>, p: ProcessId, out: &mut Vec<Line>) {
        let lines = self.code(piece, p);
        piece.clear();
        let Some(first) = lines.first() else { return };
        // A jump back alone is one step as well; behind its own label SPIN takes it for a loop that does nothing, and refuses it.
        let back = lines.len() == 3 && first.text.starts_with("_back");
        if lines.len() == 1 || back && !out.last().is_some_and(|l| l.text.ends_with(':')) {
            return out.extend(lines);
        }
        let span = first.span;
        out.push(Line::new(0, "atomic {", span));
        if first.text.ends_with(':') {
            // No label may be the first thing in there.
            out.push(Line::new(1, "skip;", span));
        }
        out.extend(lines.into_iter().map(|l| Line { depth: l.depth + 1, ..l }));
        out.push(Line::new(0, "};", span));
    }

    fn spread_inside(&mut self, s: &Stmt, p: ProcessId) -> Vec<Line> {
        let mut out = Lines::new(s.span);
        match &s.kind {
            StmtKind::Choose(list) => {
                out.push("if");
                for c in list {
                    let inside = self.spread(c, p);
                    out.option("", super::stmt::always(inside));
                }
                out.push("fi;");
            }
            StmtKind::If { any: false, arms, otherwise } => {
                // One after the other: the first that fits.
                let Some(((c, body), rest)) = arms.split_first() else {
                    return otherwise.as_ref().map_or(Vec::new(), |o| self.spread(o, p));
                };
                out.push("if");
                let inside = self.spread(body, p);
                let when = self.expr(c, p);
                out.option(&when, inside);
                let otherwise_guard = super::stmt::otherwise_of(&[&when]);
                let inside = if rest.is_empty() && otherwise.is_none() {
                    let mut none = Lines::new(s.span);
                    none.assert("false", NO_ANSWER.to_string());
                    none.list
                } else {
                    let kind = StmtKind::If { any: false, arms: rest.to_vec(), otherwise: otherwise.clone() };
                    self.spread_inside(&Stmt { kind, span: s.span }, p)
                };
                out.option(&otherwise_guard, inside);
                out.push("fi;");
            }
            _ => out.append(self.code(std::slice::from_ref(s), p)),
        }
        out.list
    }
}

/// True if a statement neither sends nor jumps.
fn simple(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::If { arms, otherwise, .. } => {
            arms.iter().all(|a| a.1.iter().all(simple)) && otherwise.as_ref().is_none_or(|o| o.iter().all(simple))
        }
        StmtKind::Choose(list) => list.iter().all(|c| c.iter().all(simple)),
        StmtKind::While { body, .. } | StmtKind::Atomic(body) => body.iter().all(simple),
        StmtKind::Output { .. }
        | StmtKind::Create { .. }
        | StmtKind::Kill(_)
        | StmtKind::Next(_)
        | StmtKind::Goto(_)
        | StmtKind::Back { .. }
        | StmtKind::Label(_)
        | StmtKind::Stop => false,
        _ => true,
    }
}
