//! Random timed programs: when a condition first holds, against the whole graph of the interpreter looked through naively, against formulas, and
//! with time that jumps.

use starwheel_base::cancel::Token;
use starwheel_engine::Silent;
use starwheel_model::{Actor, Expr, Interp, ModelSystem, Stepper, Stmt, System};
use starwheel_testkit::generate::timed::{Style, program};
use starwheel_workbench::open::{Opened, open_text};
use starwheel_workbench::options::Commands;
use starwheel_workbench::plan::Timers;
use starwheel_workbench::report::PropertyKind;
use starwheel_workbench::when::{Known, WhenReport, when};
use starwheel_workbench::{Plan, Reading, Verdict, check};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Programs of each style.
const SEEDS: u64 = 150;
/// Larger graphs are left out.
const MOST_STATES: usize = 400;
const CONDITIONS: [&str; 5] = ["g == 2", "h == 3 && g == 1", "timeout && h != 0", "!(g != 1 -> h == 0)", "h == g + 1"];

fn open(text: &str, reading: Reading) -> Option<Opened> {
    open_text(Path::new("random.pml"), text.to_string(), &reading).ok()
}

fn reading(condition: &str) -> Reading {
    Reading { moment: Some(condition.to_string()), until: Token::NEVER, ..Reading::default() }
}

fn plan() -> Plan {
    Plan { no_trail: true, ..Plan::of(Commands::WHEN) }
}

fn ask(opened: &Opened) -> WhenReport {
    when(opened, &plan(), &Silent).unwrap_or_else(|failure| panic!("{:?}", failure.problems))
}

fn answer(opened: &Opened) -> Known {
    let report = ask(opened);
    report.known.clone().unwrap_or_else(|| panic!("{:?}", report.stopped_because))
}

