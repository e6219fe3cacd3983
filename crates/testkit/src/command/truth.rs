//! `testkit truth`: the recorded figures of SPIN, row by row, against the binary.

use super::{failed, in_parallel, live, starwheel};
use crate::args::Args;
use crate::exec::Scratch;
use crate::ours::{Answer, Starwheel, Verdict};
use crate::spin;
use crate::table::{self, Row};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const NAMES: &[&str] =
    &["tsv", "corpus", "examples", "starwheel", "optset", "max-states", "only", "jobs", "timeout", "explained"];

/// What a row of the table expects of us.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    /// The same number of stored states, and of transitions if the flag is set.
    Counts(bool),
    /// The same number of errors, the kind of SPIN's first among them.
    Errors,
    /// The same verdict and, if violated, the kind of SPIN's error.
    Verdict,
    /// A trail that is not longer.
    Shortest,
    /// The same verdict on the property that the row is about.
    Property,
    /// The model is refused.
    Refusal,
}

/// The option sets that the command knows, our options for them and what they expect. SPIN's shortest trails are those of
/// its merged automata, so ours must be made with the same.
const SETS: &[(&str, &[&str], Expect)] = &[
    ("FULL_PURE", &["--all-errors", "--no-assert", "--no-deadlock"], Expect::Counts(true)),
    ("FULL_NOMERGE", &["--all-errors", "--no-assert", "--no-deadlock", "--dead-vars"], Expect::Counts(false)),
    ("FULL_MERGE", &["--all-errors", "--no-assert", "--no-deadlock", "--dead-vars", "--merge"], Expect::Counts(false)),
    ("FULL_NOMERGE_ALLERR", &["--all-errors", "--dead-vars"], Expect::Errors),
    ("SAFETY", &[], Expect::Verdict),
    ("DFS_SHORTEST", &["--search", "bfs", "--dead-vars", "--merge"], Expect::Shortest),
    ("BFS_FULL", &["--search", "bfs", "--dead-vars", "--merge"], Expect::Shortest),
    ("BFS_FULL_TRAIL", &["--search", "bfs", "--dead-vars", "--merge"], Expect::Shortest),
    ("SAFETY_CLAIM", live::AUTOMATA, Expect::Property),
    ("LIVE", live::AUTOMATA, Expect::Property),
    ("LIVE_FULL", live::AUTOMATA, Expect::Property),
    ("LIVE_FAIR", live::FAIR_AUTOMATA, Expect::Property),
    ("LIVE_FAIR_FULL", live::FAIR_AUTOMATA, Expect::Property),
    ("NP", live::AUTOMATA, Expect::Property),
    ("NP_FAIR", live::FAIR_AUTOMATA, Expect::Property),
    ("NP_FAIR_FULL", live::FAIR_AUTOMATA, Expect::Property),
    ("PARSE", &[], Expect::Refusal),
];

/// How a row went.
enum Judged {
    Equal,
    Different(String),
    NoAnswer,
    NotBuilt(String),
}

struct Job {
    row: Row,
    model: PathBuf,
    options: Vec<String>,
    expect: Expect,
}

impl Job {
    /// The row in words.
    fn name(&self) -> String {
        format!("{} {}", self.row.model, self.what())
    }

    /// The option set, and the claim if it has a name.
    fn what(&self) -> String {
        format!("{} {}", self.row.optset, self.row.claim).trim_end().to_string()
    }

    /// The options of the command, with some more.
    fn options<'a>(&'a self, more: &'a [impl AsRef<str>]) -> Vec<&'a str> {
        let own = self.options.iter().map(String::as_str);
        ["--plain"].into_iter().chain(more.iter().map(AsRef::as_ref)).chain(own).collect()
    }
}

