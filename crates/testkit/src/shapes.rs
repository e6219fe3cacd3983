//! Combinations of constructs that random programs must have often, because reductions went wrong on them unseen.

use crate::ast::*;
use crate::visit;
use std::collections::BTreeMap;

/// All names that [`shapes`] knows, each with the programs in a thousand that must have it: half of those that had it
/// when it was measured.
pub const ALL: [(&str, u64); 16] = [
    ("atomic waits for a handshake", 60),
    ("atomic waits for a buffer", 50),
    ("atomic waits for a condition", 40),
    ("visitor of a chain", 40),
    ("_pid in d_step", 35),
    ("_pid as index in d_step", 25),
    ("run with a channel", 110),
    ("run behind a death", 50),
    ("run of itself", 40),
    ("run of itself first", 12),
    ("unless in unless", 45),
    ("receive in a nested unless", 25),
    ("jumps alone in unless", 10),
    ("jump over a body into its escape", 10),
    ("round of one's own", 49),
    ("assertion beside a round", 37),
];

/// The combinations in a program, each as often as it occurs.
pub fn shapes(program: &Program) -> Vec<&'static str> {
    let mut finder = Finder { program: program.clone(), slots: BTreeMap::new(), found: Vec::new() };
    for item in &program.items {
        if let Item::Global(VarDecl { name, init: Some(Init::Chan(slots, _)), .. }) = item {
            finder.slots.insert(name.clone(), *slots);
        }
    }
    for p in procs(program) {
        finder.seq(&p.body, &Spot { proc: p, atomic: false, dstep: false, unless: 0 });
        finder.visitors(p);
        finder.itself_first(p);
        finder.rounds(p);
    }
    finder.found
}

fn procs(program: &Program) -> impl Iterator<Item = &Proc> {
    program.items.iter().filter_map(|item| if let Item::Proc(p) = item { Some(p) } else { None })
}

/// Where a sequence stands.
#[derive(Clone, Copy)]
struct Spot<'a> {
    proc: &'a Proc,
    atomic: bool,
    dstep: bool,
    unless: u32,
}

struct Finder {
    program: Program,
    /// The slots of the global channels.
    slots: BTreeMap<String, u32>,
    found: Vec<&'static str>,
}

impl Finder {
    fn seq(&mut self, seq: &Seq, at: &Spot<'_>) {
        let mut waited = false;
        for (index, stmt) in seq.iter().enumerate() {
            if at.atomic && index > 0 {
                self.waits(&stmt.kind);
            }
            self.stmt(stmt, at, waited);
            waited |= matches!(&stmt.kind, Kind::Guard(e) if waits_for_deaths(e));
        }
    }

    /// What a statement inside an atomic chain may wait for.
    fn waits(&mut self, kind: &Kind) {
        match kind {
            Kind::Send(chan, ..) | Kind::Recv(Recv { chan, .. }, _) => match self.slots.get(&chan.name) {
                Some(0) => self.found.push("atomic waits for a handshake"),
                Some(_) => self.found.push("atomic waits for a buffer"),
                None => {}
            },
            Kind::Guard(e) if reads(e) => self.found.push("atomic waits for a condition"),
            Kind::If(options) => options.iter().filter_map(|o| o.first()).for_each(|first| self.waits(&first.kind)),
            _ => {}
        }
    }

    fn stmt(&mut self, stmt: &Stmt, at: &Spot<'_>, waited: bool) {
        let mut kind = stmt.kind.clone();
        for e in visit::exprs_mut(&mut kind) {
            self.runs(e, at, waited);
        }
        if at.dstep {
            self.numbers(&mut kind);
        }
        let inner = match &stmt.kind {
            Kind::Block(seq) => {
                if let [Stmt { kind: Kind::Goto(to), .. }, Stmt { kind: Kind::Unless(_, escape), .. }] = &seq[..]
                    && escape.iter().any(|s| s.labels.contains(to))
                {
                    self.found.push("jump over a body into its escape");
                }
                *at
            }
            Kind::Atomic(_) => Spot { atomic: true, ..*at },
            Kind::DStep(_) => Spot { atomic: false, dstep: true, ..*at },
            Kind::Unless(body, _) => {
                if let [only] = &body[..]
                    && jumps(only)
                {
                    self.found.push("jumps alone in unless");
                }
                if at.unless > 0 {
                    self.found.push("unless in unless");
                }
                Spot { unless: at.unless + 1, ..*at }
            }
            Kind::Recv(..) if at.unless > 1 => {
                self.found.push("receive in a nested unless");
                *at
            }
            _ => *at,
        };
        for seq in visit::seqs(&stmt.kind) {
            self.seq(seq, &inner);
        }
    }

    /// Looks for a `run` at the top of an expression.
    fn runs(&mut self, e: &Expr, at: &Spot<'_>, waited: bool) {
        match e {
            Expr::Paren(inner) => self.runs(inner, at, waited),
            Expr::Run(name, ..) => {
                let callee = procs(&self.program).find(|p| p.name == *name);
                if callee.is_some_and(|p| p.params.iter().any(|d| d.ty == Ty::Chan)) {
                    self.found.push("run with a channel");
                }
                if *name == at.proc.name {
                    self.found.push("run of itself");
                }
                if waited {
                    self.found.push("run behind a death");
                }
            }
            _ => {}
        }
    }