/// The earliest and the latest time, where the latter is none if there is no bound; and the fates of runs without the moment.
type Answer = (Option<(u64, Option<u64>)>, BTreeSet<&'static str>);

fn told(known: &Known) -> Answer {
    let comes = known.earliest.as_ref().zip(known.latest.as_ref());
    let comes = comes.map(|(first, last)| (first.time.expect("an earliest time"), last.time));
    (comes, known.never.iter().filter_map(|told| told.fate).collect())
}

/// A graph looked through without any cleverness.
#[derive(Default)]
struct Naive {
    /// From, to (none for the moment), and whether it is a tick.
    edges: Vec<(usize, Option<usize>, bool)>,
    fates: BTreeSet<&'static str>,
    count: usize,
}

/// Whether a condition holds; the clock and those who wait for `timeout` are nobody.
fn holds(interp: &mut Interp<'_>, state: &[u8], condition: &Expr, ended: bool) -> bool {
    let mut steps = Vec::new();
    if !ended {
        interp.enabled(state, &mut steps);
    }
    let quiet = steps.iter().all(|s| s.timeout);
    interp.executable(state, &Stmt::Guard(condition.clone()), false, quiet) == Ok(true)
}

impl Naive {
    /// The graph up to the moment; nothing if it is too large or the moment is there at once.
    fn new(opened: &Opened) -> Option<Naive> {
        let condition = opened.moment.as_ref().expect("a condition");
        let system = ModelSystem(&opened.model);
        let (mut stepper, mut interp) = (system.stepper(), Interp::new(&opened.model));
        let mut first = Vec::new();
        if stepper.initial(&mut first).broken || holds(&mut interp, &first, condition, false) {
            return None;
        }
        let hidden = system.hidden_bytes();
        let mut naive = Naive::default();
        let mut known = HashMap::from([(first[hidden..].to_vec(), 0)]);
        let mut states = vec![first];
        while naive.count < states.len() {
            let from = naive.count;
            naive.count += 1;
            let mut open = vec![(states[from].clone(), false)];
            let mut passed: BTreeSet<Vec<u8>> = BTreeSet::new();
            while let Some((state, tick)) = open.pop() {
                let mut steps = Vec::new();
                stepper.enabled(&state, &mut steps);
                if steps.is_empty() {
                    let fate = if stepper.stuck(&state).is_some() { "deadlock" } else { "ends" };
                    naive.fates.insert(fate);
                }
                for step in steps {
                    let mut next = Vec::new();
                    let tick = tick || step.actor == Actor::Clock;
                    if stepper.fire(&state, step, &mut next).broken {
                        interp.fire(&state, step, &mut next);
                        let mut left = Vec::new();
                        interp.remains(&state, step, &mut left);
                        match holds(&mut interp, &left, condition, true) {
                            true => naive.edges.push((from, None, tick)),
                            false => _ = naive.fates.insert("error"),
                        }
                    } else if stepper.transient(&next) {
                        if passed.insert(next.clone()) {
                            open.push((next, tick));
                        }
                    } else if holds(&mut interp, &next, condition, false) {
                        naive.edges.push((from, None, tick));
                    } else {
                        let fresh = known.len();
                        let to = *known.entry(next[hidden..].to_vec()).or_insert(fresh);
                        if to == fresh {
                            states.push(next);
                        }
                        naive.edges.push((from, Some(to), tick));
                    }
                }
            }
            if states.len() > MOST_STATES {
                return None;
            }
        }
        Some(naive)
    }

    /// The value of each node, made better as often as an edge makes it better; none of the whole if that would never end.
    fn best(&self, better: impl Fn(u64, u64) -> bool) -> Option<Vec<Option<u64>>> {
        let mut best: Vec<Option<u64>> = vec![None; self.count];
        for _ in 0..self.count + 2 {
            let mut changed = false;
            for &(from, to, tick) in self.edges.iter().rev() {
                let Some(behind) = to.map_or(Some(0), |to| best[to]) else { continue };
                let own = behind + u64::from(tick);
                if best[from].is_none_or(|old| better(own, old)) {
                    best[from] = Some(own);
                    changed = true;
                }
            }
            if !changed {
                return Some(best);
            }
        }
        None
    }

    /// Whether there is a cycle over some of the edges: what remains if nodes without successors are taken away again and again.
    fn cycle(&self, keep: impl Fn(bool) -> bool) -> bool {
        let mut alive = vec![true; self.count];
        loop {
            let on = |node: usize, to: usize| alive[node] && alive[to];
            let next: BTreeSet<usize> = self
                .edges
                .iter()
                .filter(|e| keep(e.2))
                .filter_map(|e| e.1.filter(|&to| on(e.0, to)).map(|_| e.0))
                .collect();
            if next.len() == alive.iter().filter(|a| **a).count() {
                return !next.is_empty();
            }
            alive = (0..self.count).map(|node| next.contains(&node)).collect();
        }
    }

    /// Whether some cycle has a tick: whether from the end of a tick there is a way to its beginning.
    fn ticking(&self) -> bool {
        self.edges.iter().filter(|e| e.2).any(|&(start, from, _)| {
            let Some(from) = from else { return false };
            let mut reached = vec![false; self.count];
            let mut open = vec![from];
            while let Some(node) = open.pop() {
                if !std::mem::replace(&mut reached[node], true) {
                    open.extend(self.edges.iter().filter(|e| e.0 == node).filter_map(|e| e.1));
                }
            }
            reached[start]
        })
    }

    fn answer(mut self) -> Answer {
        let earliest = self.best(|own, old| own < old).expect("no cycle makes a way shorter")[0];
        let comes = earliest.map(|first| (first, self.best(|own, old| own > old).map(|best| best[0].expect("a way"))));
        if self.ticking() {
            self.fates.insert("goes-on");
        }
        if self.cycle(|tick| !tick) {
            self.fates.insert("time-stops");
        }
        (comes, self.fates)
    }
}

#[test]
fn random_programs_agree_with_the_whole_graph() {
    let (mut asked, mut seen, mut unbounded, mut apart) = (0, BTreeSet::new(), 0, 0);
    for (style, seed) in
        [Style::Shared, Style::Lazy, Style::Local].into_iter().flat_map(|s| (0..SEEDS).map(move |n| (s, n)))
    {
        let text = program(seed, style);
        for condition in CONDITIONS {
            let Some(opened) = open(&text, reading(condition)) else { continue };
            let Some(naive) = Naive::new(&opened) else { continue };
            let expected = naive.answer();
            let found = told(&answer(&opened));
            assert_eq!(found, expected, "{style:?} {seed}: {condition}\n{text}");
            asked += 1;
            unbounded += u32::from(matches!(expected.0, Some((_, None))));
            apart += u32::from(matches!(expected.0, Some((first, Some(last))) if last > first));
            seen.extend(expected.1.iter().copied());
            // With dead variables reset, all is as it was.
            let reset = open(&text, Reading { dead_vars: true, ..reading(condition) }).expect("a model");
            assert_eq!(told(&answer(&reset)), expected, "dead variables, {style:?} {seed}: {condition}\n{text}");
        }
    }
    let all = ["deadlock", "ends", "error", "goes-on", "time-stops"];
    assert_eq!(seen, all.into());
    assert!(asked > 1500 && unbounded > 30 && apart > 30, "{asked} asked, {unbounded} without bound, {apart} apart");
}

/// The verdict on a formula.
fn verdict(text: &str, formula: String) -> Option<bool> {
    let base = Plan::of(Commands::CHECK);
    let reading = Reading { ltl: vec![formula], own: false, merge: false, ..base.reading.clone() };
    let plan = Plan { no_trail: true, verdict_only: true, reading, ..base };
    let opened = open(text, plan.reading.clone())?;
    let report = check(&opened, &plan, &Silent).ok()?.report;
    let property = report.properties.into_iter().find(|p| p.kind == PropertyKind::Formula)?;
    match property.outcome {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated => Some(false),
        _ => None,
    }
}

#[test]
fn formulas_say_the_same_of_whether_it_comes() {
    let mut seen = [[0; 2]; 2];
    for (style, seed) in [Style::Shared, Style::Lazy].into_iter().flat_map(|s| (0..SEEDS / 3).map(move |n| (s, n))) {
        let text = program(seed, style);
        for condition in ["g == 2", "h == 3 && g == 1", "timeout && h != 0"] {
            let opened = open(&text, reading(condition)).expect("a model");
            let known = answer(&opened);
            let (never, always) =
                (verdict(&text, format!("[] !({condition})")), verdict(&text, format!("<> ({condition})")));
            let (Some(never), Some(always)) = (never, always) else { continue };
            let what = format!("{style:?} {seed}: {condition}\n{text}");
            assert_eq!(known.earliest.is_none(), never, "{what}");
            assert_eq!(known.always, always, "{what}");
            seen[usize::from(never)][usize::from(always)] += 1;
        }
    }
    assert!(seen[0][0] > 20 && seen[0][1] > 20 && seen[1][0] > 20, "{seen:?}");
}

#[test]
fn time_that_jumps_gives_the_same_times() {
    let (mut asked, mut fewer) = (0, 0);
    for (style, seed) in
        [Style::Shared, Style::Lazy, Style::Local].into_iter().flat_map(|s| (0..SEEDS).map(move |n| (s, n)))
    {
        // Durations that are worth a jump.
        let text = program(seed, style).replace(" set(", " SET(").replace("delay(", "DELAY(");
        let text = text.replace(
            "#include \"dtime.h\"\n",
            "#include \"dtime.h\"\n#define SET(t,v) set(t,(v)*3)\n#define DELAY(t,v) delay(t,(v)*3)\n",
        );
        for condition in ["g == 2", "h == 3 && g == 1"] {
            let jumping = Reading { timers: Timers::Jump, ..reading(condition) };
            let Some(jumping) = open(&text, jumping) else { continue };
            let opened = open(&text, reading(condition)).expect("a model");
            let (plain, jumps) = (ask(&opened), ask(&jumping));
            let told = |report: &WhenReport| told(report.known.as_ref().expect("an answer"));
            assert_eq!(told(&jumps), told(&plain), "{style:?} {seed}: {condition}\n{text}");
            asked += 1;
            fewer += u32::from(jumps.stats.states_stored < plain.stats.states_stored);
        }
    }
    assert!(asked > 200 && fewer > 100, "{asked} asked, {fewer} with fewer states");
}
