//! The states that several workers still have to expand: in no particular order, or level by level, so that no state is
//! expanded before all that are nearer to the initial one.

use crate::lock;
use crate::states::shards::ShardPlace;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

type Lists = Vec<Mutex<VecDeque<ShardPlace>>>;

/// What has to be done.
#[derive(Debug)]
pub struct Agenda {
    by_level: bool,
    /// By worker: states that may be expanded now.
    now: Lists,
    /// By worker: the states of the next level.
    later: Lists,
    /// States that may be expanded now and are not yet.
    open: AtomicUsize,
    /// States of the next level.
    waiting: AtomicUsize,
    /// Held by the one who begins the next level.
    turn: Mutex<()>,
}

/// What a worker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Expands a state.
    Expand(ShardPlace),
    /// Waits for the others.
    Wait,
    /// Goes home.
    Done,
}

impl Agenda {
    /// Nothing to do yet, for so many workers.
    pub fn new(workers: usize, by_level: bool) -> Agenda {
        let lists = || (0..workers).map(|_| Mutex::default()).collect();
        let (open, waiting) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Agenda { by_level, now: lists(), later: lists(), open, waiting, turn: Mutex::default() }
    }

    /// Adds a state that a worker has reached while it was expanding another.
    pub fn add(&self, worker: usize, place: ShardPlace) {
        let (list, count) = if self.by_level { (&self.later, &self.waiting) } else { (&self.now, &self.open) };
        count.fetch_add(1, Ordering::Relaxed);
        lock(&list[worker]).push_back(place);
    }

    /// Notes that a state was expanded.
    pub fn done(&self) {
        self.open.fetch_sub(1, Ordering::Release);
    }

    /// What a worker does next.
    pub fn next(&self, worker: usize) -> Next {
        match self.take(worker) {
            Some(place) => Next::Expand(place),
            None if self.open.load(Ordering::Acquire) > 0 => Next::Wait,
            None => self.turn_over(worker),
        }
    }

    /// One's own youngest, or another's oldest.
    fn take(&self, own: usize) -> Option<ShardPlace> {
        if let Some(place) = lock(&self.now[own]).pop_back() {
            return Some(place);
        }
        let others = (1..self.now.len()).map(|i| (own + i) % self.now.len());
        others.into_iter().find_map(|other| lock(&self.now[other]).pop_front())
    }

    /// Begins the next level, unless another worker has begun it already. Nobody adds a state while none is expanded.
    fn turn_over(&self, worker: usize) -> Next {
        let _turn = lock(&self.turn);
        if self.open.load(Ordering::Acquire) > 0 {
            return Next::Wait;
        }
        let waiting = self.waiting.swap(0, Ordering::Relaxed);
        if waiting == 0 {
            return Next::Done;
        }
        // Whoever gets one of them begins at once to add to the level after, so all are taken out before one is given away.
        let level: Vec<_> = self.later.iter().map(|list| std::mem::take(&mut *lock(list))).collect();
        self.open.store(waiting, Ordering::Release);
        for (list, states) in self.now.iter().zip(level) {
            *lock(list) = states;
        }
        self.take(worker).map_or(Next::Wait, Next::Expand)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_waits_for_the_one_before() {
        let agenda = Agenda::new(2, true);
        agenda.add(0, ShardPlace::test(0));
        assert_eq!(agenda.next(1), Next::Expand(ShardPlace::test(0)));
        agenda.add(1, ShardPlace::test(1));
        assert_eq!(agenda.next(0), Next::Wait);
        agenda.add(1, ShardPlace::test(2));
        agenda.done();
        assert_eq!([agenda.next(0), agenda.next(1)], [1, 2].map(|n| Next::Expand(ShardPlace::test(n))));
        agenda.done();
        assert_eq!(agenda.next(0), Next::Wait);
        agenda.done();
        assert_eq!(agenda.next(0), Next::Done);
    }

    #[test]
    fn without_levels_new_states_come_at_once() {
        let agenda = Agenda::new(2, false);
        agenda.add(0, ShardPlace::test(0));
        assert_eq!(agenda.next(0), Next::Expand(ShardPlace::test(0)));
        agenda.add(0, ShardPlace::test(1));
        assert_eq!(agenda.next(1), Next::Expand(ShardPlace::test(1)));
        agenda.done();
        agenda.done();
        assert_eq!(agenda.next(1), Next::Done);
    }
}
