//! Searches of renamed states: they store one state of each class, find what plain searches find, and their trails are real.

use starwheel_base::Span;
use starwheel_engine::{
    Checks, Fairness, Job, Limits, METHODS, Monitor, Order, Outcome, Report, ScratchDisk, ScratchFile, Silent, Store,
    Wish, confirm_cycle, fit, replay,
};
use starwheel_model::{
    Action, Actor, Batch, Behind, Fired, Partners, Step, Stepper, System, Violation, ViolationKind, listed,
};
use starwheel_system::laws::hold;
use starwheel_system::{Normaliser, Quotient, Whole, one_by_one};
use std::collections::HashSet;
use std::io;

/// Whether a job fits.
fn fits(job: &Job<'_>) -> bool {
    fit(&Wish::of(job, &METHODS), &METHODS).is_ok()
}

/// Carries out a job that fits.
fn run(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    starwheel_engine::run(job, watch).expect("a job that fits")
}

/// Counters that can be told apart only by their numbers. Each goes up by one; by two at once, through a transient state;
/// two of them together; a full one may begin again.
///
/// A state: who moved last (hidden), who is in control plus one, the counters.
#[derive(Clone, Copy, Debug)]
struct Counters {
    count: usize,
    most: u8,
    /// An assertion fails when somebody comes to `most` by two at once and all together are this.
    wrong_sum: Option<u8>,
    begins_again: bool,
    /// States in which all together are this are accepting.
    accepting_sum: u8,
}

const HEAD: usize = 2;
const HIDDEN: usize = 1;
const UP: Action = Action(0);
const TWICE: Action = Action(1);
const SECOND: Action = Action(2);
const TOGETHER: Action = Action(3);
const TAKEN_ALONG: Action = Action(4);
const AGAIN: Action = Action(5);

impl Counters {
    fn sum(at: &[u8]) -> u8 {
        at[HEAD..].iter().sum()
    }
}

impl System for Counters {
    fn hidden_bytes(&self) -> usize {
        HIDDEN
    }

    fn transitions(&self) -> usize {
        6
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(*self)
    }

    fn behind(&self) -> Option<Behind<'_>> {
        None
    }
}

impl Stepper for Counters {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        out.clear();
        out.resize(HEAD + self.count, 0);
        // Not a name, unless all are equal.
        out[HEAD] = 1;
        Fired::default()
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        out.clear();
        let agent = |i: usize| Actor::Agent(i as u8);
        if let Some(inside) = at[1].checked_sub(1) {
            return out.push(Step::alone(Actor::Agent(inside), SECOND));
        }
        for (i, &own) in at[HEAD..].iter().enumerate() {
            if own < self.most {
                out.push(Step::alone(agent(i), UP));
            }
            if own + 2 <= self.most {
                out.push(Step::alone(agent(i), TWICE));
            }
            if own == self.most && self.begins_again {
                out.push(Step::alone(agent(i), AGAIN));
            }
            for (j, _) in at[HEAD..].iter().enumerate().filter(|&(j, &other)| j != i && other == 0 && own == 1) {
                let partners = Partners::One(agent(j), TAKEN_ALONG);
                out.push(Step { partners, ..Step::alone(agent(i), TOGETHER) });
            }
        }
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        listed(self, at, step)
    }

    fn omitted(&mut self, _at: &[u8], out: &mut Vec<Step>) {
        out.clear();
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        out.clear();
        out.extend_from_slice(at);
        let Actor::Agent(who) = step.actor else { panic!("{step:?}") };
        let own = HEAD + usize::from(who);
        (out[0], out[1]) = (who, 0);
        match step.action {
            TWICE => (out[own], out[1]) = (at[own] + 1, who + 1),
            AGAIN => out[own] = 0,
            _ => out[own] += 1,
        }
        if let Partners::One(Actor::Agent(other), _) = step.partners {
            out[HEAD + usize::from(other)] += 1;
        }
        let fails = step.action == SECOND && out[own] == self.most && self.wrong_sum == Some(Counters::sum(out));
        let wrong = fails.then(|| wrong(ViolationKind::Assertion, who));
        Fired { broken: false, violations: wrong.into_iter().collect() }
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        out.fill(self, at);
    }

    fn expands_fast(&self) -> bool {
        false
    }

    fn transient(&self, at: &[u8]) -> bool {
        at[1] != 0
    }

    /// The one that moved last is to blame.
    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        Some(wrong(ViolationKind::InvalidEndState, at[0]))
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        Counters::sum(at) == self.accepting_sum
    }
}

