//! How many processes a run can start at the most, so that `run` is known never to find 255 of them.
//!
//! A process executes a `run` outside of its loops once. In a loop it does so once for each value of a counter: a local variable that
//! nothing in the loop writes but statements which add a positive constant to it, and never beyond its type, where the `run` cannot be
//! reached again without one of them. A process that has left a strongly connected component of its locations never comes back, so the
//! counter has another, greater value each time, and all of them lie in the interval that is known at the `run`. A type is started as
//! often as its starters are, times this; a type that leads to itself has no bound.

use super::exec::Frame;
use super::interval::Interval;
use super::{Analysis, Meant};
use starwheel_base::scc::components;
use starwheel_model::{BinaryOp, Expr, LocId, Place, ProctypeId, Region, Stmt, TransId};
use std::collections::BTreeSet;

/// Processes and channels that a state can hold.
const MOST: u64 = 255;
/// Locations that are gone through before one gives up, a type's once for each type that it starts.
const MOST_LOCATIONS: usize = 200_000;
/// Steps in a loop that is looked at.
const LONG_LOOP: usize = 2_000;
/// Counters of a loop that are looked at.
const COUNTERS: usize = 16;

impl Analysis<'_> {
    /// Whether no run ever has more processes, or channels, than a state can hold. All must be stable.
    pub(super) fn few(&self) -> bool {
        self.most().is_some_and(|(processes, channels)| processes <= MOST && channels <= MOST)
    }

    /// How many processes and channels a run can have at the most; none if that is not known.
    fn most(&self) -> Option<(u64, u64)> {
        let starters = self.starters();
        let work: usize = starters.iter().map(|(starter, _)| self.model.proctypes[*starter].locs.len()).sum();
        if work > MOST_LOCATIONS {
            return None;
        }
        let mut open = vec![false; self.model.proctypes.len()];
        let mut known = vec![None; open.len()];
        let each = (0..open.len()).map(|id| self.instances(id, &starters, &mut open, &mut known));
        let each: Option<Vec<u64>> = each.collect();
        let each = each?;
        let channels = |id: usize| self.model.proctypes[id].channels.len() as u64;
        let own = each.iter().enumerate().map(|(id, n)| n.saturating_mul(channels(id))).fold(0, u64::saturating_add);
        let processes = each.iter().copied().fold(0, u64::saturating_add);
        Some((processes, own.saturating_add(self.model.global_channels.len() as u64)))
    }

    /// How many processes of a type there are in all.
    fn instances(
        &self,
        id: usize,
        starters: &BTreeSet<(usize, usize)>,
        open: &mut [bool],
        known: &mut [Option<u64>],
    ) -> Option<u64> {
        if let Some(count) = known[id] {
            return Some(count);
        }
        if std::mem::replace(&mut open[id], true) {
            return None;
        }
        let mut count = self.model.starts.iter().filter(|s| s.proctype.index() == id).count() as u64;
        for &(starter, _) in starters.iter().filter(|(_, started)| *started == id) {
            let times = self.times(starter, id)?;
            count = count.saturating_add(times.saturating_mul(self.instances(starter, starters, open, known)?));
        }
        open[id] = false;
        known[id] = Some(count);
        Some(count)
    }

    /// Which types start which; a type that nobody starts does nothing.
    fn starters(&self) -> BTreeSet<(usize, usize)> {
        let mut found = BTreeSet::new();
        for t in self.model.transitions.iter().filter(|t| self.params[t.proctype.index()].is_some()) {
            t.stmt.walk(&mut |e| {
                if let Expr::Run(run) = e {
                    found.insert((t.proctype.index(), run.proctype.index()));
                }
            });
        }
        found
    }

    /// How often one process starts others of a type.
    fn times(&self, starter: usize, id: usize) -> Option<u64> {
        let at = self.arrived.get(starter)?.as_ref()?;
        let edges = self.edges(starter);
        let of = within(at.len(), &edges, |_| true);
        let mut count = 0u64;
        for edge in &edges {
            let stmt = &self.model.transition(edge.trans).stmt;
            let (n, Some(frame)) = (runs(stmt, id), &at[edge.from]) else { continue };
            if n == 0 {
                continue;
            }
            if has_sequence(stmt) {
                return None;
            }
            let turns = if of[edge.from] == of[edge.to] {
                let here = |e: &&Edge| of[e.from] == of[edge.from] && of[e.to] == of[edge.from];
                let inside: Vec<&Edge> = edges.iter().filter(here).collect();
                if inside.len() > LONG_LOOP {
                    return None;
                }
                self.turns(starter, at, &inside, edge, frame)?
            } else {
                1
            };
            count = count.saturating_add(turns.saturating_mul(n));
            // Each step looks through all of its loop, so there must not be many of them.
            if count > MOST {
                return None;
            }
        }
        Some(count)
    }

    /// How often a step of a loop is taken, as a counter says.
    fn turns(&self, id: usize, at: &[Option<Frame>], inside: &[&Edge], edge: &Edge, here: &Frame) -> Option<u64> {
        let counters = inside.iter().flat_map(|e| self.counters(id, e.trans));
        let mut all: Vec<usize> = counters.collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().take(COUNTERS).filter_map(|cell| self.turns_of(id, at, inside, edge, here, cell)).min()
    }

    fn turns_of(
        &self,
        id: usize,
        at: &[Option<Frame>],
        inside: &[&Edge],
        edge: &Edge,
        here: &Frame,
        cell: usize,
    ) -> Option<u64> {
        let top = Interval::of(self.locals[id].ty(cell)?).hi;
        let mut steps = Vec::new();
        for e in inside {
            let added = self.added(id, e.trans, cell)?;
            let fits = at[e.from].as_ref().is_none_or(|f| f.locals[cell].hi.saturating_add(added) <= top);
            if !fits {
                return None;
            }
            if added > 0 {
                steps.push((e.from, e.trans));
            }
        }
        let counts = |e: &Edge| steps.contains(&(e.from, e.trans));
        let loops: Vec<Edge> = inside.iter().map(|e| **e).collect();
        let of = within(at.len(), &loops, |e| !counts(e));
        let again = !counts(edge) && of[edge.from] == of[edge.to];
        let value = here.locals[cell];
        (!again).then(|| (value.hi - value.lo).unsigned_abs() + 1)
    }

    /// Local variables that are followed to which a transition adds something.
    fn counters(&self, id: usize, trans: TransId) -> Vec<usize> {
        let mut found = Vec::new();
        self.model.transition(trans).stmt.walk_stmts(&mut |s| {
            if let Stmt::Assign(place, _) = s
                && increment(s).is_some()
                && let Some(cell) = self.followed_cell(id, place)
            {
                found.push(cell);
            }
        });
        found
    }

    /// What a transition adds to a variable; none if it may write it in another way.
    fn added(&self, id: usize, trans: TransId, cell: usize) -> Option<i64> {
        let t = self.model.transition(trans);
        let (mut added, mut other) = (0i64, false);
        t.stmt.walk_stmts(&mut |s| {
            let mut writes = false;
            s.targets(&mut |place, count| writes |= self.may_mean(id, place, count, cell));
            if writes {
                match increment(s) {
                    Some(by) => added = added.saturating_add(by),
                    None => other = true,
                }
            }
        });
        other |= t.resets.iter().any(|place| self.may_mean(id, place, 1, cell));
        other |= added > 0 && has_sequence(&t.stmt);
        (!other).then_some(added)
    }

    fn followed_cell(&self, id: usize, place: &Place) -> Option<usize> {
        match self.locals[id].meant(place, 1) {
            Meant::Variable(cell) if place.region == Region::Local && self.followed[id] => Some(cell),
            _ => None,
        }
    }

    fn may_mean(&self, id: usize, place: &Place, count: u32, cell: usize) -> bool {
        place.region == Region::Local
            && match self.locals[id].meant(place, count) {
                Meant::Variable(only) => only == cell,
                Meant::Some(list) => list.contains(&cell),
                Meant::Anything => true,
            }
    }

    fn edges(&self, id: usize) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (from, loc) in self.model.proctypes[id].locs.iter().enumerate() {
            for &trans in &loc.out {
                let t = self.model.transition(trans);
                if t.stmt != Stmt::End {
                    edges.push(Edge { from, to: LocId::index(t.to), trans });
                }
            }
        }
        edges
    }
}

