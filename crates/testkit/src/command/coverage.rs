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

/// `testkit show --seed S`: the program of a seed, with `--ltl` that of a run about infinite runs.
pub fn show(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, &["seed"], &["ltl"])?;
    let seed = args.number("seed", 0u64)?;
    let (features, program) = match args.flag("ltl") {
        true => (claims::features_of(seed), claims::program(seed, claims::features_of(seed))),
        false => (generate::features_of(seed), generate::program(seed)),
    };
    println!("/* seed {seed}: {} */", features.names().join(" "));
    print!("{}", print::program(&program));
    Ok(true)
}