/// Whose fault it is shows in the message and in the place.
fn wrong(kind: ViolationKind, who: u8) -> Violation {
    let span = Span { start: u32::from(who), end: u32::from(who) + 1, ..Span::default() };
    Violation { kind, message: format!("counter {who}"), span, actor: Some(Actor::Agent(who)) }
}

impl Whole for Counters {}

/// Puts counters in order; forgets who moved last.
struct Sorting;

impl Normaliser for Sorting {
    fn normalise(&self, state: &mut Vec<u8>) {
        state[0] = 0;
        state[HEAD..].sort_unstable();
    }

    fn normalise_batch(&self, at: &[u8], out: &mut Batch) {
        one_by_one(self, at, out);
    }

    fn normalise_agents(&self, state: &mut Vec<u8>, agents: &mut Vec<u8>) {
        self.normalise(state);
        agents.clear();
        agents.extend(0..=u8::MAX);
    }

    fn rename(&self, _agents: &[u8], _state: &mut Vec<u8>) {}

    fn class(&self, state: &mut Vec<u8>) {
        self.normalise(state);
    }
}

/// The stored states that can be reached, as the store sees them, and how many of them are left if they are sorted.
fn count(system: &Counters) -> (usize, usize) {
    let (mut stepper, mut steps, mut next) = (*system, Vec::new(), Vec::new());
    let mut queue = vec![Vec::new()];
    _ = stepper.initial(&mut queue[0]);
    let (mut all, mut names) = (HashSet::new(), HashSet::new());
    while let Some(at) = queue.pop() {
        if !all.insert(at[HIDDEN..].to_vec()) {
            continue;
        }
        if !stepper.transient(&at) {
            let mut name = at.clone();
            Sorting.normalise(&mut name);
            names.insert(name);
        }
        stepper.enabled(&at, &mut steps);
        for &step in &steps {
            _ = stepper.fire(&at, step, &mut next);
            queue.push(next.clone());
        }
    }
    (all.iter().filter(|s| s[0] == 0).count(), names.len())
}

struct Memory;

impl ScratchDisk for Memory {
    fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(io::Cursor::new(Vec::new())))
    }
}

/// All ways to search, with a name.
fn jobs<'a>(system: &'a dyn System, cycles: bool) -> Vec<(String, Job<'a>)> {
    let mut jobs = Vec::new();
    let mut add = |name: &str, job: Job<'a>| jobs.push((name.to_string(), job));
    for search in [Order::Ndfs, Order::Scc] {
        for store in [Store::Tree, Store::Flat, Store::Dfa] {
            add(&format!("{search:?} {store:?}"), Job { search, store, ..Job::new(system) });
        }
    }
    for (workers, patience) in [(1, 1 << 15), (1, 0), (2, 0)] {
        add(
            &format!("cndfs {workers} {patience}"),
            Job { search: Order::Cndfs, workers, patience, ..Job::new(system) },
        );
    }
    if !cycles {
        for store in [Store::Tree, Store::Flat, Store::Dfa] {
            add(&format!("dfs {store:?}"), Job { search: Order::Dfs, store, ..Job::new(system) });
        }
        for store in [Store::Tree, Store::Flat] {
            add(&format!("bfs {store:?}"), Job { search: Order::Bfs, store, ..Job::new(system) });
            let limits = Limits { memory: Some(0), ..Limits::default() };
            add("spill", Job { search: Order::Bfs, store, limits, scratch: Some(&Memory), ..Job::new(system) });
        }
        for store in [Store::Tree, Store::Flat, Store::Compact, Store::Dfa] {
            for (workers, patience, plain) in [(1, 1 << 15, 1 << 18), (1, 1 << 15, 10), (1, 0, 0), (3, 0, 0)] {
                let job = Job { search: Order::Groups, store, workers, patience, plain, ..Job::new(system) };
                add(&format!("groups {store:?} {workers} {patience} {plain}"), job);
            }
        }
    }
    jobs.retain(|(_, job)| fits(job));
    jobs
}

/// Follows all trails in real states, and finds there what they are for.
fn trails_are_real(system: &Counters, report: &Report, name: &str) {
    for finding in &report.findings {
        let (mut last, mut fired, mut own) = (Vec::new(), Fired::default(), *system);
        _ = own.initial(&mut last);
        replay(system, &finding.trail, &mut |taken| {
            (last, fired) = (taken.after.to_vec(), taken.fired.clone());
        })
        .unwrap_or_else(|why| panic!("{name}: {why}: {finding:?}"));
        match finding.cycle_start {
            Some(start) => {
                confirm_cycle(system, &finding.trail, start, true).unwrap_or_else(|why| panic!("{name}: {why}"))
            }
            None => {
                let stuck = own.stuck(&last).filter(|_| Counters::sum(&last) == system.count as u8 * system.most);
                let there = fired.violations.contains(&finding.violation) || stuck.as_ref() == Some(&finding.violation);
                assert!(there, "{name}: {finding:?}");
            }
        }
    }
}

