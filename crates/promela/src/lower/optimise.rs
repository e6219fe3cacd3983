//! SPIN's two optimisations of process automata: resets of dead locals and merging of local steps.
//!
//! Both change how many states there are, so both follow SPIN 6.5.2 to the letter; where SPIN is not as thorough as it
//! could be, neither are we. They look at the web of elements before jumps out of atomic sequences are patched.
//!
//! With four exceptions, where SPIN is wrong.
//!
//! - A step that brings its process to a receive without slots may be seen by others: `handshakes.rs` says by whom. Whoever merges
//!   such a step with the one before never lets others see the state between the two. It stays a step of its own.
//! - Inside `atomic`, SPIN merges statements that touch globals. With priorities an `atomic` can be interrupted: one of its
//!   statements may enable a process of a higher priority. So in models with priorities they count as what they are.
//! - A jump may be a state of its own (as the first statement of a block or an option, at the end of `atomic`), and then the
//!   escapes around it can be taken there. SPIN gives jumps no edges to their escapes: what is read there seems dead, and an
//!   escape that is met at jumps only is not looked at, after which its statements seem to be parts of other steps, and nobody
//!   can execute them.
//! - SPIN believes promises about what is local: `globals.rs`.
//!
//! All other states that merging leaves out have the same steps of others as the one at the end of the chain.
//!
//! Timers, which SPIN does not know, may be dead as well: whether they may then be switched off is for the caller to know
//! (`dead_timers.rs` in the workbench has the proof).

use super::flow::{El, Flow, Node, Seq, Walk};
use starwheel_model::{Expr, Place, RecvArg, Region, Stmt, Ty};
use std::collections::{HashMap, HashSet};

/// What the optimisations found out about one element.
#[derive(Clone, Default)]
pub struct Found {
    /// Locals that are dead after the statement.
    pub dead: Vec<Place>,
    /// The state at the end of the chain of merged steps that starts here; 0 for none.
    pub merge: u16,
    /// The same, for a statement that may block and is followed by such a chain.
    pub merge_start: u16,
    /// Where a step leads that could be merged but has no partner.
    pub merge_single: u16,
    /// How many transitions lead to the state.
    pub merge_in: u32,
    /// How often the state was swallowed by a chain.
    pub mark: u32,
}

/// The findings for all elements of a body.
#[derive(Default)]
pub struct Optimised {
    found: Vec<Found>,
    /// True if steps are merged.
    pub merging: bool,
}

impl Optimised {
    /// No optimisation at all.
    pub fn none(flow: &Flow) -> Optimised {
        Optimised { found: vec![Found::default(); flow.els.len()], merging: false }
    }

    pub fn of(&self, id: El) -> &Found {
        &self.found[id.0 as usize]
    }

    pub fn of_mut(&mut self, id: El) -> &mut Found {
        &mut self.found[id.0 as usize]
    }
}

/// Which dead locals are reset.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Dead {
    /// All but timers, to zero.
    pub variables: bool,
    /// Timers, to off.
    pub timers: bool,
}

/// What the rest of a model may notice of single steps.
#[derive(Clone, Copy)]
pub struct Others<'a> {
    /// There are channels without slots.
    pub rendezvous: bool,
    /// The receives of this body whose readiness others notice (`handshakes.rs`).
    pub minded: &'a HashSet<El>,
    /// There are priorities, so that others may interrupt an atomic sequence.
    pub interrupt: bool,
}

/// What the optimisations need to know about names.
pub trait Knowledge {
    /// True for a local channel variable.
    fn is_channel(&self, place: &Place) -> bool;
    /// True if a statement touches anything that another process may touch.
    fn touches_globals(&self, stmt: &Stmt) -> bool;
}

/// A transition of the analysed automaton.
struct Edge {
    to: u16,
    step: Option<El>,
    /// Locals that are read, and written, by offset.
    uses: [Vec<u32>; 2],
}

/// A state of the analysed automaton; SPIN goes through them, and through their transitions, newest first.
#[derive(Default)]
struct Node1 {
    out: Vec<Edge>,
    /// True if any of them writes a local.
    writes: bool,
    entries: u32,
}

struct Analysis<'a> {
    flow: &'a Flow,
    know: &'a dyn Knowledge,
    dead: Dead,
    /// In order of creation.
    order: Vec<u16>,
    states: HashMap<u16, Node1>,
    done: Vec<bool>,
    others: Others<'a>,
    /// States to which others notice that a process has come.
    noticed: HashSet<u16>,
    /// Elements with a label, or at the end of a loop: a state there has a name or an entry of its own.
    named: HashSet<El>,
    result: Optimised,
}

