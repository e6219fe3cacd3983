//! Lets several searches take turns, so that no property waits until all states have been visited for another one.
//!
//! Each search has a thread of its own, and one of them runs at a time. A search asks its monitor every few milliseconds, and
//! there it waits while the others have their turns: so any search can be suspended, and nothing is ever done twice. A turn is
//! [`SHARE`] of what its search has had already, and at least [`LEAST`]. Whatever `k` searches are there, the one that needs
//! the time `t` alone has its answer after little more than `k · t`.
//!
//! Searches that wait hold their states. Once all of them together hold half of what they may, those that wait are given up;
//! the one that runs goes on alone, and the others begin anew afterwards, one after the other: each then has the whole memory,
//! as if it had been asked for alone, and an equal part of the time that is left.

use crate::memory::rss;
use starwheel_engine::{Finding, Monitor, Silent, Stop, Tick};
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The shortest turn.
const LEAST: Duration = Duration::from_millis(4);
/// The longest turn.
const MOST: Duration = Duration::from_millis(250);
/// The part of what a search has had so far that its next turn lasts.
const SHARE: u32 = 16;
/// The stack of a search.
const STACK: usize = 64 << 20;
/// Time between two looks at the memory.
const LOOK: Duration = Duration::from_millis(10);

/// What all searches have to keep to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// End all others when one of them has found something.
    pub first: bool,
    /// The search with number 0 begins when all others have ended.
    pub system_last: bool,
    /// The bytes that the whole program may hold.
    pub memory: Option<u64>,
    /// When all of it has to end, and the time that was asked for.
    pub until: Option<(Instant, Duration)>,
}

/// Where a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It has not begun.
    New,
    /// It has begun and may have its turn.
    Begun,
    /// It was given up and has to begin anew.
    Aside,
    /// It has ended.
    Ended,
}

struct State {
    /// Whose turn it is.
    turn: usize,
    /// When the turn began.
    since: Instant,
    phases: Vec<Phase>,
    /// The time that each search has had.
    had: Vec<Duration>,
    /// A search has found something, and that is enough.
    settled: bool,
    /// When the one that was left alone has to end.
    alone: Option<Instant>,
    looked: Instant,
}

/// Who has the turn.
struct Turns {
    rules: Rules,
    state: Mutex<State>,
    changed: Condvar,
}

/// A search: a function of the monitor at which it waits for its turns, and of the time that it may take.
pub type Search<'a, R> = dyn Fn(&dyn Monitor, Option<Duration>) -> R + Sync + 'a;

