//! Symmetric models with one place broken at random: what is left of the symmetry is refused, or still right.

mod common;

use starwheel_model::ModelSystem;
use starwheel_symmetry::{Audited, Renaming, Strategy, infer};
use starwheel_system::{Normaliser, Quotient};
use starwheel_testkit::rng::Rng;
use std::collections::HashSet;

/// What is put in the place of what.
const SLIPS: [(&str, &str); 18] = [
    ("== me", "== 0"),
    ("== me", "< me"),
    ("= me", "= 1"),
    ("[me]", "[0]"),
    ("[i]", "[1]"),
    ("[j]", "[0]"),
    ("(0)", "(1)"),
    ("[0]", "[1]"),
    ("!= me", "!= 0"),
    ("= N;", "= 0;"),
    ("== N", "== 1"),
    ("< N", "< N - 1"),
    ("true", "false"),
    ("&&", "||"),
    ("N-1", "N-2"),
    ("NONE", "0"),
    ("run ", "run  "),
    ("to = 1", "to = 0"),
];

/// A text with one slip, if there is room for it.
fn broken(text: &str, rng: &mut Rng) -> Option<String> {
    let (from, to) = *rng.pick(&SLIPS)?;
    let places: Vec<usize> = text.match_indices(from).map(|m| m.0).collect();
    let at = *rng.pick(&places)?;
    Some(format!("{}{to}{}", &text[..at], &text[at + from.len()..]))
}

#[test]
fn a_slip_is_refused_or_changes_nothing_that_matters() {
    let seed = std::env::var("SYMMETRIC_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut rng = Rng::new(seed);
    let (mut refused, mut smaller, mut right) = (0, 0, 0);
    for (name, defines, members) in [
        ("peterson_atomic", &[("N", 3)][..], 3),
        ("dbm", &[("N", 4)], 4),
        ("initproto_sym", &[("N", 2)], 2),
        ("base1_sym", &[("N", 2)], 2),
        ("base1_sym", &[("N", 3), ("M", 1)], 3),
    ] {
        let path = format!("{}/tests/models/{name}.pml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        for _ in 0..25 {
            let Some(text) = broken(&text, &mut rng) else { continue };
            let Some(read) = common::try_read(&text, defines) else { continue };
            let Some(symmetry) = infer(&read.model, None).symmetry else {
                refused += 1;
                continue;
            };
            let largest = symmetry.plan.blocks.iter().map(Vec::len).max();
            smaller += usize::from(largest < Some(members));
            let system = ModelSystem(&read.model);
            let audited = Audited::new(&system, &symmetry.plan);
            let Some((all, wrong)) = common::explore(&audited, 15_000) else { continue };
            let fault = audited.record().fault;
            assert!(fault.is_none(), "seed {seed}, {name}: {fault:?}\n{text}");
            let renaming = Renaming::new(&symmetry, Strategy::Auto).unwrap();
            let class = |state: &Vec<u8>| {
                let mut class = state.clone();
                renaming.class(&mut class);
                class
            };
            let (names, found) = common::explore(&Quotient::new(&system, &renaming), 15_000).unwrap();
            let classes: HashSet<Vec<u8>> = all.iter().map(class).collect();
            assert_eq!(names.iter().map(class).collect::<HashSet<_>>(), classes, "seed {seed}, {name}\n{text}");
            assert_eq!(found, wrong, "seed {seed}, {name}\n{text}");
            right += 1;
        }
    }
    println!("{refused} refused, {smaller} with members kept apart, {right} compared and right");
    assert!(refused > 0 && right > 0);
}
