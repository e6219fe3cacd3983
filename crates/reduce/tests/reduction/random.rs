//! Random programs: what goes wrong in the reduced system is what goes wrong in the whole.

use crate::common::{self, number};
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
