//! The law of the provisos that the choice pays: every cycle of the reduced system has a state that takes all its steps.

use crate::common::{self, BY_CHOICE, METHODS, number};
use starwheel_model::{ModelSystem, Step, Stepper, System};
use starwheel_reduce::{Method, Plan, Property, Proviso, Reduced, Wish, watched};
use starwheel_testkit::{generate, print};
use std::collections::{HashMap, HashSet};

/// Models with more states are not looked at.
const MOST: usize = 3000;

/// All states of a reduced system: whether they take all their steps, and where these lead, through all that follows in the
/// same step. In the middle of a step nobody else can move: states there are passed.
struct Whole {
    full: Vec<bool>,
    ahead: Vec<Vec<usize>>,
}

fn whole(stepper: &mut dyn Stepper, hidden: usize) -> Option<Whole> {
    let mut first = Vec::new();
    if stepper.initial(&mut first).broken {
        return None;
    }
    let mut numbers = HashMap::from([(first[hidden..].to_vec(), 0)]);
    let (mut states, mut out) = (vec![first], Whole { full: Vec::new(), ahead: Vec::new() });
    let mut transient = Vec::new();
    let (mut steps, mut omitted) = (Vec::<Step>::new(), Vec::new());
    while let Some(at) = states.get(out.full.len()).cloned() {
        stepper.omitted(&at, &mut omitted);
        stepper.enabled(&at, &mut steps);
        let mut ahead = Vec::new();
        for step in &steps {
            let mut next = Vec::new();
            if stepper.fire(&at, *step, &mut next).broken {
                continue;
            }
            let fresh = numbers.len();
            let number = *numbers.entry(next[hidden..].to_vec()).or_insert(fresh);
            if number == fresh {
                states.push(next);
            }
            ahead.push(number);
        }
        out.full.push(omitted.is_empty());
        transient.push(stepper.transient(&at));
        out.ahead.push(ahead);
        if states.len() > MOST {
            return None;
        }
    }
    let through = |from: usize| {
        let (mut seen, mut open, mut found) = (HashSet::new(), out.ahead[from].clone(), Vec::new());
        while let Some(to) = open.pop() {
            if !transient[to] {
                found.push(to);
            } else if seen.insert(to) {
                open.extend(&out.ahead[to]);
            }
        }
        if transient[from] { Vec::new() } else { found }
    };
    let ahead = (0..out.full.len()).map(through).collect();
    Some(Whole { ahead, full: out.full })
}

impl Whole {
    /// True if some cycle has only states that leave out steps: what is left when all states without a way on are taken away,
    /// again and again.
    fn forgets(&self) -> bool {
        let count = self.full.len();
        let mut left: Vec<usize> = self.ahead.iter().map(|a| a.iter().filter(|to| !self.full[**to]).count()).collect();
        let mut before = vec![Vec::new(); count];
        for (from, ahead) in self.ahead.iter().enumerate() {
            ahead.iter().for_each(|to| before[*to].push(from));
        }
        let mut open: Vec<usize> = (0..count).filter(|s| !self.full[*s] && left[*s] == 0).collect();
        let mut gone = open.len();
        while let Some(state) = open.pop() {
            for &from in &before[state] {
                left[from] -= 1;
                if left[from] == 0 && !self.full[from] {
                    open.push(from);
                    gone += 1;
                }
            }
        }
        gone < self.full.iter().filter(|full| !**full).count()
    }
}

/// The states of a model with few steps.
fn reduced(text: &str, method: Method, proviso: Proviso, seed: u64) -> Option<Whole> {
    let model = common::model(text, seed.is_multiple_of(2), seed.is_multiple_of(4))?;
    let watched = watched(&model, Property::Safety).ok()?;
    let plan = Plan {
        model: &model,
        wish: Wish { method, watched, proviso, fair: false, until: starwheel_base::cancel::Token::NEVER },
        notes: None,
    };
    let system = ModelSystem(&model);
    let reduced = Reduced::new(&system, &plan);
    whole(&mut *reduced.stepper(), system.hidden_bytes())
}

#[test]
fn every_cycle_of_a_random_program_has_a_state_that_takes_all_its_steps() {
    let (mut looked, mut fewer, mut states, mut tempting) = (0, 0, [0, 0], 0);
    let (first, count) = (number("REDUCE_SEED", 1), number("REDUCE_COUNT", 60));
    for seed in first..first + count {
        let text = print::program(&generate::program(seed));
        for method in METHODS {
            let both = BY_CHOICE.map(|proviso| reduced(&text, method, proviso, seed));
            for (whole, proviso) in both.iter().zip(BY_CHOICE) {
                let forgets = whole.as_ref().is_some_and(Whole::forgets);
                assert!(!forgets, "seed {seed}, {method:?}, {proviso:?}: a cycle forgets somebody\n{text}");
            }
            // Where nobody pays, somebody would be forgotten.
            tempting += u32::from(reduced(&text, method, Proviso::NotNeeded, seed).is_some_and(|w| w.forgets()));
            let [Some(fixed), Some(ahead)] = both else { continue };
            looked += 1;
            fewer += u32::from(ahead.full.len() < fixed.full.len());
            states = [states[0] + fixed.full.len(), states[1] + ahead.full.len()];
        }
    }
    let told = format!("{looked} systems, {states:?} states, {fewer} with fewer, {tempting} would forget somebody");
    println!("{told}");
    assert!(looked > count && fewer * 50 > count as u32 && tempting * 50 > count as u32, "{told}");
}

/// Who never leaves a loop of its own must not keep others from moving; who goes round with new values may come first.
#[test]
fn a_loop_is_left_alone_if_nobody_comes_back() {
    let states = |text: &str| BY_CHOICE.map(|p| reduced(text, Method::Ample, p, 1).expect("it is small"));
    let [fixed, ahead] = states("active [2] proctype P() { byte i; do :: i < 9 -> i++ :: else -> break od }");
    assert!(fixed.full.len() > 100 && ahead.full.len() < 50, "{} and {}", fixed.full.len(), ahead.full.len());
    let [fixed, ahead] = states("active [2] proctype P() { bit i; do :: i = 1 - i od }");
    assert!(!ahead.forgets() && !fixed.forgets());
    assert_eq!(ahead.full.len(), fixed.full.len());
}

#[test]
fn the_test_sees_what_is_forgotten() {
    let cycle = |full: Vec<bool>| Whole { full, ahead: vec![vec![1], vec![2], vec![1]] };
    assert!(cycle(vec![true, false, false]).forgets());
    assert!(!cycle(vec![false, true, false]).forgets());
}
