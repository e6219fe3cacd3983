//! From the web of elements to locations and transitions.
//!
//! A location is an element that control can rest at. The first statements of all options are lifted to the location of
//! their selection, blocks are entered at once, joins and jumps are passed through, except where SPIN makes them steps
//! of their own: as the first statement of an option, and at the end of an atomic sequence.

mod dstep;

use super::flow::{El, Flow, MOST_JUMPS, Node, Seq, Status, Target, Walk};
use super::optimise::Optimised;
use starwheel_base::Span;
use starwheel_model::{Expr, LocId, Location, Place, ProctypeId, SkipKind, Stmt, TransId, Transition};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What can go wrong only now, when jumps are followed.
pub enum AutomatonError {
    UnknownLabel(Span, Arc<str>),
    JumpLoop(Span),
    /// A jump out of a `d_step` or into one.
    JumpAcrossDStep(Span),
    /// Something that cannot be done inside a `d_step`.
    NotInDStep(Span, &'static str),
    /// Two `else` at one location, because a selection stands at the start of an option of another one.
    SecondElse(Span),
}

/// The automaton of one body.
pub struct Automaton {
    pub start: LocId,
    pub locs: Vec<Location>,
    /// Its transitions, and the number of the first one.
    pub transitions: Vec<Transition>,
    pub first: u32,
    /// By transition: the elements of the statements that were merged into it.
    pub chains: Vec<Vec<LocId>>,
    pub errors: Vec<AutomatonError>,
}

impl Automaton {
    /// Its states have all marks that those of another one have.
    pub fn mark_as(&mut self, other: &Automaton) {
        for (loc, other) in self.locs.iter_mut().zip(&other.locs) {
            loc.end |= other.end;
            loc.accept |= other.accept;
            loc.progress |= other.progress;
        }
    }
}

/// Builds the automaton of a body whose whole sequence is `body`; transitions are numbered from `first`.
pub fn build(flow: &mut Flow, body: Seq, proctype: ProctypeId, first: u32, optimised: Optimised) -> Automaton {
    let mut b = Builder {
        states: (0..flow.numbers() as usize).map(|_| State::default()).collect(),
        done: vec![false; flow.els.len()],
        flow,
        errors: Vec::new(),
        optimised,
        cases: HashSet::new(),
        marks: HashMap::new(),
    };
    b.check_jumps();
    let start = b.hunt(b.flow.first(body));
    b.mark_labels();
    b.sequence(body);
    b.flatten();
    b.lift();
    b.add_escapes();
    b.finish(start, proctype, first)
}

/// A transition in the making.
#[derive(Clone)]
struct Tr {
    el: El,
    to: u16,
    atomic: bool,
    /// `None` for a mere link to the first statement of an option.
    stmt: Option<Stmt>,
    resets: Vec<Place>,
    spans: Vec<Span>,
    /// The elements of the statements that were merged into it.
    chain: Vec<LocId>,
    escapes: Vec<u16>,
    group: u16,
}

/// A location in the making.
#[derive(Clone, Default)]
struct State {
    /// True while its transitions are links that are still to be replaced by what they lead to.
    choice: bool,
    out: Vec<Tr>,
    element: Option<El>,
}

/// What labels say about a location.
#[derive(Clone, Copy, Default)]
struct Marks {
    end: bool,
    accept: bool,
    progress: bool,
}

struct Builder<'a> {
    flow: &'a mut Flow,
    states: Vec<State>,
    done: Vec<bool>,
    errors: Vec<AutomatonError>,
    optimised: Optimised,
    /// Unmerged statements seen so far, with what dies in them: SPIN shares the code of equal ones, which shows when
    /// one of them starts a merged step. As text, which can be looked up.
    cases: HashSet<String>,
    marks: HashMap<u16, Marks>,
}