/// Runs the passes that are asked for.
pub fn optimise(
    flow: &mut Flow,
    body: Seq,
    know: &dyn Knowledge,
    dead: Dead,
    merge: bool,
    others: Others<'_>,
) -> Optimised {
    let some = dead.variables || dead.timers;
    if !some && !merge {
        return Optimised::none(flow);
    }
    tie_blocks(flow);
    let named = flow.labels.iter().map(|l| l.el).chain(flow.exits.iter().flatten().copied()).collect();
    let mut a = Analysis {
        flow,
        know,
        dead,
        order: Vec::new(),
        states: HashMap::new(),
        done: vec![false; flow.els.len()],
        others,
        noticed: HashSet::new(),
        named,
        result: Optimised { found: vec![Found::default(); flow.els.len()], merging: merge },
    };
    a.sequence(body);
    a.states.values_mut().for_each(|state| state.out.reverse());
    if some {
        a.dead_variables();
    }
    if merge {
        a.noticed = a.noticed();
        a.merge();
        let first = a.flow.first(body);
        let start = a.hunt(first, a.flow.el(first).status.atomic);
        a.result.of_mut(start).merge_in = 1;
    }
    a.result
}

/// The last element of a block leads to what follows the block.
fn tie_blocks(flow: &mut Flow) {
    // Outer blocks stand behind the blocks inside them.
    for i in (0..flow.els.len()).rev() {
        if let Node::Atomic(s) | Node::Block(s) | Node::DStep(s) = flow.els[i].node {
            let next = flow.els[i].next;
            if let Some(last) = flow.seq(s).last {
                flow.el_mut(last).next = next;
            }
        }
    }
}

