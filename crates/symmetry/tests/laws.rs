//! Renaming is an action of a group, and it does not change what can happen: on all states of small models.

mod common;

use common::{model, states};
use starwheel_model::{ModelSystem, System};
use starwheel_symmetry::{Audited, Plan, infer};

fn plan(read: &common::Read) -> Plan {
    infer(&read.model, None).symmetry.expect("a symmetric model").plan
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn renaming(&mut self, plan: &Plan) -> Vec<u8> {
        let mut to = plan.identity();
        for block in &plan.blocks {
            for i in (1..block.len()).rev() {
                to.swap(usize::from(block[i]), usize::from(block[self.below(i + 1)]));
            }
        }
        to
    }
}

#[test]
fn renamings_are_bijections_and_compose() {
    for (name, defines) in [
        ("peterson_atomic", &[("N", 3)][..]),
        ("dbm", &[("N", 4)]),
        ("initproto_sym", &[("N", 2)]),
        ("base1_sym", &[("N", 2)]),
        ("base2_sym", &[("NS", 2), ("NR", 2), ("M", 1)]),
    ] {
        let read = model(name, defines);
        let (plan, mut dice) = (plan(&read), Dice(7));
        let (mut once, mut twice, mut both, mut back) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for state in states(&ModelSystem(&read.model), 100_000).iter().filter(|s| plan.complete(s)).take(3000) {
            let (p, q) = (dice.renaming(&plan), dice.renaming(&plan));
            let composed: Vec<u8> = q.iter().map(|x| p[usize::from(*x)]).collect();
            plan.apply(&q, state, &mut once);
            plan.apply(&p, &once, &mut twice);
            plan.apply(&composed, state, &mut both);
            assert_eq!(twice, both, "{name}: {p:?} after {q:?}");
            let mut inverse = plan.identity();
            q.iter().enumerate().for_each(|(i, x)| inverse[usize::from(*x)] = i as u8);
            plan.apply(&inverse, &once, &mut back);
            assert_eq!(&back, state, "{name}: {q:?} and back");
        }
    }
}

/// All states of a model, compared with renamed ones.
fn audit(read: &common::Read, plan: &Plan) -> starwheel_symmetry::Record {
    let system = ModelSystem(&read.model);
    let audited = Audited::new(&system, plan);
    states(&audited, 100_000);
    audited.record()
}

#[test]
fn symmetric_models_pass_the_audit() {
    for (name, defines) in [
        ("peterson_atomic", &[("N", 3)][..]),
        ("dbm", &[("N", 4)]),
        ("initproto_sym", &[("N", 2)]),
        ("base1_sym", &[("N", 2)]),
    ] {
        let read = model(name, defines);
        let record = audit(&read, &plan(&read));
        assert!(record.fault.is_none() && record.compared > 100, "{name}: {record:?}");
    }
}

#[test]
fn a_wrong_renaming_is_found_by_the_audit() {
    let read = model("peterson_atomic", &[("N", 3)]);
    let mut wrong = plan(&read);
    // As if `turn` held no names.
    wrong.scalars.truncate(1);
    assert!(audit(&read, &wrong).fault.is_some());
    // As if both could do the same.
    let like = common::read("active [2] proctype P() { end: do :: true -> skip od }", &[]);
    let unlike = common::read("active [2] proctype P() { end: do :: _pid == 0 -> skip od }", &[]);
    let record = audit(&unlike, &plan(&like));
    assert!(record.fault.is_some(), "{record:?}");
}

#[test]
fn renamed_systems_keep_the_laws_of_systems() {
    let read = model("peterson_atomic", &[("N", 2)]);
    let symmetry = infer(&read.model, None).symmetry.unwrap();
    let system = ModelSystem(&read.model);
    for (_, strategy) in starwheel_symmetry::Strategy::ALL {
        let renaming = starwheel_symmetry::Renaming::new(&symmetry, strategy).unwrap();
        let quotient = starwheel_system::Quotient::new(&system, &renaming);
        starwheel_system::laws::hold(&quotient, 1000).unwrap();
        assert!(quotient.behind().is_some());
    }
}

#[test]
fn a_system_whose_renamings_are_audited_loses_nothing() {
    let read = model("peterson_atomic", &[("N", 2)]);
    let (system, plan) = (ModelSystem(&read.model), plan(&read));
    let audited = Audited::new(&system, &plan);
    starwheel_system::laws::hold(&audited, 1000).unwrap();
    starwheel_system::laws::lose_nothing(&system, &audited, Default::default(), 1000).unwrap();
    assert!(audited.record().fault.is_none());
}