/// A transition at one of the locations that it leaves.
#[derive(Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    trans: TransId,
}

/// The component of each location, by some of the edges.
fn within(count: usize, edges: &[Edge], wanted: impl Fn(&Edge) -> bool) -> Vec<usize> {
    let mut successors = vec![Vec::new(); count];
    edges.iter().filter(|e| wanted(e)).for_each(|e| successors[e.from].push(e.to));
    components(&successors).of
}

/// The positive constant that a statement adds to the variable that it assigns to.
fn increment(s: &Stmt) -> Option<i64> {
    let Stmt::Assign(place, Expr::Binary(BinaryOp::Add, a, b)) = s else { return None };
    match (&**a, &**b) {
        (Expr::Load(from), Expr::Const(by, _)) if **from == *place && place.dims.is_empty() && *by > 0 => {
            Some((*by).into())
        }
        _ => None,
    }
}

/// How often a statement starts a process of a type.
fn runs(s: &Stmt, id: usize) -> u64 {
    let mut count = 0;
    s.walk(&mut |e| count += u64::from(matches!(e, Expr::Run(run) if run.proctype == ProctypeId(id as u8))));
    count
}

/// Whether there is a `d_step`, which may have loops of its own.
fn has_sequence(s: &Stmt) -> bool {
    let mut found = false;
    s.walk_stmts(&mut |s| found |= matches!(s, Stmt::DStep(_)));
    found
}

