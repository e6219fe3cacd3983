//! Automata accept exactly the words on which their formula holds.

use starwheel_automata::random::{Rng, formula, lasso};
use starwheel_automata::words::holds;
use starwheel_automata::{Formula, Names, Prop, TooLarge, ltl, translate, translate_generalised};

fn parse(text: &str) -> Formula {
    ltl::parse(text, &mut Names::new()).unwrap()
}

/// Formulas whose smallest automata everybody knows: states of the automaton with accepting states.
#[test]
fn well_known_sizes() {
    let sizes = [
        ("true", 1),
        ("false", 1),
        ("p", 2),
        ("[]p", 1),
        ("<>p", 2),
        ("p U q", 2),
        ("p W q", 2),
        ("p V q", 2),
        ("p M q", 2),
        ("[]<>p", 2),
        ("<>[]p", 2),
        ("[](p -> <>q)", 2),
        ("<>(p && []!q)", 2),
        ("X p", 3),
        ("[]<>p && []<>q", 3),
        ("[]<>p || []<>q", 2),
        ("[]<>p -> []<>q", 3),
        ("[](p -> q U r)", 2),
        ("<>p && <>q", 4),
        ("[]p || []q", 3),
    ];
    for (text, expected) in sizes {
        let automaton = translate(&parse(text)).unwrap();
        assert_eq!(automaton.state_count(), expected, "{text}: {automaton:#?}");
    }
}

/// Random formulas: the automata and the evaluator agree on random words; formula and negation have no word in common.
#[test]
fn automata_agree_with_the_evaluator() {
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        let size = 3 + rng.below(13);
        let formula = formula(&mut rng, size, 3);
        let general = translate_generalised(&formula).unwrap();
        let plain = translate(&formula).unwrap();
        let negation = translate(&formula.negated()).unwrap();
        for _ in 0..30 {
            let word = lasso(&mut rng, 4, 4, 3);
            let expected = holds(&formula, &word);
            assert_eq!(general.accepts(&word), expected, "seed {seed}, generalised: {formula:?} on {word:?}");
            assert_eq!(plain.as_tgba().accepts(&word), expected, "seed {seed}: {formula:?} on {word:?}");
            assert_eq!(negation.as_tgba().accepts(&word), !expected, "seed {seed}, negation: {formula:?} on {word:?}");
        }
        for other in [plain.as_tgba(), &general] {
            let common = other.product(negation.as_tgba()).unwrap();
            assert!(common.is_empty(), "seed {seed}: {formula:?} shares a word with its negation");
        }
    }
}

/// What cannot be done is said, and soon.
#[test]
fn too_large() {
    assert_eq!(translate(&Formula::Prop(Prop(Prop::LIMIT))), Err(TooLarge));
    let equal: Vec<String> = (0..60).map(|number| format!("p{number}")).collect();
    assert_eq!(translate(&parse(&equal.join(" <-> "))), Err(TooLarge));
    let all: Vec<String> = (0..40).map(|number| format!("<>p{number}")).collect();
    assert_eq!(translate(&parse(&all.join(" && "))), Err(TooLarge));
}
