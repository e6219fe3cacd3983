//! Emptiness, accepting runs and products.

use starwheel_automata::random::{Rng, formula, lasso};
use starwheel_automata::words::holds;
use starwheel_automata::{Tgba, ops::Run, translate, translate_generalised};

/// The run starts in an initial state, its edges fit together, and its cycle has all marks.
fn check(automaton: &Tgba, run: &Run) {
    let edges: Vec<_> = run.prefix.iter().chain(&run.cycle).collect();
    assert!(automaton.initial().contains(&edges[0].from));
    assert!(edges.windows(2).all(|pair| pair[0].to == pair[1].from));
    assert_eq!(run.cycle.last().unwrap().to, run.cycle[0].from);
    let met = run.cycle.iter().fold(0, |marks, edge| marks | edge.marks.0);
    assert!((0..automaton.mark_count()).all(|mark| met >> mark & 1 == 1));
}

/// A run is found exactly if the formula can hold, and the formula holds on its word.
#[test]
fn runs_of_formulas() {
    let mut empty = 0;
    for seed in 0..800 {
        let mut rng = Rng::new(seed);
        let formula = formula(&mut rng, 10, 3);
        for automaton in [translate_generalised(&formula).unwrap(), translate(&formula).unwrap().as_tgba().clone()] {
            match automaton.accepting_run() {
                Some(run) => {
                    check(&automaton, &run);
                    let word = run.word().unwrap();
                    assert!(holds(&formula, &word) && automaton.accepts(&word), "seed {seed}: {formula:?}");
                }
                None => {
                    empty += 1;
                    let word = lasso(&mut rng, 4, 4, 3);
                    assert!(automaton.is_empty() && !holds(&formula, &word), "seed {seed}: {formula:?}");
                }
            }
        }
    }
    assert!(empty > 20, "the test must see formulas that cannot hold, it saw {empty}");
}

/// The product accepts what both accept.
#[test]
fn products() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let (first, second) = (formula(&mut rng, 8, 2), formula(&mut rng, 8, 2));
        let product = translate_generalised(&first).unwrap().product(translate(&second).unwrap().as_tgba()).unwrap();
        for _ in 0..20 {
            let word = lasso(&mut rng, 3, 3, 2);
            let expected = holds(&first, &word) && holds(&second, &word);
            assert_eq!(product.accepts(&word), expected, "seed {seed}: {first:?} and {second:?} on {word:?}");
        }
    }
}
