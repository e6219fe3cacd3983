//! Which parts of a model a search never came to.

use crate::open::Opened;
use crate::report::Unreached;
use crate::written::{self, Where};
use starwheel_base::Span;
use starwheel_model::{
    Expr, LocId, Model, Proctype, ProctypeId, ProctypeKind, SkipKind, Stmt, TransId, Transition, text,
};
use std::collections::{HashMap, HashSet};

/// What a search executed, by transition.
pub struct Coverage<'a> {
    opened: &'a Opened,
    reached: &'a [bool],
    /// True if the end of a process may have been put off for ever, because nobody can see it.
    reduced: bool,
}

/// The states of one proctype that no process ever entered, as pan counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unvisited {
    /// The proctype.
    pub proctype: String,
    /// One entry for each statement of each such state.
    pub statements: Vec<Unreached>,
    /// The number of such states.
    pub missed: usize,
    /// The number of all states.
    pub all: usize,
}

impl<'a> Coverage<'a> {
    /// The coverage of a search.
    pub fn new(opened: &'a Opened, reached: &'a [bool]) -> Coverage<'a> {
        Coverage { opened, reached, reduced: false }
    }

    /// The coverage of a search that may have left out steps.
    pub fn reduced(self, reduced: bool) -> Coverage<'a> {
        Coverage { reduced, ..self }
    }

    /// Statements that no step executed; claims and traces do not count.
    pub fn unreached(&self) -> Vec<Unreached> {
        let mut out = Vec::new();
        let mut seen = HashSet::new();
        let inside = self.inside();
        for (id, p) in processes(&self.opened.model) {
            let connected: HashSet<LocId> = connected(&self.opened.model, p).into_iter().collect();
            for (number, loc) in p.locs.iter().enumerate() {
                for &t in &loc.out {
                    let tr = self.opened.model.transition(t);
                    // A jump is mostly not a step, and that an endless loop has no end is no news.
                    let silent = matches!(tr.stmt, Stmt::End | Stmt::Skip(SkipKind::Goto(_) | SkipKind::Break));
                    let hopeless = silent && !connected.contains(&LocId(number as u16));
                    let put_off = self.reduced && tr.stmt == Stmt::End && self.entered(id, LocId(number as u16));
                    let done = self.executed(t) || inside.has(tr);
                    if !done && !put_off && seen.insert(t) && !glue(&tr.stmt) && !hopeless {
                        out.push(self.entry(p, tr.from, t));
                    }
                }
            }
        }
        if self.opened.translated {
            // One transition becomes many statements; those that have no words of their own are no news.
            out.retain(|u| !written::is_lone(&u.text) && u.text != u.spin_text);
            // An output to one of several, or an action of a procedure that is called twice, is executed if one of its forms is.
            let done = self.done();
            out.retain(|u| !done.contains(&key(u)));
            let mut told = HashSet::new();
            out.retain(|u| told.insert((u.file.clone(), u.line, u.text.clone())));
        }
        out.sort_by(|a, b| (&a.proctype, &a.file, a.line).cmp(&(&b.proctype, &b.file, b.line)));
        out
    }

    /// What was executed, as it is told.
    fn done(&self) -> HashSet<(String, u32, u32, String)> {
        let mut done = HashSet::new();
        for (_, p) in processes(&self.opened.model) {
            for &t in p.locs.iter().flat_map(|loc| &loc.out).filter(|t| self.executed(**t)) {
                let from = self.opened.model.transition(t).from;
                done.insert(key(&self.entry(p, from, t)));
            }
        }
        done
    }

    /// States that no process entered, proctype by proctype, and those of a claim.
    pub fn unvisited(&self, claim: Option<ProctypeId>) -> Vec<Unvisited> {
        let model = &self.opened.model;
        let mut all: Vec<_> = processes(model).collect();
        all.extend(claim.map(|id| (id, model.proctype(id))));
        all.sort_by_key(|(id, _)| *id);
        all.into_iter().map(|(id, p)| self.unvisited_in(id, p)).collect()
    }

    fn unvisited_in(&self, id: ProctypeId, p: &Proctype) -> Unvisited {
        let model = &self.opened.model;
        let mut entered: HashSet<LocId> = HashSet::new();
        if self.created(id) || p.kind == ProctypeKind::Never {
            entered.insert(p.start);
        }
        let own = model.transitions.iter().zip(self.reached).filter(|(t, reached)| **reached && t.proctype == id);
        entered.extend(own.map(|(t, _)| t.to));
        let mut missed: Vec<_> = connected(model, p).into_iter().filter(|l| !entered.contains(l)).collect();
        missed.sort();
        let told = |stmt: &Stmt| !glue(stmt) && *stmt != Stmt::Skip(SkipKind::Skip);
        let inside = self.inside();
        missed.retain(|l| {
            let first = p.locs[l.index()].out.first().map(|&t| model.transition(t));
            first.is_some_and(|t| told(&t.stmt) && !inside.has(t))
        });
        let all = p.locs.iter().rposition(|l| !l.out.is_empty()).unwrap_or(0);
        let entries = |&l: &LocId| p.locs[l.index()].out.iter().map(|&t| self.entry(p, l, t)).collect::<Vec<_>>();
        Unvisited {
            proctype: p.name.to_string(),
            statements: missed.iter().flat_map(entries).collect(),
            missed: missed.len(),
            all,
        }
    }

    /// True if some process came to a location.
    fn entered(&self, id: ProctypeId, loc: LocId) -> bool {
        let model = &self.opened.model;
        let leads = |(t, reached): (&Transition, &bool)| *reached && t.proctype == id && t.to == loc;
        (model.proctype(id).start == loc && self.created(id)) || model.transitions.iter().zip(self.reached).any(leads)
    }

    fn executed(&self, t: TransId) -> bool {
        self.reached.get(t.index()).copied().unwrap_or(false)
    }

    /// The statements that were executed inside of merged steps: a statement may be merged into all steps that lead to it, and
    /// still have a state of its own.
    fn inside(&self) -> Inside<'_> {
        let mut inside = Inside::default();
        for (t, _) in self.opened.model.transitions.iter().zip(self.reached).filter(|(_, reached)| **reached) {
            let Stmt::Chain(list) = &t.stmt else { continue };
            for (stmt, &span) in list.iter().zip(&t.merged) {
                inside.0.entry((t.proctype, span)).or_default().push(stmt);
            }
        }
        inside
    }

    /// True if some process of this type came to life.
    fn created(&self, id: ProctypeId) -> bool {
        let model = &self.opened.model;
        let runs = |stmt: &Stmt| {
            let mut found = false;
            stmt.walk(&mut |e| found |= matches!(e, Expr::Run(run) if run.proctype == id));
            found
        };
        let run = model.transitions.iter().zip(self.reached).any(|(t, reached)| *reached && runs(&t.stmt));
        run || model.starts.iter().any(|s| s.proctype == id)
    }

    fn entry(&self, p: &Proctype, loc: LocId, t: TransId) -> Unreached {
        let model = &self.opened.model;
        let t = model.transition(t);
        let (file, line) = self.opened.map.locate(t.span);
        let spin_place = (file.to_string(), line.line);
        let Where { at, via } = Where::always(&self.opened.map, t.span);
        Unreached {
            file: at.file.clone(),
            line: at.line,
            at,
            via,
            spin_place,
            proctype: p.name.to_string(),
            state: u32::from(loc.0),
            text: written::of(self.opened, t),
            spin_text: text::stmt(model, &t.stmt),
        }
    }
}

