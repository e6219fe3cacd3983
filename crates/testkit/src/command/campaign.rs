//! What the commands that try many random programs have in common: which seeds, for how long, what is shrunk and kept.

use super::{failed, in_parallel};
use crate::args::Args;
use crate::ast::Program;
use crate::generate::features::{self, Feature, Features};
use crate::shrink::shrink;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// The options that say which programs are tried.
pub(super) const NAMES: [&str; 9] = ["count", "seed", "time", "keep", "jobs", "with", "without", "tries", "shrink"];

/// A run of seeds.
pub(super) struct Campaign {
    seed: u64,
    count: usize,
    jobs: usize,
    time: Option<Duration>,
    keep: Option<PathBuf>,
    with: Vec<Feature>,
    without: Vec<Feature>,
    /// How often a smaller program is tried.
    pub(super) tries: u32,
    /// How many differences may still be shrunk: the same cause often shows in many seeds.
    to_shrink: AtomicI64,
}

impl Campaign {
    pub(super) fn read(args: &Args) -> Result<Self, String> {
        let time = args.number("time", 0u64)?;
        Ok(Self {
            seed: args.number("seed", 0)?,
            count: args.number("count", if time > 0 { usize::MAX / 2 } else { 100 })?,
            jobs: args.number("jobs", 1)?,
            time: (time > 0).then(|| Duration::from_secs(time)),
            keep: args.path("keep")?,
            with: feature_list(args, "with")?,
            without: feature_list(args, "without")?,
            tries: args.number("tries", 400)?,
            to_shrink: AtomicI64::new(args.number("shrink", 10)?),
        })
    }

    /// Calls `work` for the seeds, until the time is over; and the time that it took.
    pub(super) fn each<T: Send>(&self, work: impl Fn(u64) -> T + Sync) -> (Vec<(u64, T)>, Duration) {
        let start = Instant::now();
        let results = in_parallel(self.count, self.jobs, |index| {
            let over = self.time.is_some_and(|limit| start.elapsed() > limit);
            let seed = self.seed + index as u64;
            (!over).then(|| (seed, work(seed)))
        });
        (results, start.elapsed())
    }

    /// The features of a seed as the command line changes them.
    pub(super) fn features(&self, mut chosen: Features) -> Features {
        self.with.iter().for_each(|f| chosen.set(*f, true));
        chosen.settle();
        self.without.iter().for_each(|f| chosen.set(*f, false));
        chosen
    }

    /// The smallest program found of which the same is true, as long as there is patience for shrinking.
    pub(super) fn smallest(&self, program: &Program, still: impl FnMut(&Program) -> bool) -> Program {
        if self.patience() { shrink(program, self.tries, still) } else { program.clone() }
    }

    /// May one more be shrunk?
    pub(super) fn patience(&self) -> bool {
        self.to_shrink.fetch_sub(1, Ordering::Relaxed) > 0
    }

    /// Writes a program before and after shrinking into the folder for that, the small one with a comment in front.
    pub(super) fn keep(&self, seed: u64, head: &str, small: &str, whole: &str) -> Result<(), String> {
        let Some(dir) = &self.keep else { return Ok(()) };
        fs::create_dir_all(dir).map_err(failed)?;
        let head = head.trim_end().replace('\n', "\n   ");
        fs::write(dir.join(format!("{seed}.pml")), format!("/* {head} */\n{small}")).map_err(failed)?;
        fs::write(dir.join(format!("{seed}.full.pml")), whole).map_err(failed)
    }
}

fn feature_list(args: &Args, name: &str) -> Result<Vec<Feature>, String> {
    let names = args.text(name).unwrap_or("");
    let each = |n: &str| features::by_name(n).ok_or_else(|| format!("`--{name}`: no feature is called `{n}`"));
    names.split(',').filter(|n| !n.is_empty()).map(each).collect()
}
