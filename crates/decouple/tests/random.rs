//! Random programs: decoupled search represents exactly the states that plain exploration reaches, and finds its errors.
//!
//! `STARWHEEL_SEEDS=FROM..TO` tries other programs than the usual ones.

mod common;

use common::{Compared, compare, model};
use starwheel_testkit::rng::seeds;
use starwheel_testkit::{generate, print};

#[test]
fn random_programs_have_the_same_states_and_errors() {
    let (mut same, mut refused, mut big) = (0, 0, 0);
    for seed in seeds(0..400) {
        let text = print::program(&generate::program(seed));
        for (dead_vars, merge) in [(false, false), (true, true)] {
            let Some(mut model) = model(&text, dead_vars, merge) else { continue };
            model.empty_ends = seed % 4 == 3;
            match compare(&model, 3000) {
                Ok(Compared::Same(..)) => same += 1,
                Ok(Compared::Refused(_)) => refused += 1,
                Ok(Compared::TooBig) => big += 1,
                Err(why) => panic!("seed {seed}, dead variables {dead_vars}, merged {merge}: {why}\n{text}"),
            }
        }
    }
    println!("{same} the same, {refused} refused, {big} too big");
    assert!(same * 3 > refused, "too few programs can be decoupled: {same} of {}", same + refused + big);
}
