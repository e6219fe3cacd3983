//! Random walks through a system.

use starwheel_model::{Fired, Step, System, Violation};
use std::ops::ControlFlow;

/// One step of a walk, with the states around it.
#[derive(Debug)]
pub struct Taken<'a> {
    /// Its number, from zero.
    pub number: u64,
    /// The state before.
    pub before: &'a [u8],
    /// The step.
    pub step: Step,
    /// What came of it.
    pub fired: &'a Fired,
    /// The state after; without meaning if the step broke.
    pub after: &'a [u8],
}

/// How a walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// No step was possible; with what is wrong about that, if anything is.
    Stuck(Option<Violation>),
    /// The last step, or the initial state, has no meaning.
    Broken,
    /// As many steps as wanted were taken.
    Enough,
    /// The watcher stopped it.
    Stopped,
}

/// Walks at random from the initial state, at most `most` steps, and shows each step to `watch`. The same seed gives
/// the same walk. What goes wrong in the initial state itself is shown by [`crate::Session`] only.
pub fn random_walk(
    system: &dyn System,
    seed: u64,
    most: Option<u64>,
    watch: &mut dyn FnMut(&Taken<'_>) -> ControlFlow<()>,
) -> End {
    let mut random = Random::new(seed);
    let mut stepper = system.stepper();
    let (mut at, mut next, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    if stepper.initial(&mut at).broken {
        return End::Broken;
    }
    for number in 0.. {
        if most == Some(number) {
            return End::Enough;
        }
        steps.clear();
        stepper.enabled(&at, &mut steps);
        let Some(&step) = random.choose(&steps) else { return End::Stuck(stepper.stuck(&at)) };
        next.clear();
        let fired = stepper.fire(&at, step, &mut next);
        if watch(&Taken { number, before: &at, step, fired: &fired, after: &next }).is_break() {
            return End::Stopped;
        }
        if fired.broken {
            return End::Broken;
        }
        std::mem::swap(&mut at, &mut next);
    }
    End::Enough
}

/// A small source of random numbers (splitmix64), the same on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, or zero if `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The high half of a product spreads the bits evenly enough and needs no division.
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// One of the items, if there is any.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len() as u64) as usize)
    }
}