/// Statements of merged steps, by process type and place.
#[derive(Default)]
struct Inside<'a>(HashMap<(ProctypeId, Span), Vec<&'a Stmt>>);

impl Inside<'_> {
    /// True if the statement of a transition is one of them.
    fn has(&self, t: &Transition) -> bool {
        self.0.get(&(t.proctype, t.span)).is_some_and(|all| all.contains(&&t.stmt))
    }
}

/// What makes two statements of a translation the same one to its reader.
fn key(u: &Unreached) -> (String, u32, u32, String) {
    (u.file.clone(), u.line, u.at.column, u.text.clone())
}

fn processes(model: &Model) -> impl Iterator<Item = (ProctypeId, &Proctype)> {
    let all = model.proctypes.iter().enumerate().map(|(i, p)| (ProctypeId(i as u8), p));
    all.filter(|(_, p)| matches!(p.kind, ProctypeKind::Process | ProctypeKind::Init))
}

/// The locations that the automaton connects with its start, in order of number.
pub fn connected(model: &Model, p: &Proctype) -> Vec<LocId> {
    let mut seen = HashSet::from([p.start]);
    let mut todo = vec![p.start];
    while let Some(loc) = todo.pop() {
        for &t in p.locs.get(loc.index()).map_or(&[][..], |l| &l.out) {
            let to = model.transition(t).to;
            if to.index() < p.locs.len() && seen.insert(to) {
                todo.push(to);
            }
        }
    }
    let mut out: Vec<_> = seen.into_iter().filter(|l| l.index() < p.locs.len()).collect();
    out.sort();
    out
}

/// Joins are no statements that anybody wrote.
fn glue(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Skip(SkipKind::Join))
}