/// Runs all rows; false if a difference is not explained.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, NAMES, &[])?;
    let (ours, _copy) = starwheel(&args, 60)?.ok_or("`--starwheel` is needed")?;
    let jobs = collect(&args)?;
    let explained = explanations(&args)?;
    let results = in_parallel(jobs.len(), args.number("jobs", 1)?, |index| Some(check(&ours, &jobs[index])));
    let mut summary: BTreeMap<String, [u64; 5]> = BTreeMap::new();
    for (job, result) in jobs.iter().zip(results) {
        let column = match result? {
            Judged::Equal => 0,
            Judged::Different(what) => {
                let reason = explained.get(&(job.row.model.clone(), job.what()));
                let note = reason.map(|r| format!("   (explained: {r})")).unwrap_or_default();
                println!("{}: {what}{note}", job.name());
                if reason.is_some() { 2 } else { 1 }
            }
            Judged::NoAnswer => {
                println!("{}: no answer in time", job.name());
                3
            }
            Judged::NotBuilt(what) => {
                println!("{}: {what}", job.name());
                4
            }
        };
        summary.entry(job.row.optset.clone()).or_default()[column] += 1;
    }
    Ok(print_summary(&summary))
}

fn print_summary(summary: &BTreeMap<String, [u64; 5]>) -> bool {
    let head = ["equal", "different", "explained", "no answer", "not built"];
    println!("{:<22}{}", "option set", head.map(|h| format!(" {h:>9}")).concat());
    for (set, counts) in summary {
        println!("{set:<22}{}", counts.map(|n| format!(" {n:>9}")).concat());
    }
    summary.values().all(|counts| counts[1] == 0)
}

/// The rows to run, in the order of the table.
fn collect(args: &Args) -> Result<Vec<Job>, String> {
    let (corpus, examples) = (args.needed_path("corpus")?, args.needed_path("examples")?);
    let text = fs::read_to_string(args.needed_path("tsv")?).map_err(failed)?;
    let sets: Option<Vec<&str>> = args.text("optset").map(|t| t.split(',').collect());
    let (max, only) = (args.number("max-states", 1_000_000u64)?, args.text("only").unwrap_or(""));
    let wanted = |row: &Row| {
        row.model.contains(only) && row.stored <= max && sets.as_ref().is_none_or(|s| s.contains(&row.optset.as_str()))
    };
    let mut jobs = Vec::new();
    for row in table::read(&text)?.into_iter().filter(wanted) {
        let Some((_, options, expect)) = SETS.iter().find(|(name, _, _)| *name == row.optset) else { continue };
        if !usable(&row, *expect) {
            continue;
        }
        let model =
            if row.corpus == "examples" { examples.join(&row.model) } else { corpus.join(local_path(&row.model)) };
        if !model.is_file() {
            return Err(format!("the model `{}` of the table does not exist", model.display()));
        }
        let mut options: Vec<String> = options.iter().map(|o| o.to_string()).collect();
        if *expect == Expect::Property {
            options.extend(live::wish(&row));
        }
        jobs.push(Job { model, options, expect: *expect, row });
    }
    Ok(jobs)
}

/// The table names some models by a longer path than the corpus has.
fn local_path(model: &str) -> String {
    model.replace("beem/all/", "beem/")
}

/// Is the row a truth, and not only a lower bound or the result of a limit of SPIN?
fn usable(row: &Row, expect: Expect) -> bool {
    let finished = row.completed == "yes";
    let cut = row.note.contains("max search depth too small");
    match expect {
        Expect::Counts(_) | Expect::Errors => finished && !cut,
        Expect::Verdict if row.err_kind.contains("partial order reduction invalid") => false,
        Expect::Verdict => (finished && !cut) || row.completed == "stopped at error",
        Expect::Shortest if row.completed == "timeout" => false,
        Expect::Shortest => row.errors > 0 && table::trail_steps(row).is_some(),
        Expect::Property => live::usable(row),
        Expect::Refusal => row.completed == "spin error",
    }
}

fn explanations(args: &Args) -> Result<BTreeMap<(String, String), String>, String> {
    let built_in = include_str!("../../explained.tsv").to_string();
    let text = match args.path("explained")? {
        Some(path) => fs::read_to_string(path).map_err(failed)?,
        None => built_in,
    };
    super::three_columns(&text)
}