impl Analysis<'_> {
    fn number(&self, id: El) -> u16 {
        self.flow.el(id).number
    }

    fn hunt(&self, id: El, atomic: bool) -> El {
        self.flow.rest(id, atomic, None).unwrap_or(id)
    }

    fn state(&mut self, n: u16) -> &mut Node1 {
        if !self.states.contains_key(&n) {
            self.order.push(n);
        }
        self.states.entry(n).or_default()
    }

    fn edge(&mut self, from: u16, to: u16, step: Option<El>) {
        let uses = match step.map(|s| &self.flow.el(s).node) {
            Some(Node::Stmt(stmt)) => self.uses(stmt),
            _ => [Vec::new(), Vec::new()],
        };
        let state = self.state(from);
        state.writes |= !uses[1].is_empty();
        state.out.push(Edge { to, step, uses });
        self.state(to).entries += 1;
    }

    fn sequence(&mut self, seq: Seq) {
        let mut walk = Walk::through(seq);
        while let Some(id) = self.flow.meet(&mut walk, &mut self.done) {
            self.element(id);
        }
    }

    fn element(&mut self, id: El) {
        let from = self.number(id);
        let e = self.flow.el(id);
        match &e.node {
            Node::Unless => self.sequence(e.sub[0]),
            Node::If | Node::Do => {
                let options = e.sub.clone();
                for &option in &options {
                    let first = self.flow.entry(self.flow.first(option));
                    let f = self.flow.el(first);
                    let never = matches!(&f.node, Node::Stmt(Stmt::Guard(g)) if g.as_const() == Some(0));
                    if !never || !f.escapes.is_empty() {
                        self.edge(from, self.number(first), Some(id));
                    }
                }
                for option in options {
                    self.sequence(option);
                }
            }
            Node::Atomic(s) | Node::Block(s) | Node::DStep(s) => {
                let s = *s;
                let first = self.flow.entry(self.flow.first(s));
                self.edge(from, self.number(first), Some(id));
                self.sequence(s);
            }
            _ => self.basic(id, from),
        }
    }

    fn basic(&mut self, id: El, from: u16) {
        let e = self.flow.el(id);
        let next = match &e.node {
            Node::Goto(t) => self.flow.target(t),
            _ => e.next,
        };
        let to = next.map_or(0, |n| self.number(self.hunt(n, e.status.atomic)));
        self.edge(from, to, Some(id));
        if self.flow.el(id).node == Node::Join {
            return;
        }
        for escape in self.flow.el(id).escapes.clone() {
            let first = self.flow.entry(self.flow.first(escape));
            self.edge(from, self.number(first), None);
            self.sequence(escape);
        }
    }

    /// Scalar locals that a statement reads and writes.
    fn uses(&self, stmt: &Stmt) -> [Vec<u32>; 2] {
        let mut uses = Uses { know: self.know, dead: self.dead, sets: [Vec::new(), Vec::new()] };
        uses.stmt(stmt);
        uses.sets
    }

    /// For each use of a local: if no read of it can come before a write, it is dead and set to zero.
    fn dead_variables(&mut self) {
        let live = self.live();
        let mut found: Vec<(El, u32)> = Vec::new();
        for n in self.order.iter().rev() {
            for edge in &self.states[n].out {
                let Some(step) = edge.step else { continue };
                for write in [false, true] {
                    for &v in &edge.uses[usize::from(write)] {
                        if !live.contains(&(edge.to, v)) && self.worth_reset(step, write) {
                            found.push((step, v));
                        }
                    }
                }
            }
        }
        for (step, offset) in found {
            let Some(place) = self.place_at(step, offset) else { continue };
            let dead = &mut self.result.of_mut(step).dead;
            if !dead.contains(&place) {
                dead.push(place);
            }
        }
    }

    /// The states from which a read of a variable can be reached before a write of it, with that variable: backwards from
    /// each read, once for each state.
    fn live(&self) -> HashSet<(u16, u32)> {
        let mut before: HashMap<u16, Vec<(u16, usize)>> = HashMap::new();
        let (mut live, mut todo) = (HashSet::new(), Vec::new());
        let mut add = |at: u16, v: u32, edge: usize, todo: &mut Vec<(u16, u32)>| {
            // SPIN does not look behind a transition that writes a variable at the state's further ones either.
            let state = &self.states[&at];
            let written = state.writes && state.out[..edge].iter().any(|e| e.uses[1].contains(&v));
            if !written && live.insert((at, v)) {
                todo.push((at, v));
            }
        };
        for (&n, state) in &self.states {
            for (i, edge) in state.out.iter().enumerate() {
                before.entry(edge.to).or_default().push((n, i));
                edge.uses[0].iter().for_each(|&v| add(n, v, i, &mut todo));
            }
        }
        while let Some((to, v)) = todo.pop() {
            // Number 0 stands for no state: whatever leads there has come to its end.
            for &(n, i) in before.get(&to).filter(|_| to != 0).into_iter().flatten() {
                if !self.states[&n].out[i].uses[1].contains(&v) {
                    add(n, v, i, &mut todo);
                }
            }
        }
        live
    }

    /// A variable that is read is reset only by conditions and receives; one that is written, unless by what it is reset to.
    fn worth_reset(&self, step: El, write: bool) -> bool {
        match (&self.flow.el(step).node, write) {
            (Node::Stmt(Stmt::Assign(p, e)), true) => e.as_const() != Some(p.ty.idle()),
            (_, true) => true,
            (Node::Stmt(Stmt::Guard(_) | Stmt::Receive { .. } | Stmt::Skip(_)), false) => true,
            (_, false) => false,
        }
    }

    fn place_at(&self, step: El, offset: u32) -> Option<Place> {
        let Node::Stmt(stmt) = &self.flow.el(step).node else { return None };
        let mut found = None;
        let mut look = |p: &Place| {
            if p.region != Region::Local {
                return;
            }
            if p.dims.is_empty() && p.offset == offset {
                found = Some(p.clone());
            } else if p.ty == Ty::Timer
                && few(p)
                && let Some(element) = elements(p).into_iter().find(|e| e.offset == offset)
            {
                found = Some(element);
            }
        };
        stmt.walk(&mut |e| {
            if let Expr::Load(p) = e {
                look(p);
            }
        });
        match stmt {
            Stmt::Assign(p, _) => look(p),
            Stmt::Receive { args, .. } => args.iter().for_each(|a| {
                if let RecvArg::Bind(p) = a {
                    look(p);
                }
            }),
            _ => {}
        }
        found
    }

    /// Finds chains of steps that can be executed as one.
    fn merge(&mut self) {
        let order: Vec<u16> = self.order.iter().rev().copied().collect();
        for &n in &order {
            for i in 0..self.states[&n].out.len() {
                let Some(step) = self.states[&n].out[i].step else { continue };
                self.result.of_mut(step).merge_in = self.states[&n].entries;
                if self.result.of(step).merge != 0 || self.blocks(step) || !self.eligible(n, i) {
                    continue;
                }
                let to = self.states[&n].out[i].to;
                if self.eligible(to, 0) {
                    self.chain(n);
                } else {
                    self.result.of_mut(step).merge_single = to;
                }
            }
        }
        for &n in &order {
            for i in 0..self.states[&n].out.len() {
                let Some(step) = self.states[&n].out[i].step else { continue };
                if self.result.of(step).merge == 0 && self.may_start(step) && self.can_fill(n, i) {
                    self.start(n, i, step);
                }
            }
        }
    }

    fn start(&mut self, n: u16, i: usize, step: El) {
        let to = self.states[&n].out[i].to;
        let Some(next) = self.states.get(&to).and_then(|s| s.out.first()).and_then(|e| e.step) else { return };
        let next = self.result.of(next);
        let target = if next.merge != 0 { next.merge } else { next.merge_single };
        if target != 0 {
            self.result.of_mut(step).merge_start = target;
        }
    }

    fn blocks(&self, step: El) -> bool {
        matches!(self.kind(step), Kind::Condition | Kind::Receive | Kind::Send)
    }

    /// Conditions that start no process, receives, and sends if the model has no rendezvous.
    fn may_start(&self, step: El) -> bool {
        match self.kind(step) {
            Kind::Condition => match &self.flow.el(step).node {
                Node::Stmt(Stmt::Guard(e)) => !e.any(|e| matches!(e, Expr::Run(_))),
                _ => true,
            },
            Kind::Receive => true,
            Kind::Send => !self.others.rendezvous,
            Kind::Other => false,
        }
    }

    fn kind(&self, step: El) -> Kind {
        match &self.flow.el(step).node {
            Node::Stmt(Stmt::Guard(_)) => Kind::Condition,
            // `skip` is a condition for SPIN.
            Node::Stmt(Stmt::Skip(starwheel_model::SkipKind::Skip)) => Kind::Condition,
            Node::Stmt(Stmt::Receive { .. }) => Kind::Receive,
            Node::Stmt(Stmt::Send { .. }) => Kind::Send,
            _ => Kind::Other,
        }
    }

    /// The only transition of its state, without escapes, labels or remote references, that cannot block and touches
    /// no globals (or is inside an atomic sequence that nobody interrupts).
    fn eligible(&self, n: u16, i: usize) -> bool {
        let Some(state) = self.states.get(&n) else { return false };
        let Some(edge) = state.out.get(i) else { return false };
        let Some(step) = edge.step else { return false };
        let e = self.flow.el(step);
        let node_ok = match &e.node {
            Node::Goto(_) | Node::Join | Node::LoopExit => true,
            Node::Stmt(stmt) => !matches!(stmt, Stmt::SetPriority(..)) && !self.blocks(step),
            _ => false,
        };
        node_ok
            && i + 1 == state.out.len()
            && e.escapes.is_empty()
            && !e.status.remote
            && !self.named.contains(&step)
            && self.local(step)
            && !self.noticed.contains(&edge.to)
    }

    /// The states at which a process is ready for a handshake that others mind: at the statement itself, and at blocks, selections
    /// and escapes that may begin with it. Backwards from the statements, once for each state.
    fn noticed(&self) -> HashSet<u16> {
        let (mut noticed, mut todo) = (HashSet::new(), Vec::new());
        if self.others.minded.is_empty() {
            return noticed;
        }
        let mut before: HashMap<u16, Vec<u16>> = HashMap::new();
        for (&n, state) in &self.states {
            for edge in &state.out {
                match edge.step.map(|step| (step, &self.flow.el(step).node)) {
                    Some((step, Node::Stmt(_))) if self.others.minded.contains(&step) => todo.push(n),
                    Some((_, Node::If | Node::Do | Node::Atomic(_) | Node::Block(_) | Node::DStep(_))) | None => {
                        before.entry(edge.to).or_default().push(n);
                    }
                    Some(_) => {}
                }
            }
        }
        while let Some(n) = todo.pop() {
            if noticed.insert(n) {
                todo.extend(before.get(&n).into_iter().flatten());
            }
        }
        noticed
    }

    fn can_fill(&self, n: u16, i: usize) -> bool {
        let state = &self.states[&n];
        let Some(step) = state.out[i].step else { return false };
        let e = self.flow.el(step);
        i + 1 == state.out.len() && e.escapes.is_empty() && !e.status.remote && self.local(step)
    }

    fn local(&self, step: El) -> bool {
        let e = self.flow.el(step);
        if (e.status.atomic || e.status.last_atomic) && !self.others.interrupt {
            return true;
        }
        let global = match &e.node {
            Node::Stmt(stmt) => self.know.touches_globals(stmt),
            _ => false,
        };
        !e.status.global && !global
    }

    /// Follows a chain of eligible steps from a state to its end; a cycle ends it.
    fn chain(&mut self, start: u16) {
        let mut building: Vec<El> = Vec::new();
        let mut inside: HashSet<u16> = HashSet::new();
        let mut at = start;
        let end = loop {
            let first = self.states.get(&at).and_then(|s| s.out.first());
            let Some((to, step)) = first.and_then(|e| Some((e.to, e.step?))) else { break at };
            match self.result.of(step).merge {
                0 if self.eligible(at, 0) && inside.insert(at) => building.push(step),
                0 => break at,
                end => break end,
            }
            at = to;
        };
        for step in building {
            self.result.of_mut(step).merge = end;
        }
    }
}