#[cfg(test)]
mod tests {
    use super::super::Analysis;
    use crate::no_step_fails;
    use starwheel_base::cancel::Token;
    use starwheel_model::{Interp, Model, Stepper};
    use starwheel_promela::{CompileOptions, compile_text};
    use std::collections::{BTreeSet, VecDeque};

    fn says(text: &str) -> bool {
        let compiled = compile_text(text, &CompileOptions::default());
        no_step_fails(&compiled.model.expect("a model")).is_some()
    }

    #[test]
    fn processes_are_counted() {
        let p =
            "byte x; chan c = [1] of { byte };\nproctype P(byte i) { x = i }\nproctype Q() { run P(1); run P(2) }\n";
        let right = [
            "init { run P(1); run P(2) }",
            "init { atomic { run Q(); run Q() } }",
            "init { byte i; for (i : 0 .. 99) { run P(i) } }",
            "init { byte i; atomic { do :: i < 9 -> run Q(); i++ :: i >= 9 -> break od }; run P(1) }",
            "init { byte i; do :: i < 3 -> if :: run P(i) :: skip fi; i = i + 2 :: else -> break od }",
            "active proctype A() { if :: x > 3 -> run Q() :: else fi }",
        ];
        for init in right {
            assert!(says(&format!("{p}{init}")), "{init}");
        }
        let wrong = [
            // Nothing ends these loops, or what ends them is not told by a counter.
            "init { do :: run P(1) od }",
            "init { byte i; do :: run P(i); i++ od }",
            "init { byte i; do :: i < 9 -> run P(i); i++ :: i == 9 -> i = 0 od }",
            "init { byte i; do :: i < 9 -> run P(i); if :: i++ :: skip fi :: i >= 9 -> break od }",
            "init { byte i; do :: i < 9 -> run P(i); i++ :: c?i :: i >= 9 -> break od }",
            "init { do :: x < 9 -> run P(x); x++ :: x >= 9 -> break od }",
            // Too many, and without end.
            "init { int i; for (i : 0 .. 300) { run P(1) } }",
            "init { byte i; for (i : 0 .. 99) { run Q() } }",
            "proctype R() { run S() }\nproctype S() { run R() }\ninit { run R() }",
            // Something else may fail in a step that starts a process.
            "byte a[2];\ninit { x = 5; run P(a[x]) }",
            "byte a[2];\nproctype R(byte i) { byte y = a[i]; x = y }\ninit { x = 5; run R(x) }",
        ];
        for init in wrong {
            assert!(!says(&format!("{p}{init}")), "{init}");
        }
    }

