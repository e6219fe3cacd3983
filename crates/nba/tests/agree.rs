//! Random networks: all engines agree with each other and with a naive look at the composed network.

mod common;

use starwheel_engine::Silent;
use starwheel_nba::{Acceptance, Answer, Engine, Network, Question, check, confirm, generate};

fn ask(net: &Network, engine: Engine, acceptance: Acceptance, what: &str) -> bool {
    let report = check(net, &Question { engine, acceptance, ..Question::default() }, &Silent);
    match report.answer {
        Answer::Empty(_) => false,
        Answer::Run(lasso) => {
            assert_eq!(confirm(net, acceptance, &lasso), Ok(()), "{what}");
            true
        }
        other => panic!("{what}, {engine:?} {acceptance:?}: {other:?}"),
    }
}

fn compare(seeds: std::ops::Range<u64>, acceptance: Acceptance) {
    let mut found = 0;
    for seed in seeds.clone() {
        let net = Network::new(common::small(seed));
        let truth = common::accepting_run(&net, acceptance);
        found += u64::from(truth);
        for engine in [Engine::Explicit, Engine::Split, Engine::Scc] {
            assert_eq!(
                ask(&net, engine, acceptance, &format!("seed {seed}")),
                truth,
                "seed {seed}: {engine:?} {acceptance:?}"
            );
        }
    }
    println!("seeds {seeds:?} {acceptance:?}: {found} accepting");
    let all = seeds.end - seeds.start;
    assert!(found > all / 20 && found < all - all / 20, "the networks are too much alike: {found} of {all}");
}

#[test]
fn all_at_once() {
    compare(0..4000, Acceptance::Together);
}

#[test]
fn each_at_its_time() {
    compare(10_000..14_000, Acceptance::Each);
}

/// The paper's kind of random networks, made smaller.
#[test]
fn networks_of_the_paper() {
    let mut found = 0;
    for seed in 0..300u64 {
        let components = 2 + (seed % 3) as u32;
        let shape =
            generate::Shape { components, internal: 20 * (seed % 5) as u32, states: (4, 9), ..Default::default() };
        let net = Network::new(generate::random(shape, seed));
        for acceptance in [Acceptance::Together, Acceptance::Each] {
            let what = format!("seed {seed}");
            let [one, two, three] =
                [Engine::Explicit, Engine::Split, Engine::Scc].map(|e| ask(&net, e, acceptance, &what));
            assert!(one == two && two == three, "{what} {acceptance:?}: {one} {two} {three}");
            found += u32::from(one);
        }
    }
    println!("seeds 0..300: {found} of 600 accepting");
    assert!(found > 30 && found < 570, "{found}");
}
