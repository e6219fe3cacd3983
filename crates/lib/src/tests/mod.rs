//! Random small systems, explored by the searches and by a naive program that shares nothing with them.

mod naive;
mod shared;
mod toy;

use crate::adapter::Adapted;
use crate::formula::formulas;
use crate::ground::Ground;
use crate::product::Product;
use crate::symmetry::Names;
use crate::{Checker, Outcome, Store, Verdict};
use naive::Naive;
use starwheel_engine::Fairness;
use starwheel_system::{Quotient, laws};
use toy::{Club, Toy};

/// How many systems each test looks at.
const MANY: u64 = 150;
const FORMULAS: [&str; 5] = ["<> p", "[] <> p", "[] (p -> <> q)", "p U q", "<> [] q"];

fn violated(outcome: &Outcome<Toy>, name: &str) -> bool {
    match &outcome.property(name).unwrap_or_else(|| panic!("no {name}")).verdict {
        Verdict::Holds(_) => false,
        Verdict::Violated => true,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_system_in_rust_keeps_the_laws() {
    for seed in 0..MANY {
        let toy = Toy::random(seed);
        let ground = Ground::new(&toy).expect("it can be searched");
        let system = Adapted { ground: &ground, watched: ground.watched() };
        laws::hold(&system, 300).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
        let formula = formulas(&ground, &[FORMULAS[2].to_string()], false).expect("it is one").remove(0);
        let system = Adapted { ground: &ground, watched: Vec::new() };
        let product = Product { system, automaton: formula.automaton, letters: formula.letters };
        laws::hold(&product, 300).unwrap_or_else(|broken| panic!("seed {seed}, with a formula: {broken}"));
    }
}

#[test]
fn renamed_states_keep_the_laws() {
    for seed in 0..MANY {
        let club = Club::random(seed);
        let ground = Ground::new(&club).expect("it can be searched");
        let system = Adapted { ground: &ground, watched: ground.watched() };
        let names = Names::new(&ground, crate::Model::symmetry(&club).expect("it has one"), 0);
        let quotient = Quotient::new(&system, &names);
        laws::hold(&quotient, 300).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
    }
}

#[test]
fn every_search_counts_what_a_naive_one_counts() {
    for seed in 0..MANY {
        let toy = Toy::random(seed);
        let naive = Naive::explore(&toy);
        let ways: [fn(Checker<'_, Toy>) -> Checker<'_, Toy>; 5] = [
            |c| c.workers(1),
            |c| c.bfs(),
            |c| c.workers(2),
            |c| c.store(Store::Tree).workers(1),
            |c| c.store(Store::Flat).workers(1),
        ];
        for (number, way) in ways.into_iter().enumerate() {
            // Errors end a search, so what is counted is counted without them.
            let quiet = Toy { silent: true, ..toy.clone() };
            let whole = Naive::explore(&quiet);
            let outcome = way(Checker::new(&quiet).no_deadlocks().no_own_formulas()).run().expect("it fits");
            assert_eq!(outcome.stats.states, whole.states() as u64, "seed {seed}, way {number}");
            assert_eq!(outcome.stats.transitions, whole.edges() as u64, "seed {seed}, way {number}");
            let outcome = way(Checker::new(&toy)).run().expect("it fits");
            let found = outcome.verdict == Verdict::Violated;
            let wrong = naive.deadlock() || naive.wrong() || !naive.always() || !naive.sometimes();
            assert_eq!(found, wrong, "seed {seed}, way {number}\n{outcome}");
            for property in &outcome.properties {
                let Some(trail) = property.trail.as_ref().filter(|_| property.name == "calm") else { continue };
                assert!(naive.reaches(trail.end()) && !toy.calm(trail.end()), "seed {seed}, way {number}");
                assert!(number != 1 || trail.len() == naive.distance(|s| !toy.calm(s)), "seed {seed}: not shortest");
            }
        }
    }
}

#[test]
fn formulas_are_judged_as_by_a_naive_search_for_fair_components() {
    for seed in 0..MANY {
        let toy = Toy { silent: true, ..Toy::random(seed) };
        let naive = Naive::explore(&toy);
        for formula in FORMULAS {
            for fairness in [None, Some(Fairness::Weak), Some(Fairness::Strong)] {
                let checker = Checker::new(&toy).no_deadlocks().ltl(formula);
                let checker = match fairness {
                    None => checker,
                    Some(Fairness::Weak) => checker.weakly_fair(),
                    Some(Fairness::Strong) => checker.strongly_fair(),
                };
                let outcome = checker.run().expect("it fits");
                let expected = naive.breaks(&toy, formula, fairness);
                assert_eq!(violated(&outcome, formula), expected, "seed {seed}, {formula}, {fairness:?}\n{outcome}");
            }
        }
    }
}

#[test]
fn reduced_searches_find_what_whole_ones_find() {
    let mut less = 0;
    for seed in 0..MANY * 4 {
        let toy = Toy { local: true, ..Toy::random(seed) };
        let naive = Naive::explore(&toy);
        for bfs in [false, true] {
            let checker = Checker::new(&toy).por();
            let checker = if bfs { checker.bfs() } else { checker };
            let outcome = checker.run().expect("it fits");
            let wrong = naive.deadlock() || naive.wrong() || !naive.always() || !naive.sometimes();
            assert_eq!(outcome.verdict == Verdict::Violated, wrong, "seed {seed}, {bfs}\n{outcome}");
        }
        let quiet = Toy { silent: true, ..toy };
        let outcome = Checker::new(&quiet).no_deadlocks().por().workers(1).run().expect("it fits");
        less += u64::from(outcome.stats.states < Naive::explore(&quiet).states() as u64);
    }
    assert!(less > 5, "nothing was ever reduced: {less}");
}

#[test]
fn a_footprint_that_is_wrong_ends_the_search() {
    let mut caught = 0;
    for seed in 0..MANY {
        let toy = Toy { local: true, silent: true, lies: true, ..Toy::random(seed) };
        let outcome = Checker::new(&toy).no_deadlocks().por().run().expect("it fits");
        caught += u64::from(outcome.to_string().contains("`footprint` is wrong"));
    }
    assert!(caught > MANY / 2, "{caught}");
}

#[test]
fn names_stand_for_all_their_states() {
    for seed in 0..MANY {
        let club = Club::random(seed);
        let whole = Checker::new(&club).run().expect("it fits");
        let named = Checker::new(&club).symmetry().run().unwrap_or_else(|refused| panic!("seed {seed}: {refused}"));
        assert_eq!(whole.verdict, named.verdict, "seed {seed}\n{whole}\n{named}");
        if whole.holds() {
            assert_eq!(named.stats.states, club.classes() as u64, "seed {seed}");
        }
        for formula in ["<> p", "[] <> p"] {
            for fair in [false, true] {
                let ask = |symmetric: bool| {
                    let checker = Checker::new(&club).no_deadlocks().ltl(formula);
                    let checker = if symmetric { checker.symmetry() } else { checker };
                    let checker = if fair { checker.weakly_fair() } else { checker };
                    checker.run().expect("it fits").property(formula).expect("asked for").verdict.clone()
                };
                assert_eq!(ask(false), ask(true), "seed {seed}, {formula}, {fair}");
            }
        }
    }
}

#[test]
fn a_symmetry_that_is_none_is_refused() {
    let refused = (0..MANY).filter(|&seed| {
        let club = Club { unequal: true, ..Club::random(seed) };
        Checker::new(&club).symmetry().run().is_err_and(|refused| refused.to_string().contains("symmetry is wrong"))
    });
    assert!(refused.count() > 10);
}