impl Builder<'_> {
    fn number(&self, id: El) -> u16 {
        self.flow.el(id).number
    }

    fn jump(&self, target: &Target) -> Option<El> {
        self.flow.target(target)
    }

    /// Reports jumps to labels that do not exist.
    fn check_jumps(&mut self) {
        for e in &self.flow.els {
            if let Node::Goto(target @ Target::Label(name, _, span)) = &e.node
                && self.flow.target(target).is_none()
            {
                self.errors.push(AutomatonError::UnknownLabel(*span, name.clone()));
            }
        }
    }

    /// Where control rests when it comes to an element from outside.
    fn hunt(&mut self, id: El) -> El {
        let status = self.flow.el(id).status;
        self.hunt_from(id, status, None)
    }

    /// Where control rests when it comes to an element from one with the given status.
    fn hunt_from(&mut self, id: El, from: Status, stop: Option<u16>) -> El {
        self.flow.rest(id, from.atomic, stop).unwrap_or_else(|| {
            let span = self.flow.el(id).span;
            self.errors.push(AutomatonError::JumpLoop(span));
            id
        })
    }

    fn mark_labels(&mut self) {
        for l in self.flow.labels.iter() {
            let m = self.marks.entry(self.flow.el(l.el).number).or_default();
            m.end |= l.name.starts_with("end");
            m.accept |= l.name.starts_with("accept");
            m.progress |= l.name.starts_with("progress");
        }
        for e in self.flow.els.iter().filter(|e| e.node == Node::Stop) {
            self.marks.entry(e.number).or_default().end = true;
        }
    }

    fn pass_marks(&mut self, from: u16, to: u16) {
        let Some(&m) = self.marks.get(&from) else { return };
        let t = self.marks.entry(to).or_default();
        t.end |= m.end;
        t.accept |= m.accept;
        t.progress |= m.progress;
    }

    /// All elements of a sequence.
    fn sequence(&mut self, seq: Seq) {
        let mut walk = Walk::through(seq);
        while let Some(id) = self.flow.meet(&mut walk, &mut self.done) {
            self.element(id);
        }
    }

    fn element(&mut self, id: El) {
        match self.flow.el(id).node.clone() {
            Node::Unless => {
                let body = self.flow.el(id).sub[0];
                self.sequence(body);
            }
            Node::If | Node::Do => self.selection(id),
            Node::Atomic(s) | Node::Block(s) => self.inner_block(id, s),
            Node::DStep(s) => self.dstep(id, s),
            _ => self.basic(id),
        }
    }

    fn put(&mut self, id: El, choice: bool, out: Vec<Tr>) {
        let n = self.number(id) as usize;
        self.states[n] = State { choice, out, element: Some(id) };
    }

    fn link(&self, id: El, to: El) -> Tr {
        Tr {
            el: id,
            to: self.number(to),
            atomic: self.flow.el(id).status.atomic,
            stmt: None,
            resets: Vec::new(),
            spans: Vec::new(),
            chain: Vec::new(),
            escapes: Vec::new(),
            group: 0,
        }
    }

    fn selection(&mut self, id: El) {
        let options = self.flow.el(id).sub.clone();
        let mut out = Vec::new();
        for &option in &options {
            let first = self.flow.entry(self.flow.first(option));
            let e = self.flow.el(first);
            let never = matches!(&e.node, Node::Stmt(Stmt::Guard(g)) if g.as_const() == Some(0));
            if !(never && e.escapes.is_empty()) {
                out.push(self.link(id, first));
            }
        }
        self.put(id, true, out);
        for option in options {
            self.sequence(option);
        }
    }

    fn inner_block(&mut self, id: El, seq: Seq) {
        self.patch_atomic(seq);
        let first = self.flow.entry(self.flow.first(seq));
        self.tie(id, seq);
        let link = self.link(id, first);
        self.put(id, true, vec![link]);
        self.sequence(seq);
    }

    fn tie(&mut self, id: El, seq: Seq) {
        let next = self.flow.el(id).next;
        if let Some(last) = self.flow.seq(seq).last {
            self.flow.el_mut(last).next = next;
        }
    }

    /// Jumps that leave an atomic sequence end it; those that go from one to another bridge them.
    fn patch_atomic(&mut self, seq: Seq) {
        let s = self.flow.seq(seq);
        let mut at = s.first;
        while let Some(id) = at {
            if let Node::Goto(target) = self.flow.el(id).node.clone() {
                if let Some(to) = self.jump(&target) {
                    let to = self.flow.el(to).status;
                    let inside = to.atomic || to.last_atomic;
                    let from = &mut self.flow.el_mut(id).status;
                    if (from.atomic || from.last_atomic) && !inside {
                        from.atomic = false;
                        from.last_atomic = true;
                    }
                    if from.last_atomic && inside {
                        from.last_atomic = false;
                        from.atomic = true;
                    }
                }
            } else {
                for option in self.flow.el(id).sub.clone() {
                    self.patch_atomic(option);
                }
            }
            if Some(id) == s.extent {
                break;
            }
            at = self.flow.el(id).next;
        }
    }

    /// Where an element leads.
    fn successor(&mut self, id: El) -> u16 {
        let status = self.flow.el(id).status;
        let next = match self.flow.el(id).node.clone() {
            Node::Goto(target) => {
                let to = self.jump(&target);
                if to.is_some_and(|to| self.flow.el(to).status.dstep && !status.dstep) {
                    self.errors.push(AutomatonError::JumpAcrossDStep(self.flow.el(id).span));
                }
                to
            }
            _ => self.flow.el(id).next,
        };
        match next {
            Some(next) => {
                let to = self.hunt_from(next, status, None);
                self.number(to)
            }
            None => 0,
        }
    }

    /// A basic statement, a jump or a join as a step.
    fn basic(&mut self, id: El) {
        let to = self.successor(id);
        let e = self.flow.el(id);
        let (span, status) = (e.span, e.status);
        let opt = self.optimised.of(id);
        let merges = opt.merge != 0 || opt.merge_start != 0;
        let plain = matches!(e.node, Node::Else(_) | Node::Join | Node::Goto(_) | Node::LoopExit)
            || e.node == Node::Stmt(Stmt::Skip(SkipKind::Skip));
        let tr = Tr {
            el: id,
            to,
            atomic: status.atomic,
            stmt: Some(statement(&e.node)),
            resets: Vec::new(),
            spans: vec![span],
            chain: Vec::new(),
            escapes: Vec::new(),
            group: 0,
        };
        let tr = if merges || !plain { self.merged(id, tr) } else { Some(tr) };
        if let Some(mut tr) = tr {
            tr.escapes = self.escapes_of(id);
            self.put(id, false, vec![tr]);
        }
        // Nobody may come to this statement, but somebody may jump into its escape; SPIN forgets that.
        self.escape_sequences(id);
    }

    /// A statement with all that SPIN merges into it; `None` if it is inside the merged steps of others only.
    fn merged(&mut self, id: El, mut tr: Tr) -> Option<Tr> {
        let opt = self.optimised.of(id);
        if opt.mark > 0 || (self.optimised.merging && opt.merge_in == 0) {
            let jump = matches!(self.flow.el(id).node, Node::Join | Node::Goto(_));
            return jump.then_some(tr);
        }
        let (dead, target) = (opt.dead.clone(), if opt.merge_start != 0 { opt.merge_start } else { opt.merge });
        tr.resets = dead.clone();
        let stmt = statement(&self.flow.el(id).node);
        if target == 0 {
            if self.optimised.merging {
                self.cases.insert(case(&stmt, &dead));
            }
            return Some(tr);
        }
        tr.to = target;
        let effects = self.hops(id, target);
        let shared = self.silent_to(id, target) && self.cases.contains(&case(&stmt, &dead));
        let mut chain = vec![stmt];
        let mut resets = vec![dead];
        for f in effects {
            let number = self.number(f);
            if !shared {
                // The last step of the chain decides whether control is kept.
                tr.atomic = self.flow.el(f).status.atomic;
                let own = self.number(id);
                self.pass_marks(number, own);
                if self.optimised.of(f).merge_in == 1 {
                    self.optimised.of_mut(f).mark += 1;
                }
            }
            let stmt = statement(&self.flow.el(f).node);
            if !matches!(&stmt, Stmt::Skip(kind) if *kind != SkipKind::Skip) {
                tr.chain.push(LocId(number));
            }
            chain.push(stmt);
            resets.push(self.optimised.of(f).dead.clone());
            tr.spans.push(self.flow.el(f).span);
        }
        tr.stmt = Some(chain_with_resets(chain, resets, &mut tr));
        Some(tr)
    }

    /// True if nothing but jumps, joins and printing lies on the way to the element with the number `target`, that one
    /// included: then SPIN takes the merged step for equal to an unmerged one.
    fn silent_to(&mut self, id: El, target: u16) -> bool {
        let mut at = id;
        for _ in 0..MOST_JUMPS {
            let next = match self.flow.el(at).node.clone() {
                Node::Goto(t) => {
                    let Some(to) = self.jump(&t) else { return true };
                    let status = self.flow.el(at).status;
                    Some(self.hunt_from(to, status, None))
                }
                _ => self.flow.el(at).next,
            };
            let Some(next) = next else { return true };
            let e = self.flow.el(next);
            match &e.node {
                Node::Goto(_) | Node::Join | Node::Stmt(Stmt::Printf(..) | Stmt::Printm(_)) => {}
                _ => return false,
            }
            if e.number == target {
                return true;
            }
            at = next;
        }
        false
    }

    /// The elements that are merged behind `id`, up to the one with the number `target`.
    fn hops(&mut self, id: El, target: u16) -> Vec<El> {
        let mut out = Vec::new();
        let mut at = id;
        loop {
            let next = match self.flow.el(at).node.clone() {
                Node::Goto(t) => {
                    let Some(to) = self.jump(&t) else { return out };
                    if self.number(to) == target {
                        return out;
                    }
                    let status = self.flow.el(at).status;
                    Some(self.hunt_from(to, status, Some(target)))
                }
                _ => self.flow.el(at).next,
            };
            let Some(next) = next else { return out };
            let opt = self.optimised.of(next);
            if self.number(next) == target || (opt.merge == 0 && opt.merge_single == 0) || out.len() > MOST_JUMPS {
                return out;
            }
            out.push(next);
            at = next;
        }
    }

    fn escapes_of(&mut self, id: El) -> Vec<u16> {
        let e = self.flow.el(id);
        if e.node == Node::Join {
            return Vec::new();
        }
        let (status, escapes) = (e.status, e.escapes.clone());
        let firsts: Vec<El> = escapes.iter().map(|&s| self.flow.first(s)).collect();
        firsts
            .into_iter()
            .map(|f| {
                let to = self.hunt_from(f, status, None);
                self.number(to)
            })
            .collect()
    }

    fn escape_sequences(&mut self, id: El) {
        if self.flow.el(id).node == Node::Join {
            return;
        }
        for s in self.flow.el(id).escapes.clone() {
            self.sequence(s);
        }
    }

    /// The options of a selection that are selections themselves take the place of the option.
    fn flatten(&mut self) {
        for _ in 0..MOST_JUMPS {
            let mut changed = false;
            for n in 1..self.states.len() {
                let is_choice =
                    |b: &Self, t: &Tr| b.states[t.to as usize].choice && !b.states[t.to as usize].out.is_empty();
                if !self.states[n].choice || !self.states[n].out.iter().any(|t| is_choice(self, t)) {
                    continue;
                }
                let mut out = Vec::new();
                for t in std::mem::take(&mut self.states[n].out) {
                    if !is_choice(self, &t) {
                        out.push(t);
                        continue;
                    }
                    changed = true;
                    for inner in self.states[t.to as usize].out.clone() {
                        self.pass_marks(t.to, inner.to);
                        out.push(inner);
                    }
                }
                self.states[n].out = out;
            }
            if !changed {
                return;
            }
        }
    }

    /// Links are replaced by the transitions that they lead to.
    fn lift(&mut self) {
        for n in 1..self.states.len() {
            if !self.states[n].choice {
                continue;
            }
            let mut out = Vec::new();
            for t in std::mem::take(&mut self.states[n].out) {
                let Some(real) = self.states[t.to as usize].out.first().cloned() else { continue };
                if real.stmt.is_none() {
                    continue;
                }
                self.pass_marks(t.to, real.to);
                out.push(real);
            }
            self.states[n].out = out;
        }
    }

    /// The first transitions of escapes go in front, those of the outermost escape first.
    ///
    /// This is SPIN's procedure step by step, since its outcome depends on it: states are treated in the order of their
    /// numbers, so an escape with a lower number brings along the escapes that it can be interrupted by itself, and they
    /// count as one group with it. Only `else` we keep behind the other transitions of its group, where it belongs.
    fn add_escapes(&mut self) {
        for n in 1..self.states.len() {
            let mut list = std::mem::take(&mut self.states[n].out);
            let wanted: Vec<u16> = list.iter().flat_map(|t| t.escapes.iter().rev().copied()).collect();
            for group in wanted {
                let escape = if group as usize == n { list.clone() } else { self.states[group as usize].out.clone() };
                for t in escape {
                    if !list.iter().any(|known| known.el == t.el) {
                        list.insert(0, Tr { group, ..t });
                    }
                }
            }
            let is_else = |t: &Tr| matches!(t.stmt, Some(Stmt::Else));
            for group in list.chunk_by_mut(|a, b| a.group == b.group) {
                if group[0].group != 0 {
                    group.sort_by_key(is_else);
                }
            }
            self.states[n].out = list;
        }
    }

    fn finish(mut self, start: El, proctype: ProctypeId, first: u32) -> Automaton {
        let start = LocId(self.number(start));
        let mut ids: HashMap<(El, u16), TransId> = HashMap::new();
        let (mut transitions, mut chains) = (Vec::new(), Vec::new());
        let mut locs = vec![Location::default(); self.states.len()];
        let states = std::mem::take(&mut self.states);
        for (n, state) in states.into_iter().enumerate() {
            let elses = state.out.iter().filter(|t| t.group == 0 && matches!(t.stmt, Some(Stmt::Else)));
            if let Some(second) = elses.skip(1).find_map(|t| t.spans.first()) {
                self.errors.push(AutomatonError::SecondElse(*second));
            }
            for t in state.out {
                let id = *ids.entry((t.el, t.group)).or_insert_with(|| {
                    let id = TransId(first + transitions.len() as u32);
                    chains.push(t.chain.clone());
                    transitions.push(Transition {
                        proctype,
                        from: LocId(self.flow.el(t.el).number),
                        to: LocId(t.to),
                        stmt: t.stmt.clone().unwrap_or(Stmt::Skip(SkipKind::Skip)),
                        atomic: t.atomic,
                        escape: t.group,
                        resets: t.resets.clone(),
                        span: t.spans.first().copied().unwrap_or_default(),
                        merged: t.spans.clone(),
                    });
                    id
                });
                locs[n].out.push(id);
            }
            if let Some(el) = state.element {
                locs[n].span = self.flow.el(el).span;
            }
        }
        for (n, m) in &self.marks {
            let loc = &mut locs[*n as usize];
            (loc.end, loc.accept, loc.progress) = (m.end, m.accept, m.progress);
        }
        for l in self.flow.labels.iter() {
            locs[self.flow.el(l.el).number as usize].labels.push(l.name.clone());
        }
        Automaton { start, locs, transitions, first, chains, errors: self.errors }
    }
}