    /// The number of the process in a deterministic step.
    fn numbers(&mut self, kind: &mut Kind) {
        let own = |e: &Expr| crate::print::expr(e).contains("_pid");
        if let Kind::Assign(place, e) = &*kind {
            let index = |p: &Place| p.index.as_ref().is_some_and(|i| own(i));
            let read = matches!(e, Expr::Var(p) if index(p));
            if index(place) || read {
                self.found.push("_pid as index in d_step");
            }
        }
        if visit::exprs_mut(kind).into_iter().any(|e| own(e)) {
            self.found.push("_pid in d_step");
        }
    }

    /// Does the process, after a step of its own, use a channel without slots that a chain of somebody else waits for?
    fn visitors(&mut self, visitor: &Proc) {
        let mut offers = Vec::new();
        let own = visitor.body.iter().filter(|s| !matches!(s.kind, Kind::Decl(_) | Kind::Exclusive(..))).skip(1);
        for stmt in own {
            match &stmt.kind {
                Kind::Atomic(body) => offers.extend(body.first().and_then(|s| handshake(&s.kind))),
                kind => offers.extend(handshake(kind)),
            }
        }
        let others = procs(&self.program).filter(|p| p.name != visitor.name);
        let met = others.flat_map(chain_waits).any(|(chan, sends)| {
            self.slots.get(&chan) == Some(&0) && offers.iter().any(|(c, s)| *c == chan && *s != sends)
        });
        if met {
            self.found.push("visitor of a chain");
        }
    }

    /// Does the process go round in a loop that touches only what is its own, and is there an assertion in somebody else?
    fn rounds(&mut self, p: &Proc) {
        let mut own: Vec<&str> = p.params.iter().map(|d| d.name.as_str()).collect();
        let mut decls = Vec::new();
        visit::every_stmt(&p.body, &mut |s| {
            decls.extend(if let Kind::Decl(d) = &s.kind { Some(d.name.clone()) } else { None })
        });
        own.extend(decls.iter().map(String::as_str));
        let mut round = false;
        visit::every_stmt(&p.body, &mut |s| {
            round |= matches!(&s.kind, Kind::Do(all) if all.iter().all(|o| of_one(o, &own)))
        });
        if !round {
            return;
        }
        self.found.push("round of one's own");
        let mut asserted = false;
        for other in procs(&self.program).filter(|other| other.name != p.name) {
            visit::every_stmt(&other.body, &mut |s| asserted |= matches!(s.kind, Kind::Assert(_)));
        }
        if asserted {
            self.found.push("assertion beside a round");
        }
    }

    /// Is the first thing that the process does to run its own type?
    fn itself_first(&mut self, p: &Proc) {
        let first = p.body.iter().find(|s| !matches!(s.kind, Kind::Decl(_) | Kind::Exclusive(..)));
        let Some(Stmt { kind: Kind::Atomic(body), .. }) = first else { return };
        let Some(Kind::Guard(e) | Kind::Assign(_, e)) = body.first().map(|s| &s.kind) else { return };
        let plain = if let Expr::Paren(inner) = e { inner } else { e };
        if matches!(plain, Expr::Run(name, ..) if *name == p.name) {
            self.found.push("run of itself first");
        }
    }
}

/// The channel of a send or receive, and whether it sends.
fn handshake(kind: &Kind) -> Option<(String, bool)> {
    match kind {
        Kind::Send(chan, ..) => Some((chan.name.clone(), true)),
        Kind::Recv(recv, _) => Some((recv.chan.name.clone(), false)),
        _ => None,
    }
}

/// What the atomic chains of a process wait for behind their first statement.
fn chain_waits(p: &Proc) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    visit::every_stmt(&p.body, &mut |stmt| {
        if let Kind::Atomic(body) = &stmt.kind {
            all.extend(body.iter().skip(1).filter_map(|s| handshake(&s.kind)));
        }
    });
    all
}

/// Do the statements touch only these variables and channels, and does nothing else come of them?
fn of_one(seq: &Seq, own: &[&str]) -> bool {
    seq.iter().all(|stmt| {
        let this = match &stmt.kind {
            Kind::Assign(place, e) => own.contains(&place.name.as_str()) && of_these(e, own),
            Kind::Guard(e) => of_these(e, own),
            Kind::Send(chan, ..) | Kind::Recv(Recv { chan, .. }, _) => own.contains(&chan.name.as_str()),
            Kind::Break | Kind::If(_) | Kind::Do(_) | Kind::Atomic(_) | Kind::DStep(_) | Kind::Block(_) => true,
            _ => false,
        };
        this && visit::seqs(&stmt.kind).into_iter().all(|inner| of_one(inner, own))
    })
}

/// Does an expression read only these variables?
fn of_these(e: &Expr, own: &[&str]) -> bool {
    match e {
        Expr::Num(_) => true,
        Expr::Word(word) => matches!(word.as_str(), "skip" | "true"),
        Expr::Var(place) => own.contains(&place.name.as_str()) && place.index.is_none(),
        Expr::Paren(_) | Expr::Unary(..) | Expr::Binary(..) => {
            visit::parts(e).into_iter().all(|part| of_these(part, own))
        }
        _ => false,
    }
}

/// Is there nothing but jumps in a statement?
fn jumps(stmt: &Stmt) -> bool {
    let inside = visit::seqs(&stmt.kind);
    matches!(stmt.kind, Kind::Goto(_) | Kind::Break)
        || !inside.is_empty() && inside.iter().all(|seq| matches!(&seq[..], [only] if jumps(only)))
}

fn waits_for_deaths(e: &Expr) -> bool {
    let text = crate::print::expr(e);
    text.contains("_nr_pr <=") || text.contains("_nr_pr ==")
}

/// Does the condition look at a variable?
fn reads(e: &Expr) -> bool {
    matches!(e, Expr::Var(_)) || visit::parts(e).into_iter().any(reads)
}