fn kinds(report: &Report) -> HashSet<ViolationKind> {
    report.findings.iter().map(|f| f.violation.kind).collect()
}

#[test]
fn names_and_counters_keep_the_laws() {
    let system = Counters { count: 3, most: 2, wrong_sum: Some(4), begins_again: true, accepting_sum: 3 };
    hold(&system, 1000).unwrap();
    hold(&Quotient::new(&system, &Sorting), 1000).unwrap();
}

#[test]
fn a_search_of_names_stores_the_classes_and_shows_real_errors() {
    let mut errors = 0;
    for (wrong_sum, end_states) in [(None, false), (None, true), (Some(4), false), (Some(7), true), (Some(9), true)] {
        let system = Counters { count: 4, most: 3, wrong_sum, begins_again: false, accepting_sum: u8::MAX };
        let (all, names) = count(&system);
        assert!(names * 4 < all, "{names} of {all}");
        let quotient = Quotient::new(&system, &Sorting);
        let checks = Checks { end_states, ..Checks::default() };
        for ((name, plain), (_, renamed)) in jobs(&system, false).into_iter().zip(jobs(&quotient, false)) {
            let name = format!("{name}, {wrong_sum:?}, {end_states}");
            let whole = |job| {
                let job = Job { all_errors: true, checks, ..job };
                fits(&job).then(|| run(&job, &Silent))
            };
            let (Some(plain_all), Some(found)) = (whole(plain), whole(renamed)) else { continue };
            let stored = [plain_all.stats.states_stored, found.stats.states_stored];
            assert_eq!(stored, [all as u64, names as u64], "{name}");
            assert_eq!(kinds(&plain_all), kinds(&found), "{name}");
            assert_eq!(std::mem::discriminant(&plain_all.outcome), std::mem::discriminant(&found.outcome), "{name}");
            trails_are_real(&system, &found, &name);
        }
        for ((name, plain), (_, renamed)) in jobs(&system, false).into_iter().zip(jobs(&quotient, false)) {
            let bfs = renamed.search == Order::Bfs && renamed.scratch.is_none();
            let first = |job| run(&Job { checks, ..job }, &Silent);
            let (plain, found) = (first(plain), first(renamed));
            assert_eq!(
                plain.outcome == Outcome::Violated,
                found.outcome == Outcome::Violated,
                "{name}: {:?}",
                found.outcome
            );
            trails_are_real(&system, &found, &name);
            errors += found.findings.len();
            if let (true, Some(a), Some(b)) = (bfs, plain.findings.first(), found.findings.first()) {
                let length = |trail: &[Step]| trail.iter().map(|s| s.length()).sum::<u64>();
                assert_eq!(length(&a.trail), length(&b.trail), "{name}: both are the shortest");
            }
        }
    }
    assert!(errors > 50, "{errors} errors");
}

#[test]
fn a_cycle_of_names_becomes_a_cycle_of_states() {
    let mut cycles = 0;
    for accepting_sum in [0, 1, 3, 4, 6] {
        for (count, begins_again) in [(2, true), (3, true), (3, false)] {
            let system = Counters { count, most: 2, wrong_sum: None, begins_again, accepting_sum };
            let quotient = Quotient::new(&system, &Sorting);
            let checks = Checks { end_states: false, ..Checks::default() };
            for ((name, plain), (_, renamed)) in jobs(&system, true).into_iter().zip(jobs(&quotient, true)) {
                let name = format!("{name}, {system:?}");
                let search = |job| run(&Job { checks, ..job }, &Silent);
                let (plain, found) = (search(plain), search(renamed));
                assert_eq!(
                    std::mem::discriminant(&plain.outcome),
                    std::mem::discriminant(&found.outcome),
                    "{name}: {found:?}"
                );
                trails_are_real(&system, &found, &name);
                cycles += found.findings.len();
            }
        }
    }
    assert!(cycles > 50, "{cycles} cycles");
}

#[test]
fn names_do_not_go_with_copies_for_fairness() {
    let system = Counters { count: 2, most: 2, wrong_sum: None, begins_again: true, accepting_sum: 1 };
    let quotient = Quotient::new(&system, &Sorting);
    let job = Job { search: Order::Ndfs, fairness: Some(Fairness::Weak), ..Job::new(&quotient) };
    let misfit = starwheel_engine::run(&job, &Silent).expect_err("it is refused");
    assert!(misfit.to_string().contains("renamed states"), "{misfit}");
}
