//! `testkit peers DIR`: SPIN and Starwheel on all models of folders, each with what it does by itself.

use super::bench::machine;
use super::{failed, in_parallel, starwheel};
use crate::args::Args;
use crate::exec::Scratch;
use crate::peers::ours::Ours;
use crate::peers::theirs::Theirs;
use crate::peers::{LeftOut, Question, Row, Said, files, table};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const NAMES: &[&str] = &["starwheel", "timeout", "only", "jobs", "memory", "tsv", "json", "explained"];

/// What became of a model.
enum Outcome {
    Compared(Vec<Row>),
    LeftOut(LeftOut),
}

struct Contest {
    theirs: Theirs,
    ours: Ours,
}

/// Prints the table; false if a verdict differs and nobody has explained why.
pub fn run(words: &[String]) -> Result<bool, String> {
    let folders: Vec<&String> = words.iter().take_while(|w| !w.starts_with("--")).collect();
    if folders.is_empty() {
        return Err("a folder with models is needed: `testkit peers DIR --starwheel BIN`".into());
    }
    let args = Args::read(&words[folders.len()..], NAMES, &["fitted"])?;
    let (ours, _copy) = starwheel(&args, 60)?.ok_or("`--starwheel` is needed")?;
    let contest = Contest {
        theirs: Theirs { limit: ours.limit, megabytes: args.number("memory", 4000)?, fitted: args.flag("fitted") },
        ours: Ours { binary: ours.binary, limit: ours.limit },
    };
    let explained = explanations(&args)?;
    let models = collect(&folders, args.text("only").unwrap_or(""))?;
    println!("{}\n{}", machine(), table::heading());
    let outcomes = in_parallel(models.len(), args.number("jobs", 1)?, |index| {
        let (name, path) = &models[index];
        let outcome = contest.model(name, path);
        if let Ok(Outcome::Compared(rows)) = &outcome {
            rows.iter().for_each(|row| println!("{}", table::line(row)));
        }
        Some(outcome)
    });
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        match outcome? {
            Outcome::Compared(more) => rows.extend(more),
            Outcome::LeftOut(model) => left_out.push(model),
        }
    }
    print!("{}", table::summary(&rows, &left_out));
    save(&args, &rows)?;
    Ok(judge(&rows, &explained))
}

/// The models with the names that they have in the table: their paths below the folders that were named.
fn collect(folders: &[&String], only: &str) -> Result<Vec<(String, PathBuf)>, String> {
    let mut all = Vec::new();
    for folder in folders {
        let folder = std::path::absolute(folder).map_err(failed)?;
        let found = files::models(&folder).map_err(|e| format!("`{}`: {e}", folder.display()))?;
        let above = folder.parent().unwrap_or(&folder).to_path_buf();
        for path in found {
            let name = path.strip_prefix(&above).unwrap_or(&path).display().to_string();
            if only.split(',').any(|o| name.contains(o)) {
                all.push((name, path));
            }
        }
    }
    Ok(all)
}

impl Contest {
    /// All questions about one model to both.
    fn model(&self, name: &str, path: &Path) -> Result<Outcome, String> {
        let scratch = Scratch::new().map_err(failed)?;
        let dir = scratch.path();
        let questions = match self.theirs.questions(path, dir).map_err(failed)? {
            Ok(questions) => questions,
            Err(why) => {
                let accepted = self.ours.accepts(path, dir).map_err(failed)?;
                return Ok(Outcome::LeftOut(LeftOut { file: path.into(), why, accepted }));
            }
        };
        let several = questions.len() > 2;
        let mut compiled: Option<(bool, Result<&'static str, String>)> = None;
        let mut rows = Vec::new();
        for question in questions {
            // All properties share a verifier.
            let safety = question == Question::Safety;
            let ready = match compiled.take().filter(|(before, _)| *before == safety) {
                Some((_, ready)) => ready,
                None => self.theirs.compile(&question, dir).map_err(failed)?,
            };
            compiled = Some((safety, ready.clone()));
            let spin = match ready {
                Err(why) => Said::nothing("gcc", why),
                Ok(remark) => {
                    let said = self.theirs.ask(&question, several, dir).map_err(failed)?;
                    Said { note: format!("{} {remark}", said.note).trim().to_string(), ..said }
                }
            };
            let ours = self.ours.ask(path, &question, dir).map_err(failed)?;
            rows.push(Row { model: name.to_string(), question, spin, ours });
        }
        Ok(Outcome::Compared(rows))
    }
}

fn save(args: &Args, rows: &[Row]) -> Result<(), String> {
    if let Some(path) = args.path("tsv")? {
        fs::write(path, table::tsv(rows)).map_err(failed)?;
    }
    if let Some(path) = args.path("json")? {
        fs::write(path, format!("{:#}\n", table::json(rows))).map_err(failed)?;
    }
    Ok(())
}

/// Reasons for differences, by model and check: three columns, and lines that begin with `#` are remarks.
fn explanations(args: &Args) -> Result<BTreeMap<(String, String), String>, String> {
    let Some(path) = args.path("explained")? else { return Ok(BTreeMap::new()) };
    let text = fs::read_to_string(path).map_err(failed)?;
    super::three_columns(&text)
}

/// Is every difference explained? Says which are.
fn judge(rows: &[Row], explained: &BTreeMap<(String, String), String>) -> bool {
    let mut good = true;
    for row in rows.iter().filter(|r| r.differs()) {
        match explained.get(&(row.model.clone(), row.question.name().to_string())) {
            Some(reason) => println!("explained: {} {}: {reason}", row.model, row.question.name()),
            None => good = false,
        }
    }
    good
}