/// A statement and what dies in it, for a look-up.
fn case(stmt: &Stmt, dead: &[Place]) -> String {
    format!("{stmt:?} {dead:?}")
}

/// The statement of a basic element.
pub fn statement(node: &Node) -> Stmt {
    match node {
        Node::Stmt(s) => s.clone(),
        Node::Else(_) => Stmt::Else,
        Node::Goto(Target::Label(name, ..)) => Stmt::Skip(SkipKind::Goto(name.clone())),
        Node::Goto(Target::LoopExit(_)) => Stmt::Skip(SkipKind::Break),
        Node::Stop => Stmt::End,
        _ => Stmt::Skip(SkipKind::Join),
    }
}

/// One statement for a chain, in which dead variables are reset in between; each reset stands where its statement does.
fn chain_with_resets(chain: Vec<Stmt>, resets: Vec<Vec<Place>>, tr: &mut Tr) -> Stmt {
    let mut out = Vec::new();
    let n = chain.len();
    let written = std::mem::take(&mut tr.spans);
    for (i, (stmt, dead)) in chain.into_iter().zip(resets).enumerate() {
        out.push(stmt);
        tr.spans.push(written[i]);
        if i + 1 == n {
            tr.resets = dead;
        } else {
            tr.spans.extend(dead.iter().map(|_| written[i]));
            out.extend(dead.into_iter().map(|p| {
                let idle = Expr::constant(p.ty.idle());
                Stmt::Assign(p, idle)
            }));
        }
    }
    if out.len() == 1 { out.remove(0) } else { Stmt::Chain(out) }
}
