//! `testkit reduction`: the states that each reduction leaves, beside SPIN's, in the same run.

use super::bench::{machine, own_models, save, show};
use super::{failed, starwheel};
use crate::args::Args;
use crate::bench::Line;
use crate::bench::best;
use crate::bench::entry::Folder;
use crate::bench::ours::Ours;
use crate::bench::por::{Aim, CASES, Case, faults, heading, text};
use crate::bench::theirs::{Theirs, Way};
use crate::exec::Scratch;
use std::path::PathBuf;
use std::time::Duration;

const NAMES: &[&str] = &["starwheel", "corpus", "models", "only", "timeout", "repeat", "memory", "save", "runs"];

struct Measure {
    binary: PathBuf,
    corpus: Option<PathBuf>,
    models: PathBuf,
    limit: Duration,
    repeat: u64,
    megabytes: u64,
}

/// Prints and saves the table; false if something is not as it must be.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, NAMES, &[])?;
    let (ours, _copy) = starwheel(&args, 600)?.ok_or("`--starwheel` is needed")?;
    let measure = Measure {
        binary: ours.binary,
        corpus: args.path("corpus")?,
        models: args.path("models")?.unwrap_or_else(own_models),
        limit: ours.limit,
        repeat: args.number("repeat", 1)?,
        megabytes: args.number("memory", 16_000)?,
    };
    let only = args.text("only").unwrap_or("");
    let mut all = format!("{}\n", machine());
    show(&mut all, &heading());
    let mut good = true;
    for case in CASES.iter().filter(|c| only.split(',').any(|o| c.entry.name.contains(o))) {
        let Some([theirs, ours]) = measure.case(case)? else {
            show(&mut all, &format!("{:<13} left out: it needs `--corpus DIR`\n", case.entry.name));
            continue;
        };
        show(&mut all, &text(case, &theirs, &ours));
        for fault in faults(case, &theirs, &ours) {
            good = false;
            show(&mut all, &format!("WRONG: {fault}\n"));
        }
    }
    save(&args, &all)?;
    Ok(good)
}

impl Measure {
    /// SPIN's lines and ours; none if the folder of the model is not known.
    fn case(&self, case: &Case) -> Result<Option<[Vec<Line>; 2]>, String> {
        let scratch = Scratch::new().map_err(failed)?;
        let folder = match case.entry.folder {
            Folder::Models => Some(&self.models),
            Folder::Corpus | Folder::Examples => self.corpus.as_ref(),
        };
        let Some(folder) = folder else { return Ok(None) };
        let (dir, define) = (scratch.path(), case.entry.define());
        let model = case.entry.prepare(folder, dir).map_err(|e| e.to_string())?;
        let (model, define, automata, limit) = (&*model, define.as_deref(), case.automata, self.limit);
        let theirs = Theirs { model, define, automata, dir, limit, megabytes: self.megabytes, states: 0, vector: 0 };
        // What our reduction costs has nothing to do with SPIN.
        let ways = if case.aim == Aim::Overhead { &[][..] } else { &[Way::Plain, Way::Reduced] };
        let spin = ways.iter().map(|way| theirs.run(*way, self.repeat)).collect();
        let own = |&por: &&str| {
            let deadlocks = case.aim == Aim::Deadlocks;
            let ours = Ours { binary: &self.binary, model, define, automata, por, deadlocks, dir, limit };
            best(self.repeat, || ours.run(por, &["--workers", "1"]))
        };
        Ok(Some([spin, case.aim.methods().iter().map(own).collect()]))
    }
}