fn check(ours: &Starwheel, job: &Job) -> Result<Judged, String> {
    let scratch = Scratch::new().map_err(failed)?;
    let time = live::time(ours.limit);
    let options = job.options(if job.expect == Expect::Property { &time[..] } else { &[] });
    let answer = ours.check(&job.model, &options, scratch.path()).map_err(failed)?;
    Ok(match (answer, job.expect) {
        (Answer::Refused(_), Expect::Refusal) => Judged::Equal,
        (Answer::Verdict(_), Expect::Refusal) => Judged::Different("SPIN refuses it, Starwheel accepts it".into()),
        (Answer::Refused(message), _) => Judged::Different(format!("refused: {message}")),
        (Answer::Broken(message), _) => Judged::Different(format!("broken: {message}")),
        (Answer::TimedOut, _) => Judged::NoAnswer,
        (Answer::NotBuilt(message), _) => Judged::NotBuilt(message),
        (Answer::Verdict(verdict), Expect::Verdict) if other_kind(&job.row, &verdict) => {
            return all_kinds(ours, job, &scratch);
        }
        (Answer::Verdict(verdict), Expect::Property) if live::unfinished(&verdict) => Judged::NoAnswer,
        (Answer::Verdict(verdict), expect) => judge(&job.row, &verdict, expect),
    })
}

/// Both are violated, but SPIN's first error is of another kind than ours.
fn other_kind(row: &Row, verdict: &Verdict) -> bool {
    verdict.outcome == "violated" && missing_kind(row, verdict).is_some()
}

/// Which error comes first depends on the order of the search, so the kind is looked for among all errors.
fn all_kinds(ours: &Starwheel, job: &Job, scratch: &Scratch) -> Result<Judged, String> {
    let options = job.options(&["--all-errors"]);
    Ok(match ours.check(&job.model, &options, scratch.path()).map_err(failed)? {
        Answer::Verdict(verdict) => missing_kind(&job.row, &verdict).map_or(Judged::Equal, Judged::Different),
        Answer::TimedOut => Judged::NoAnswer,
        Answer::NotBuilt(message) => Judged::NotBuilt(message),
        Answer::Refused(message) | Answer::Broken(message) => Judged::Different(message),
    })
}

fn judge(row: &Row, verdict: &Verdict, expect: Expect) -> Judged {
    let mut wrong = Vec::new();
    let mut figure = |name: &str, spin: u64, ours: u64| {
        if spin != ours {
            wrong.push(format!("{name} SPIN {spin}, Starwheel {ours}"));
        }
    };
    match expect {
        Expect::Counts(transitions) => {
            figure("stored", row.stored, verdict.stored);
            if transitions {
                figure("transitions", row.transitions, verdict.transitions);
            }
        }
        Expect::Errors => {
            figure("errors", row.errors, verdict.errors);
            wrong.extend(missing_kind(row, verdict));
        }
        Expect::Verdict => {
            let expected = if row.errors > 0 { "violated" } else { "holds" };
            if verdict.outcome != expected {
                wrong.push(format!("SPIN {expected} ({}), Starwheel {}", row.err_kind, verdict.outcome));
            }
        }
        Expect::Shortest => wrong.extend(too_long(row, verdict)),
        Expect::Property => wrong.extend(live::difference(row, verdict)),
        Expect::Refusal => {}
    }
    if wrong.is_empty() { Judged::Equal } else { Judged::Different(wrong.join("; ")) }
}

fn missing_kind(row: &Row, verdict: &Verdict) -> Option<String> {
    let kind = spin::kind_of(&row.err_kind);
    let absent = row.errors > 0 && !verdict.kinds.contains(kind);
    absent.then(|| format!("SPIN found {kind} ({}), Starwheel {:?}", row.err_kind, verdict.kinds))
}

fn too_long(row: &Row, verdict: &Verdict) -> Option<String> {
    let theirs = table::trail_steps(row)?;
    match verdict.trail {
        None => Some(format!("SPIN has a trail of {theirs} steps, Starwheel none ({})", verdict.outcome)),
        Some(ours) if ours > theirs => Some(format!("trail SPIN {theirs}, Starwheel {ours}")),
        Some(_) => None,
    }
}
