//! Decoupled states up to the names of like processes: renamed in all ways, what they stand for is what can be reached, state by
//! state, and the same goes wrong. `STARWHEEL_SEEDS=FROM..TO` tries other programs than the usual ones.

mod common;

use common::{agree, model, reachable, requests};
use starwheel_decouple::{members, members_renamed, refusal};
use starwheel_model::Model;
use starwheel_symmetry::{Renaming, Strategy, infer};
use starwheel_testkit::rng::seeds;
use starwheel_testkit::symmetric::symmetric;
use std::collections::{BTreeSet, HashSet};

/// How many decoupled states there are with names and without; none if nothing can be compared.
fn compare(model: &Model) -> Result<Option<(u64, u64)>, String> {
    let Some(symmetry) = infer(model, None).symmetry else { return Ok(None) };
    if refusal(model).is_some() {
        return Ok(None);
    }
    let Some(all) = reachable(model, 4000) else { return Ok(None) };
    let hidden = model.layout.hidden as usize;
    let canonical = Renaming::new(&symmetry, Strategy::Full)?;
    let class = |state: &Vec<u8>| {
        let mut whole = [&vec![0; hidden][..], state].concat();
        starwheel_system::Normaliser::normalise(&canonical, &mut whole);
        whole.split_off(hidden)
    };
    let classes: HashSet<Vec<u8>> = all.iter().map(class).collect();
    let renaming = Renaming::new(&symmetry, Strategy::Auto)?;
    let mut sizes = None;
    for request in requests() {
        let (plain, _) = members(model, &request, 0);
        let (report, found) = members_renamed(model, &request, &renaming, 400_000);
        let Some(found) = found else { continue };
        if let Some(state) = found.iter().find(|s| !all.contains(*s)) {
            return Err(format!("{request:?}: a state that cannot be reached: {state:?}"));
        }
        if !agree(&report.outcome, &plain.outcome) {
            return Err(format!("{request:?}: {:?}, and without names {:?}", report.outcome, plain.outcome));
        }
        let kinds = |r: &starwheel_engine::Report| r.findings.iter().map(|f| f.violation.kind).collect::<BTreeSet<_>>();
        if kinds(&report) != kinds(&plain) {
            return Err(format!("{request:?}: {:?}, and without names {:?}", kinds(&report), kinds(&plain)));
        }
        let stood_for: HashSet<Vec<u8>> = found.iter().map(class).collect();
        if stood_for != classes {
            return Err(format!("{request:?}: {} classes, but there are {}", stood_for.len(), classes.len()));
        }
        let states = |r: &starwheel_engine::Report| r.stats.decoupled_states.unwrap_or(0);
        sizes.get_or_insert((states(&report), states(&plain)));
    }
    Ok(sizes)
}

#[test]
fn random_programs_have_the_same_classes_and_errors() {
    let (mut compared, mut sums) = (0, (0, 0));
    for seed in seeds(0..150) {
        let text = symmetric(seed).text;
        let Some(model) = model(&text, false, false) else { continue };
        match compare(&model) {
            Ok(Some((with, without))) => {
                compared += 1;
                sums = (sums.0 + with, sums.1 + without);
            }
            Ok(None) => {}
            Err(why) => panic!("seed {seed}: {why}\n{text}"),
        }
    }
    println!("{compared} compared: {} decoupled states with names, {} without", sums.0, sums.1);
    assert!(compared > 20, "only {compared} programs could be compared");
    assert!(sums.0 * 4 < sums.1 * 3, "names save too little: {sums:?}");
}

#[test]
fn peterson_has_the_same_classes_and_fewer_states() {
    let text = include_str!("../../symmetry/tests/models/peterson_atomic.pml");
    for n in [2, 3] {
        let model = model(&text.replace("#define N 2", &format!("#define N {n}")), false, false).unwrap();
        let (with, without) = compare(&model).unwrap().unwrap();
        assert!(with * n < without * 2, "{with} of {without} decoupled states for {n} processes");
    }
}