/// Carries out searches in turns. The results come in the order
/// of the searches, with the time that each has had.
pub fn take<R: Send>(searches: &[&Search<'_, R>], rules: Rules) -> Vec<(R, Duration)> {
    let count = searches.len();
    let mut results: Vec<Option<(R, Duration)>> = (0..count).map(|_| None).collect();
    if count > 1 {
        let turns = Turns::new(count, rules);
        let begin = |number: usize| {
            let turns = &turns;
            move || {
                let seat = Seat { turns, number };
                let may = turns.begin(number);
                may.then(|| searches[number](&Turn { seat: &seat }, rules.for_seat(number, count)))
            }
        };
        thread::scope(|scope| {
            let spawned: Vec<_> = (0..count)
                .map(|i| {
                    thread::Builder::new()
                        .stack_size(STACK)
                        .spawn_scoped(scope, begin(i))
                        .map_err(|_| turns.leave(i, Phase::Aside))
                })
                .collect();
            for (i, handle) in spawned.into_iter().enumerate() {
                let Ok(handle) = handle else { continue };
                let result = handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                results[i] =
                    result.filter(|_| turns.lock().phases[i] == Phase::Ended).map(|r| (r, turns.lock().had[i]));
            }
        });
        let settled = turns.lock().settled;
        if settled {
            // Those that were given up before are not begun again, only asked why they would not be.
            let over = Over;
            for (i, search) in searches.iter().enumerate().filter(|_| settled) {
                results[i].get_or_insert_with(|| (search(&over, None), Duration::ZERO));
            }
        }
    }
    for i in 0..count {
        if results[i].is_none() {
            let started = Instant::now();
            let waiting = results.iter().filter(|r| r.is_none()).count();
            let result = searches[i](&Silent, rules.left(waiting));
            results[i] = Some((result, started.elapsed()));
        }
    }
    results.into_iter().flatten().collect()
}

impl Rules {
    /// The time that a search may take which begins now and shares it with others. If the system comes last, something is left
    /// for it.
    fn for_seat(&self, seat: usize, count: usize) -> Option<Duration> {
        let left = self.left(1)?;
        Some(if self.system_last && seat > 0 { left - left / count as u32 } else { left })
    }

    /// An equal part of the time that is left, for so many searches.
    pub fn left(&self, searches: usize) -> Option<Duration> {
        let (end, _) = self.until?;
        Some(end.saturating_duration_since(Instant::now()) / searches.max(1) as u32)
    }
}

impl Turns {
    fn new(count: usize, rules: Rules) -> Turns {
        let now = Instant::now();
        let state = State {
            turn: if rules.system_last { 1 } else { 0 },
            since: now,
            phases: vec![Phase::New; count],
            had: vec![Duration::ZERO; count],
            settled: false,
            alone: None,
            looked: now,
        };
        Turns { rules, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the first turn of a search; false if it must not begin.
    fn begin(&self, seat: usize) -> bool {
        let mut state = self.wait(self.lock(), seat);
        let may = state.phases[seat] == Phase::New;
        if may {
            state.phases[seat] = Phase::Begun;
        }
        may
    }

    /// Waits until it is a search's turn, or until it was given up.
    fn wait<'s>(&self, mut state: MutexGuard<'s, State>, seat: usize) -> MutexGuard<'s, State> {
        while state.turn != seat && state.phases[seat] != Phase::Aside && !state.settled {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// What a search does each time it is asked: go on, wait for its turn, or end.
    fn pause(&self, seat: usize) -> Option<Stop> {
        let mut state = self.lock();
        if state.turn == seat {
            self.make_room(&mut state);
            let turn = (state.had[seat] / SHARE).clamp(LEAST, MOST);
            if state.since.elapsed() >= turn {
                state.pass(self.rules.system_last);
                self.changed.notify_all();
            }
        }
        let state = self.wait(state, seat);
        match (state.phases[seat], state.alone, self.rules.until) {
            (Phase::Aside, ..) => Some(Stop::Interrupted),
            _ if state.settled => Some(Stop::Settled),
            (_, Some(end), Some((_, typed))) if Instant::now() >= end => Some(Stop::Time(typed)),
            _ => None,
        }
    }

    /// Gives up those that wait, if all together hold half of what they may.
    fn make_room(&self, state: &mut State) {
        let Some(most) = self.rules.memory.filter(|_| state.looked.elapsed() >= LOOK) else { return };
        state.looked = Instant::now();
        let turn = state.turn;
        let others = state.phases.iter().enumerate().filter(|(i, p)| *i != turn && **p == Phase::Begun).count();
        if others == 0 || rss::current_rss() < most / 2 {
            return;
        }
        let mut live = 0;
        for (i, phase) in state.phases.iter_mut().enumerate().filter(|(_, p)| matches!(p, Phase::New | Phase::Begun)) {
            live += 1;
            if i != turn {
                *phase = Phase::Aside;
            }
        }
        state.alone = self.rules.left(live).map(|left| Instant::now() + left);
        self.changed.notify_all();
    }

    /// A search has ended, or was given up before it could begin.
    fn leave(&self, seat: usize, phase: Phase) {
        let mut state = self.lock();
        if state.phases[seat] != Phase::Aside {
            state.phases[seat] = phase;
        }
        if state.turn == seat {
            state.pass(self.rules.system_last);
        }
        self.changed.notify_all();
    }

    /// A search has found something.
    fn found(&self) {
        if self.rules.first {
            self.lock().settled = true;
            self.changed.notify_all();
        }
    }
}

impl State {
    /// Gives the turn to the next one that can take it; the one that has it keeps it if there is no other.
    fn pass(&mut self, system_last: bool) {
        let (turn, count, now) = (self.turn, self.phases.len(), Instant::now());
        self.had[turn] += now.duration_since(self.since);
        self.since = now;
        let live = |i: &usize| matches!(self.phases[*i], Phase::New | Phase::Begun);
        let others = (1..count).any(|i| live(&i));
        let next = (1..=count).map(|i| (turn + i) % count);
        let next = next.filter(|&i| !(system_last && i == 0 && others)).find(live);
        self.turn = next.unwrap_or(turn);
    }
}

/// The place of a search among the others; it is left when the search ends, also if it ends by a panic.
struct Seat<'a> {
    turns: &'a Turns,
    number: usize,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.turns.leave(self.number, Phase::Ended);
    }
}

/// The monitor of a search that takes turns.
struct Turn<'a> {
    seat: &'a Seat<'a>,
}

impl Monitor for Turn<'_> {
    fn progress(&self, _: &Tick) -> ControlFlow<Stop> {
        self.seat.turns.pause(self.seat.number).map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }

    fn found(&self, _: &Finding) -> ControlFlow<Stop> {
        self.seat.turns.found();
        ControlFlow::Continue(())
    }
}

/// Ends a search before its first step.
struct Over;

impl Monitor for Over {
    fn progress(&self, _: &Tick) -> ControlFlow<Stop> {
        ControlFlow::Break(Stop::Settled)
    }

