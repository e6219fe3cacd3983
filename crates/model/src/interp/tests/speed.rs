//! How fast the interpreter is; run by hand: `cargo test --release -p starwheel-model -- --ignored --nocapture speed`.

use crate::build::*;
use crate::expr::BinaryOp;
use crate::interp::Interp;
use crate::ir::Model;
use crate::place::Ty;
use crate::stmt::Stmt;
use crate::system::Stepper;
use std::time::Instant;

/// Peterson's protocol for two processes, in a loop.
fn peterson() -> Model {
    let mut b = Build::default();
    let flag = b.array("flag", Ty::Byte, 2);
    let turn = b.global("turn", Ty::Byte);
    let inside = b.global("inside", Ty::Byte);
    for i in 0..2 {
        let p = b.active("P");
        let (own, other) = (element(&flag, c(i), 2), element(&flag, c(1 - i), 2));
        let free = bin(BinaryOp::Or, eq(ld(&other), c(0)), eq(ld(&turn), c(i)));
        b.step(p, 1, set(&own, c(1)), 2);
        b.step(p, 2, set(&turn, c(1 - i)), 3);
        b.step(p, 3, when(free), 4);
        b.step(p, 4, inc(&inside), 5);
        b.step(p, 5, Stmt::Assert(eq(ld(&inside), c(1))), 6);
        b.step(p, 6, set(&inside, bin(BinaryOp::Sub, ld(&inside), c(1))), 7);
        b.step(p, 7, set(&own, c(0)), 1);
    }
    b.done()
}

/// A ring of processes that pass messages on, one of them without slots.
fn ring() -> Model {
    let mut b = Build::default();
    let n = 5;
    let chans: Vec<_> =
        (0..n).map(|i| b.chan(&format!("c{i}"), if i == 0 { 0 } else { 2 }, &[Ty::Byte, Ty::Short])).collect();
    for i in 0..n {
        let p = b.active("P");
        let (x, y) = (b.local(p, "x", Ty::Byte), b.local(p, "y", Ty::Short));
        b.step(p, 1, recv(&chans[i], vec![bind(&x), bind(&y)]), 2);
        b.step(p, 1, send(&chans[(i + 1) % n], vec![c(1), c(2)]), 1);
        b.atomic(p, 2, set(&x, bin(BinaryOp::Rem, bin(BinaryOp::Add, ld(&x), c(1)), c(4))), 3);
        b.step(p, 3, send(&chans[(i + 1) % n], vec![ld(&x), ld(&y)]), 1);
    }
    b.done()
}

fn measure(name: &str, model: &Model) {
    let mut interp = Interp::new(model);
    let (mut state, mut next, mut chosen, mut steps) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    interp.initial(&mut state);
    let (mut fired, mut states, mut random) = (0u64, 0u64, 1u64);
    let start = Instant::now();
    while fired < 5_000_000 {
        interp.enabled(&state, &mut steps);
        states += 1;
        if steps.is_empty() {
            interp.initial(&mut state);
            continue;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choice = (random >> 33) as usize % steps.len();
        for (i, &step) in steps.iter().enumerate() {
            interp.fire(&state, step, &mut next);
            fired += 1;
            if i == choice {
                std::mem::swap(&mut chosen, &mut next);
            }
        }
        std::mem::swap(&mut state, &mut chosen);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{name}: {:.0} steps/s, {:.0} states/s", fired as f64 / seconds, states as f64 / seconds);
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    measure("peterson", &peterson());
    measure("ring", &ring());
}
