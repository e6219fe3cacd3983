//! Everything around the interpreter keeps the laws of the waist and loses nothing of what it is around.

#[path = "common/read.rs"]
mod read;

use read::model;
use starwheel_jit::{JitClaimSystem, JitSystem, LazySystem};
use starwheel_model::{ClaimSystem, Model, ModelSystem, ProctypeId, ProctypeKind, System};
use starwheel_system::laws::{Purpose, hold, lose_nothing};

/// Has an atomic sequence, a handshake, a timeout, an assertion that fails, an error and ends good and bad.
const MODEL: &str = "
chan c = [0] of { byte };
byte x;
active proctype A() {
    atomic { x = 1; x = x + 1 };
    accept: c!x;
    do :: x < 4 -> x++ :: x == 4 -> break :: timeout -> x = 3 / (x - 5) od;
    assert(x != 4)
}
active [2] proctype B() { byte y; c?y; if :: y == 2 -> x = 5 :: skip fi }
";
const CLAIM: &str = "never { do :: true :: x == 5 -> break od; accept: do :: x == 5 :: timeout od }";

const MOST: usize = 400;

fn check(name: &str, inner: &dyn System, around: &[(&str, &dyn System)]) {
    assert!(hold(inner, MOST).unwrap_or_else(|why| panic!("{name}: {why}")) > 20, "{name} has few states");
    for (layer, outer) in around {
        hold(*outer, MOST).unwrap_or_else(|why| panic!("{name}, {layer}: {why}"));
        let purpose = Purpose { speed: true, ..Purpose::default() };
        lose_nothing(inner, *outer, purpose, MOST).unwrap_or_else(|why| panic!("{name}, {layer}: {why}"));
    }
}

/// Has machine code from the beginning.
fn made(system: LazySystem<'_>) -> LazySystem<'_> {
    let (mut stepper, mut state, mut steps) = (system.stepper(), Vec::new(), Vec::new());
    _ = stepper.initial(&mut state);
    for _ in 0..20_000 {
        stepper.enabled(&state, &mut steps);
    }
    drop(stepper);
    assert!(system.compiled());
    system
}

fn compiled(text: &str) -> Model {
    model("laws", text.to_string(), false, false, &[]).expect("a model without errors")
}

#[test]
fn machine_code_loses_nothing() {
    let model = compiled(MODEL);
    let jit = JitSystem::compile(&model).expect("machine code");
    let (young, old) = (LazySystem::new(&model), made(LazySystem::new(&model)));
    check("model", &ModelSystem(&model), &[("machine code", &jit), ("lazy", &young), ("lazy, compiled", &old)]);
}

#[test]
fn machine_code_loses_nothing_of_a_claim() {
    let model = compiled(&format!("{MODEL}{CLAIM}"));
    let claim = model.proctypes.iter().position(|p| p.kind == ProctypeKind::Never).expect("a claim");
    let system = ClaimSystem::new(&model, ProctypeId(claim as u8));
    let jit = JitClaimSystem::compile(system).expect("machine code");
    let (young, old) = (LazySystem::with_claim(system), made(LazySystem::with_claim(system)));
    check("claim", &system, &[("machine code", &jit), ("lazy", &young), ("lazy, compiled", &old)]);
}
