//! Looks for trouble: random formulas for some time, everything that can be checked about each of them.
//!
//! `cargo run --release -p starwheel-automata --example agree -- SECONDS SEED`

use std::time::{Duration, Instant};

use starwheel_automata::hoa::{HoaAutomaton, read, write};
use starwheel_automata::random::{Rng, formula, lasso};
use starwheel_automata::words::holds;
use starwheel_automata::{Formula, Names, Stutter, stutter, translate, translate_generalised};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let seconds = arguments.next().unwrap_or(10);
    let first = arguments.next().unwrap_or(1);
    let start = Instant::now();
    let (mut seed, mut states, mut slowest) = (first, 0, (Duration::ZERO, 0));
    while start.elapsed() < Duration::from_secs(seconds) {
        let began = Instant::now();
        states += check(seed);
        slowest = slowest.max((began.elapsed(), seed));
        seed += 1;
    }
    let count = seed - first;
    println!("{count} formulas from seed {first} agree, {states} states, slowest seed {} ({:?})", slowest.1, slowest.0);
}

/// Checks the formula of a seed and gives the size of its automaton; a formula that is too large counts as none.
fn check(seed: u64) -> usize {
    let mut rng = Rng::new(seed);
    let (size, props) = (3 + rng.below(24), 1 + rng.below(4));
    let formula = formula(&mut rng, size, props);
    let simple = formula.simplified();
    let (Ok(general), Ok(plain), Ok(negation)) =
        (translate_generalised(&formula), translate(&formula), translate(&formula.negated()))
    else {
        println!("seed {seed}: too large: {formula:?}");
        return 0;
    };
    for _ in 0..40 {
        let word = lasso(&mut rng, 5, 5, props);
        let expected = holds(&formula, &word);
        assert_eq!(holds(&simple, &word), expected, "seed {seed}: simplified");
        assert_eq!(general.accepts(&word), expected, "seed {seed}: generalised");
        assert_eq!(plain.as_tgba().accepts(&word), expected, "seed {seed}: plain");
        assert_eq!(negation.as_tgba().accepts(&word), !expected, "seed {seed}: negation");
    }
    for automaton in [&general, plain.as_tgba()] {
        assert!(
            automaton.product(negation.as_tgba()).is_ok_and(|common| common.is_empty()),
            "seed {seed}: common word"
        );
    }
    if let Some(word) = plain.as_tgba().accepting_run().and_then(|run| run.word()) {
        assert!(holds(&formula, &word), "seed {seed}: accepting run");
    }
    let text = write(&HoaAutomaton::new(general.clone(), names(props)));
    assert_eq!(read(&text).map(|back| back[0].automaton.clone()).as_ref(), Ok(&general), "seed {seed}: {text}");
    check_stutter(seed, &formula);
    plain.state_count()
}

fn check_stutter(seed: u64, formula: &Formula) {
    if let Ok(Stutter::Sensitive { holds: good, fails: bad }) = stutter(formula) {
        assert!(holds(formula, &good) && !holds(formula, &bad), "seed {seed}: stutter");
    }
}

fn names(count: u32) -> Names {
    let mut names = Names::new();
    for number in 0..count {
        names.push(&format!("p{number}"));
    }
    names
}
