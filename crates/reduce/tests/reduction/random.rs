//! Random programs: what goes wrong in the reduced system is what goes wrong in the whole.

use crate::common::{self, number};
use starwheel_reduce::Method;
use starwheel_testkit::generate::features::Feature;
use starwheel_testkit::{generate, print};

/// Looks at so many programs, and says how many states were left of how many.
fn programs(first: u64, count: u64) {
    let (mut looked, mut whole, mut least, mut wrong) = (0, 0, 0, Vec::new());
    for seed in first..first + count {
        let text = print::program(&generate::program(seed));
        let Some(model) = common::model(&text, seed % 2 == 0, seed % 4 == 0) else { continue };
        match common::compare(&model) {
            Ok(None) => {}
            Ok(Some((w, l))) => {
                looked += 1;
                whole += w;
                least += l;
            }
            Err(what) => wrong.push(format!("seed {seed}: {what}\n{text}")),
        }
    }
    wrong.sort_by_key(String::len);
    println!("{looked} programs, {whole} states, {least} at the least");
    assert!(wrong.is_empty(), "{} programs differ, the shortest:\n{}", wrong.len(), wrong[0]);
    assert!(looked * 2 > count, "only {looked} of {count} programs were looked at");
}

#[test]
fn reduced_programs_go_wrong_in_the_same_ways() {
    programs(number("REDUCE_SEED", 1), number("REDUCE_COUNT", 150));
}

#[test]
fn choices_keep_their_promises() {
    let (mut choices, mut wrong) = (0, Vec::new());
    for seed in 1..=number("REDUCE_COUNT", 60) {
        let text = print::program(&generate::program(seed));
        let Some(model) = common::model(&text, false, false) else { continue };
        if common::full(&model).is_none_or(|f| f.states > 300) {
            continue;
        }
        for method in common::METHODS {
            for way in [common::ORDERS[0], common::ORDERS[2], common::ORDERS[3]] {
                let Some(record) = common::audited(&model, method, way) else { continue };
                choices += record.choices;
                wrong.extend(record.fault.map(|fault| format!("seed {seed}, {method:?} {way:?}: {fault}\n{text}")));
            }
        }
    }
    wrong.sort_by_key(String::len);
    println!("{choices} choices");
    assert!(wrong.is_empty(), "{} audits fail, the shortest:\n{}", wrong.len(), wrong[0]);
    assert!(choices > 100, "only {choices} choices were looked at");
}

/// The programs must be such that the provisos are needed: where nobody pays, errors of those who are forgotten are missed.
#[test]
fn without_a_proviso_errors_are_missed() {
    let (first, count) = (number("REDUCE_SEED", 1), number("REDUCE_COUNT", 150));
    let (mut looked, mut missed) = (0, [0; common::ORDERS.len()]);
    for seed in first..first + count {
        let mut features = generate::features_of(seed);
        features.set(Feature::Rounds, true);
        features.set(Feature::Assert, true);
        features.settle();
        let text = print::program(&generate::program_with(seed, features));
        let Some(model) = common::model(&text, false, false) else { continue };
        let Some(whole) = common::full(&model).filter(|w| w.states < 2_000) else { continue };
        looked += 1;
        for (way, missed) in common::ORDERS.into_iter().zip(&mut missed) {
            let unpaid = common::unpaid(&model, Method::Ample, way);
            *missed += u64::from(unpaid.is_some_and(|found| found.errors != whole.errors));
        }
    }
    println!("{looked} programs; errors are missed in {missed:?}");
    assert!(missed.iter().all(|n| n * 40 > looked), "{looked} programs; errors are missed in {missed:?} only");
}

/// Random programs for which a reduction once gave a wrong answer, kept as they were: a death that changes a number that is
/// waited for; a message that decides whether it is taken; a death that makes an `else` possible.
#[test]
fn programs_that_once_went_wrong() {
    for text in [
        include_str!("kept/death-changes-number.pml"),
        include_str!("kept/message-decides.pml"),
        include_str!("kept/death-makes-else.pml"),
    ] {
        for (dead_vars, merge) in [(false, false), (true, false), (true, true)] {
            let model = common::model(text, dead_vars, merge).expect("the model is good");
            let states = common::compare(&model).unwrap_or_else(|what| panic!("{what}\n{text}"));
            assert!(states.is_some(), "it is small");
        }
    }
}
