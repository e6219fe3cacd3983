//! The numbers of classes of our symmetric models, by every strategy, and what is said about models that are not symmetric.

mod common;

use common::{model, states};
use starwheel_model::ModelSystem;
use starwheel_symmetry::{Renaming, Strategy, infer};
use starwheel_system::Quotient;

/// States stored with a strategy.
fn stored(name: &str, defines: &[(&str, usize)], strategy: Strategy) -> usize {
    let read = model(name, defines);
    let found = infer(&read.model, None);
    let symmetry = found.symmetry.unwrap_or_else(|| {
        let all: Vec<_> = found.obstacles.iter().map(|o| format!("{}: {}", read.line(o.span), o.message)).collect();
        panic!("{name}: {all:?}")
    });
    let renaming = Renaming::new(&symmetry, strategy).unwrap();
    states(&Quotient::new(&ModelSystem(&read.model), &renaming), 100_000).len()
}

#[test]
fn canonical_strategies_store_one_state_of_each_class() {
    for (name, defines, classes) in [
        ("peterson_atomic", &[("N", 2)][..], 73),
        ("peterson_atomic", &[("N", 3)], 633),
        ("dbm", &[("N", 3)], 9),
        ("dbm", &[("N", 4)], 13),
        ("initproto_sym", &[("N", 2)], 129),
        ("initproto_sym", &[("N", 3)], 4955),
        ("base1_sym", &[("N", 2)], 538),
        ("base2_sym", &[("NS", 2), ("NR", 2), ("M", 1)], 20749),
    ] {
        for strategy in [Strategy::Auto, Strategy::Full, Strategy::PcSegmented] {
            assert_eq!(stored(name, defines, strategy), classes, "{name} {defines:?} {strategy:?}");
        }
    }
    for (name, classes) in [("peterson_atomic", 633), ("dbm", 9), ("initproto_sym", 4955)] {
        assert_eq!(stored(name, &[("N", 3)], Strategy::Segmented), classes, "{name}");
    }
}

#[test]
fn data_base_managers_are_as_many_as_published() {
    for (n, classes, sorted) in [(7, 31, 250), (8, 39, 505), (9, 48, 1016)] {
        for strategy in [Strategy::Auto, Strategy::PcSegmented, Strategy::PcSorted] {
            assert_eq!(stored("dbm", &[("N", n)], strategy), classes, "{n} {strategy:?}");
        }
        assert_eq!(stored("dbm", &[("N", n)], Strategy::Sorted), sorted, "{n}");
    }
    assert_eq!(stored("dbm", &[("N", 12)], Strategy::Auto), 81);
    assert_eq!(stored("dbm", &[("N", 7)], Strategy::Segmented), 31);
}
