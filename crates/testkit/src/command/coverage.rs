//! `testkit coverage`: how often each construct occurs in the random programs of a run of seeds.

use crate::args::Args;
use crate::coverage::Coverage;
use crate::generate::claims;
use crate::{generate, print};

/// Prints the table.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, &["count", "seed"], &[])?;
    let (count, seed) = (args.number("count", 2000u64)?, args.number("seed", 0u64)?);
    let mut coverage = Coverage::default();
    (seed..seed + count).for_each(|s| coverage.add(&generate::program(s)));
    print!("{}", coverage.table());
    Ok(true)
}

/// `testkit show --seed S`: the program of a seed; with a flag, that of another command than `random`.
pub fn show(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, &["seed"], &["ltl", "reductions", "symmetric"])?;
    let seed = args.number("seed", 0u64)?;
    if args.flag("symmetric") {
        print!("/* seed {seed} */\n{}", crate::symmetric::with_formula(seed));
        return Ok(true);
    }
    let plain = generate::features_of(seed);
    let (features, program) = match (args.flag("ltl"), args.flag("reductions")) {
        (true, _) => (claims::features_of(seed), claims::program(seed, claims::features_of(seed))),
        (_, true) => (plain, claims::questioned(seed, |features| features)),
        _ => (plain, generate::program_with(seed, plain)),
    };
    println!("/* seed {seed}: {} */", features.names().join(" "));
    print!("{}", print::program(&program));
    Ok(true)
}