enum Kind {
    Condition,
    Receive,
    Send,
    Other,
}

/// Timers of an array whose elements are looked at one by one.
const MOST_TIMERS: u32 = 64;

/// True if a place is in no array or in a small one. Every place in an array has the same dimensions, so an array is looked at
/// everywhere or nowhere.
fn few(place: &Place) -> bool {
    place.dims.iter().fold(1, |size: u32, dim| size.saturating_mul(dim.len)) <= MOST_TIMERS
}

/// The single values that a place may mean, each without an index to be computed: one if all indices are known and fit.
fn elements(place: &Place) -> Vec<Place> {
    let mut list = vec![Place { dims: Vec::new(), ..place.clone() }];
    for dim in &place.dims {
        let known = dim.index.as_const().and_then(|i| u32::try_from(i).ok()).filter(|&i| i < dim.len);
        let indices = known.map_or(0..dim.len, |i| i..i + 1);
        let with = |p: &Place, i: u32| {
            let name = p.name.replacen('#', &i.to_string(), 1);
            Place { offset: p.offset + i * dim.stride, name: name.into(), ..p.clone() }
        };
        list = list.iter().flat_map(|p| indices.clone().map(move |i| with(p, i))).collect();
    }
    list
}

/// Collects scalar locals that are read and written.
struct Uses<'a> {
    know: &'a dyn Knowledge,
    dead: Dead,
    sets: [Vec<u32>; 2],
}

