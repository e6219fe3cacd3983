//! Cycles that show themselves while states are still visited: the news of an accepting state comes back to it.
//!
//! The first pass of maximal accepting predecessors: L. Brim, I. Černá, P. Moravec, J. Šimša, Accepting Predecessors Are Better than
//! Back Edges in Distributed LTL Model-Checking (FMCAD 2004), as J. Barnat, L. Brim, P. Ročkai put it before OWCTY (2009). With each
//! state travels the greatest accepting state on the way to it. If that is the state itself, it is on a cycle. Each state is
//! expanded once and passes on what it has heard by then, so cycles may be missed here: the waves of `cycles.rs` find them all.
//! What is found here is a cycle, since each message has gone along a transition.
//!
//! Which of two states is the greater one does not matter for that. On a way into a cycle, the state where it is entered has to be
//! the greatest; by age it would hardly ever be, neither the oldest nor the youngest, hence the order is a scrambled one.

use crate::cycles::{name, named};
use crate::wire::{Garbled, Rest, put};
use starwheel_engine::{Job, Order};

/// True if a job is to find runs without end.
pub fn endless(job: &Job<'_>) -> bool {
    matches!(job.search, Order::Ndfs | Order::Cndfs | Order::Scc)
}

/// The news of an accepting state, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Herald(u64);

impl Herald {
    /// There was no such state.
    pub const NONE: Herald = Herald(0);

    /// Its place in the order; none comes first. Different names have different places.
    fn rank(self) -> u64 {
        let mut rank = self.0;
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            rank = (rank ^ rank >> 31).wrapping_mul(factor);
        }
        rank ^ rank >> 32
    }

    fn greater(self, other: Herald) -> Herald {
        if self.rank() < other.rank() { other } else { self }
    }
}

/// What the states of one process have heard.
pub struct Heralds {
    me: usize,
    processes: usize,
    /// A run that ends in an accepting state stays there.
    stutter: bool,
    /// By state.
    heard: Vec<Herald>,
    /// A state on a cycle, and whether it has no steps and is the whole of it.
    found: Option<(u64, bool)>,
}

impl Heralds {
    /// Nobody has heard anything.
    pub fn new(me: usize, processes: usize, stutter: bool) -> Heralds {
        Heralds { me, processes, stutter, heard: Vec::new(), found: None }
    }

    /// A state is new.
    pub fn enter(&mut self) {
        self.heard.push(Herald::NONE);
    }

    /// A state hears of another one before it.
    pub fn hear(&mut self, number: u32, herald: Herald) {
        if herald.0 == name(self.me, number) {
            self.found.get_or_insert((herald.0, false));
        } else if let Some(heard) = self.heard.get_mut(number as usize) {
            *heard = heard.greater(herald);
        }
    }

    /// What a state tells its successors.
    pub fn leave(&mut self, number: u32, accepts: bool, at_end: bool) -> Herald {
        let heard = self.heard.get(number as usize).copied().unwrap_or(Herald::NONE);
        if !accepts {
            return heard;
        }
        let own = name(self.me, number);
        if self.stutter && at_end {
            self.found.get_or_insert((own, true));
        }
        heard.greater(Herald(own))
    }

    /// A state on a cycle by its name, and whether it is the whole of it.
    pub fn found(&self) -> Option<(u64, bool)> {
        self.found
    }

    /// Appends news: numbers of states are small, so that comes first.
    pub fn write(&self, herald: Herald, out: &mut Vec<u8>) {
        if herald == Herald::NONE {
            return put(out, 0);
        }
        let (process, number) = named(herald.0);
        put(out, u64::from(number) * self.processes as u64 + process as u64 + 1);
    }

    /// Reads news.
    pub fn read(&self, rest: &mut Rest<'_>) -> Result<Herald, Garbled> {
        let Some(both) = rest.number()?.checked_sub(1) else { return Ok(Herald::NONE) };
        let number = u32::try_from(both / self.processes as u64).map_err(|_| Garbled)?;
        Ok(Herald(name((both % self.processes as u64) as usize, number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_comes_back_as_it_was() {
        let heralds = Heralds::new(0, 3, true);
        for herald in [Herald::NONE, Herald(name(0, 0)), Herald(name(2, 0)), Herald(name(1, u32::MAX - 1))] {
            let mut bytes = Vec::new();
            heralds.write(herald, &mut bytes);
            assert_eq!(heralds.read(&mut Rest(&bytes)), Ok(herald));
        }
        assert!(heralds.read(&mut Rest(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1])).is_err());
    }

    #[test]
    fn nothing_is_less_than_something() {
        assert_eq!(Herald::NONE.rank(), 0);
        assert!((1..10_000).all(|name| Herald(name).rank() > 0));
        assert_eq!(Herald::NONE.greater(Herald(7)), Herald(7));
        assert_eq!(Herald(7).greater(Herald::NONE), Herald(7));
    }

    #[test]
    fn only_what_comes_back_is_a_cycle() {
        let mut heralds = Heralds::new(1, 2, true);
        (0..3).for_each(|_| heralds.enter());
        let own = heralds.leave(1, true, false);
        heralds.hear(2, own);
        assert_eq!(heralds.found(), None);
        let passed = heralds.leave(2, false, true);
        assert_eq!((passed, heralds.found()), (own, None), "who does not accept may end");
        heralds.hear(1, passed);
        assert_eq!(heralds.found(), Some((name(1, 1), false)));
    }
}
