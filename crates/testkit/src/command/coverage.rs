//! `testkit coverage`: how often each construct occurs in the random programs of a run of seeds.

use crate::args::Args;
use crate::coverage::Coverage;
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

/// `testkit show --seed S`: the program of a seed.
pub fn show(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, &["seed"], &[])?;
    let seed = args.number("seed", 0u64)?;
    println!("/* seed {seed}: {} */", generate::features_of(seed).names().join(" "));
    print!("{}", print::program(&generate::program(seed)));
    Ok(true)
}