impl Uses<'_> {
    fn place(&mut self, place: &Place, write: bool) {
        for d in &place.dims {
            self.expr(&d.index);
        }
        if place.ty == Ty::Timer {
            return self.timer(place, write);
        }
        let plain = place.dims.is_empty() && !place.name.contains('.') && &*place.name != "_priority";
        let wanted = self.dead.variables;
        if place.region == Region::Local && plain && wanted && !self.know.is_channel(place) {
            let set = &mut self.sets[usize::from(write)];
            if !set.contains(&place.offset) {
                set.push(place.offset);
            }
        }
    }

    /// Timers are looked at one by one, in arrays and structures, too. Who reads an element by an index that is not known may
    /// read any of them; who writes one has written none for sure.
    fn timer(&mut self, place: &Place, write: bool) {
        if place.region != Region::Local || !self.dead.timers || !few(place) {
            return;
        }
        let elements = elements(place);
        if write && elements.len() != 1 {
            return;
        }
        let set = &mut self.sets[usize::from(write)];
        for e in elements {
            if !set.contains(&e.offset) {
                set.push(e.offset);
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Load(p) => self.place(p, false),
            Expr::Unary(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::GetPriority(a) | Expr::Channel(_, a) => {
                self.expr(a)
            }
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Cond(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            Expr::Run(run) => run.args.iter().for_each(|a| self.expr(a)),
            Expr::Poll { channel, args, .. } => {
                self.expr(channel);
                self.args(args, false);
            }
            Expr::RemoteLabel { pid, .. } | Expr::RemoteVar { pid, .. } => pid.iter().for_each(|p| self.expr(p)),
            _ => {}
        }
    }

    fn args(&mut self, args: &[RecvArg], bind: bool) {
        for a in args {
            match a {
                RecvArg::Match(e) => self.expr(e),
                RecvArg::Bind(p) if bind => self.place(p, true),
                _ => {}
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Guard(e) | Stmt::Assert(e) | Stmt::Printm(e) => self.expr(e),
            Stmt::Assign(p, e) => {
                self.place(p, true);
                self.expr(e);
            }
            Stmt::AssignArray(p, _) => self.place(p, true),
            Stmt::Printf(_, args) => args.iter().for_each(|a| self.expr(a)),
            Stmt::Send { channel, args, .. } => {
                self.expr(channel);
                args.iter().for_each(|a| self.expr(a));
            }
            Stmt::Receive { channel, args, .. } => {
                self.expr(channel);
                self.args(args, true);
            }
            Stmt::SetPriority(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            _ => {}
        }
    }
}