    fn found(&self, _: &Finding) -> ControlFlow<Stop> {
        ControlFlow::Break(Stop::Settled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A search of so many steps of a millisecond, which notes in which order steps are taken.
    fn steps(count: usize, number: usize, order: &Mutex<Vec<usize>>, monitor: &dyn Monitor) -> Option<Stop> {
        for _ in 0..count {
            if let ControlFlow::Break(stop) = monitor.progress(&Tick::default()) {
                return Some(stop);
            }
            order.lock().unwrap().push(number);
            thread::sleep(Duration::from_millis(1));
        }
        None
    }

    #[test]
    fn a_short_search_does_not_wait_for_a_long_one() {
        let order = Mutex::new(Vec::new());
        let long = |m: &dyn Monitor, _: Option<Duration>| steps(400, 0, &order, m);
        let short = |m: &dyn Monitor, _: Option<Duration>| steps(20, 1, &order, m);
        let ended = take(&[&long, &short], Rules::default());
        assert!(ended.iter().all(|(stop, _)| stop.is_none()));
        let order = order.into_inner().unwrap();
        let last = order.iter().rposition(|&i| i == 1).unwrap();
        assert!(last < 200, "the short search ended after {last} steps of both");
        assert_eq!(order.len(), 420, "nothing is done twice");
    }

    #[test]
    fn the_system_may_come_last() {
        let order = Mutex::new(Vec::new());
        let system = |m: &dyn Monitor, _: Option<Duration>| steps(30, 0, &order, m);
        let one = |m: &dyn Monitor, _: Option<Duration>| steps(30, 1, &order, m);
        let two = |m: &dyn Monitor, _: Option<Duration>| steps(30, 2, &order, m);
        take(&[&system, &one, &two], Rules { system_last: true, ..Rules::default() });
        let order = order.into_inner().unwrap();
        assert_eq!(order.iter().position(|&i| i == 0), Some(60));
    }

    #[test]
    fn a_system_that_comes_last_has_time_left() {
        let end = Instant::now() + Duration::from_secs(30);
        let rules = Rules { system_last: true, until: Some((end, Duration::from_secs(30))), ..Rules::default() };
        let search = |_: &dyn Monitor, left: Option<Duration>| left.expect("a limit");
        let ended = take(&[&search, &search, &search], rules);
        assert!(ended[1].0 <= Duration::from_secs(20) && ended[2].0 <= Duration::from_secs(20), "{ended:?}");
        assert!(ended[0].0 > Duration::from_secs(20), "{ended:?}");
    }

    #[test]
    fn memory_that_is_half_full_leaves_one_and_the_others_begin_anew() {
        let (order, begun) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
        let search = |m: &dyn Monitor, _: Option<Duration>| {
            begun.fetch_add(1, Ordering::Relaxed);
            steps(60, 0, &order, m)
        };
        // Whatever this program holds is more than half of one byte.
        let ended = take(&[&search, &search], Rules { memory: Some(1), ..Rules::default() });
        assert!(ended.iter().all(|(stop, _)| stop.is_none()), "both come to an end");
        assert_eq!(begun.load(Ordering::Relaxed), 3, "one of them twice");
    }

    #[test]
    fn one_finding_may_be_enough() {
        let order = Mutex::new(Vec::new());
        let long = |m: &dyn Monitor, _: Option<Duration>| steps(1_000_000, 0, &order, m);
        let finds = |m: &dyn Monitor, _: Option<Duration>| {
            steps(10, 1, &order, m);
            let violation = starwheel_engine::Goal::default().violation();
            _ = m.found(&Finding { violation, trail: Vec::new(), cycle_start: None, events: 1 });
            None
        };
        let ended = take(&[&long, &finds, &long], Rules { first: true, ..Rules::default() });
        assert_eq!([&ended[0].0, &ended[2].0], [&Some(Stop::Settled); 2]);
        assert_eq!(ended[1].0, None);
    }

    #[test]
    fn a_panic_reaches_the_caller_and_nobody_waits_for_ever() {
        let order = Mutex::new(Vec::new());
        let fine = |m: &dyn Monitor, _: Option<Duration>| steps(50, 0, &order, m);
        let broken = |_: &dyn Monitor, _: Option<Duration>| -> Option<Stop> { panic!("broken") };
        let ended =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| take(&[&fine, &broken], Rules::default())));
        assert!(ended.is_err());
    }

    #[test]
    fn time_is_shared_by_those_that_run_alone() {
        let end = Instant::now() + Duration::from_millis(400);
        let rules = Rules { memory: Some(1), until: Some((end, Duration::from_millis(400))), ..Rules::default() };
        let order = Mutex::new(Vec::new());
        let endless = |m: &dyn Monitor, left: Option<Duration>| {
            let started = Instant::now();
            loop {
                if let Some(stop) = steps(1, 0, &order, m) {
                    return stop;
                }
                if left.is_some_and(|left| started.elapsed() >= left) {
                    return Stop::Time(Duration::ZERO);
                }
            }
        };
        let ended = take(&[&endless, &endless], rules);
        assert!(ended.iter().all(|(stop, _)| matches!(stop, Stop::Time(_))));
        assert!(ended.iter().all(|(_, had)| *had >= Duration::from_millis(60)), "{ended:?}");
    }
}