    /// The most processes of the states that are met first. None of these processes ever ends, so that is how many were started.
    fn met(model: &Model) -> u64 {
        let mut interp = Interp::new(model);
        let mut first = Vec::new();
        interp.initial(&mut first);
        let (mut seen, mut open, mut most) = (BTreeSet::from([first.clone()]), VecDeque::from([first]), 0);
        while let Some(state) = open.pop_front() {
            most = most.max(state[model.layout.header() as usize].into());
            let mut steps = Vec::new();
            interp.enabled(&state, &mut steps);
            for step in steps {
                let mut next = Vec::new();
                if !interp.fire(&state, step, &mut next).broken && seen.len() < 1500 && seen.insert(next.clone()) {
                    open.push_back(next);
                }
            }
        }
        most
    }

    /// Random loops with counters that start processes; some count wrongly.
    fn program(seed: u64) -> String {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let mut body = |starts: &str, other: &str| {
            let mut text = String::new();
            for _ in 0..1 + below(2) {
                let (c, top, by) = (["i", "k"][below(2) as usize], below(4), 1 + below(2));
                let bump = match below(8) {
                    0 => String::new(),
                    1 => format!("if :: {c}++ :: skip fi"),
                    2 => format!("{c} = {c} + 254"),
                    3 => format!("if :: {c} > 1 -> {c} = 0 :: else -> {c}++ fi"),
                    _ => format!("{c} = {c} + {by}"),
                };
                let inner = match below(6) {
                    0 => format!("k = 0; do :: k < 2 -> run {other}(k); k++ :: else -> break od;"),
                    1 => "if :: run P(k) :: skip fi;".into(),
                    2 => format!("do :: run {other}(1); break :: break od;"),
                    3 => "if :: k++ :: skip fi;".into(),
                    _ => String::new(),
                };
                let start = format!("run {starts}({c});");
                let all = if below(2) == 0 {
                    format!("{start} {inner} {bump}")
                } else {
                    format!("{bump}; {inner} {start} skip")
                };
                text += &match below(4) {
                    0 => format!("atomic {{ do :: {c} < {top} -> {all} :: else -> break od }};"),
                    1 => format!("{start} if :: skip :: {start} skip fi;"),
                    _ => format!("do :: {c} <= {top} -> {all} :: {c} > {top} -> break od;"),
                };
            }
            text
        };
        let (q, init) = (body("P", "P"), body("Q", "P"));
        format!(
            "proctype P(byte n) {{ false }}\nproctype Q(byte i) {{ byte k; {q} false }}\ninit {{ byte i, k; {init} false }}"
        )
    }

    /// No run has more processes than are foreseen.
    #[test]
    fn there_are_never_more_processes() {
        let (mut bounded, mut free, mut close) = (0, 0, 0);
        for seed in 1..=600 {
            let text = program(seed);
            for (dead_vars, merge) in [(false, false), (true, true)] {
                let compiled = compile_text(&text, &CompileOptions { dead_vars, merge, ..Default::default() });
                let model = compiled.model.unwrap_or_else(|| panic!("seed {seed}:\n{text}"));
                let mut analysis = Analysis::new(&model);
                assert!(analysis.run(&Token::default().watch()), "seed {seed}");
                let Some((most, _)) = analysis.most() else {
                    free += 1;
                    continue;
                };
                let met = met(&model);
                assert!(met <= most, "seed {seed}: {met} processes, at most {most} foreseen:\n{text}");
                bounded += 1;
                close += u32::from(met == most);
            }
        }
        println!("{bounded} bounded, {close} of them as tight as can be, {free} without a bound");
        assert!(bounded > 200 && free > 200 && close > 50, "{bounded} bounded, {close} tight, {free} free");
    }
}
