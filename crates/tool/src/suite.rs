//! The command `test`: many models, each held to what its head says.

use crate::interrupt::{catch_interrupt, interrupted, token};
use crate::reports::{self, Case, Result as Outcome, Rule};
use crate::{check, screen, watch};
use starwheel_workbench::expect::{Head, Question, What};
use starwheel_workbench::options::{self, Commands};
use starwheel_workbench::report::{Finding, PropertyKind};
use starwheel_workbench::{
    Code, Failure, Plan, Problem, Reading, Report, Typed, Verdict, open_to_check, quantity, show,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Endings of files that are models.
const MODELS: [&str; 4] = ["pml", "prom", "promela", "spin"];

/// Tests models; with `--watch` again whenever one of them changes.
pub fn run(paths: &[PathBuf], typed: &Typed) -> Result<u8, Failure> {
    let plan = typed.plan(Commands::TEST)?;
    let wanted = reports::wanted(&plan.reports)?;
    catch_interrupt();
    if !plan.watch {
        return once(paths, typed, &plan, &wanted);
    }
    watch::repeat(|| {
        let status = once(paths, typed, &plan, &wanted);
        status.map(|status| (models(paths).unwrap_or_default(), status))
    })
}

fn once(paths: &[PathBuf], typed: &Typed, plan: &Plan, wanted: &[reports::Wanted]) -> Result<u8, Failure> {
    let started = Instant::now();
    let models = models(paths)?;
    let (mut cases, mut silent) = (Vec::new(), 0);
    for model in &models {
        let asked = paths.contains(model);
        match text(model) {
            Ok(text) if !asked && !Head::is_there(&text) => silent += 1,
            Ok(text) => cases.extend(examine(model, &text, typed, plan)),
            Err(why) => cases.push(Case::failed(model, "head", why)),
        }
        if interrupted() {
            break;
        }
    }
    for wanted in wanted {
        wanted.write(&cases, plan.force)?;
    }
    let wrong = cases.iter().filter(|c| c.outcome != Outcome::Passed).count();
    let seconds = quantity::show_seconds(started.elapsed().as_secs_f64());
    let word = match wrong {
        0 => show::paint(true, "1;32", "PASSED"),
        _ => show::paint(true, show::WRONG, "FAILED"),
    };
    let count = quantity::plural(cases.len() as u64, "expectation", "expectations");
    let models = quantity::plural((models.len() - silent) as u64, "model", "models");
    let met = match wrong {
        0 => format!("{count} of {models} met"),
        _ => format!("{wrong} of {count} of {models} not met"),
    };
    if !cases.is_empty() {
        screen::out(&format!("{word}: {met}; {seconds}\n"));
    }
    if silent > 0 {
        screen::out(&format!(
            "{} in folders without a head were left out\n",
            quantity::plural(silent as u64, "model", "models")
        ));
    }
    if cases.is_empty() {
        let problem = Problem::error(Code::NoExpectation, "no model says what is expected of it");
        return Err(problem.advise("put lines such as `// expect: holds` behind a first line of comment").into());
    }
    Ok(match interrupted() {
        true => Verdict::Stopped.exit_status(),
        false => u8::from(wrong > 0),
    })
}

fn text(model: &Path) -> Result<String, String> {
    std::fs::read(model).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|e| e.to_string())
}

/// The models among files and in folders, in the order of their names.
pub fn models(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut out = Vec::new();
    for path in paths {
        if !path.exists() {
            let message = format!("`{}` does not exist", path.display());
            return Err(Problem::error(Code::UnreadableFile, message)
                .advise("give models, or folders with models")
                .into());
        }
        collect(path, true, &mut out);
    }
    Ok(out)
}

fn collect(path: &Path, named: bool, out: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        let model = path.extension().is_some_and(|e| MODELS.iter().any(|m| e == *m));
        if (named || model) && !out.contains(&path.to_path_buf()) {
            out.push(path.to_path_buf());
        }
        return;
    }
    let inside = std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path());
    let mut inside: Vec<PathBuf> = inside.filter(|p| !(p.is_dir() && p.is_symlink())).collect();
    inside.sort();
    inside.iter().for_each(|p| collect(p, false, out));
}

/// All expectations of one model.
fn examine(model: &Path, text: &str, typed: &Typed, plan: &Plan) -> Vec<Case> {
    let head = match Head::parse(text) {
        Ok(head) => head,
        Err(why) => return vec![told(Case::failed(model, "head", why))],
    };
    let mut cases = vec![told(verdict(model, &head, typed))];
    if head.expect != "refused" {
        cases.extend(figures(model, &head, typed).map(told));
        cases.extend(head.questions.iter().map(|q| told(question(model, q, typed))));
    }
    if plan.verbose {
        cases
            .iter()
            .for_each(|c| screen::note(&format!("{}  {}  {}", c.model, c.name, quantity::show_seconds(c.seconds))));
    }
    cases
}

/// Tells at once what is not as expected.
fn told(case: Case) -> Case {
    if let Outcome::Failed(why) = &case.outcome {
        screen::out(&format!("{}  {}  {}: {why}\n", show::paint(true, show::WRONG, "not met"), case.model, case.name));
    }
    case
}

/// A case, timed.
fn case(model: &Path, name: &str, run: impl FnOnce() -> (Outcome, Option<Finding>)) -> Case {
    let started = Instant::now();
    let (outcome, finding) = run();
    let seconds = started.elapsed().as_secs_f64();
    let (model, name) = (model.display().to_string(), name.to_string());
    Case { model, name, outcome, seconds, finding, rule: Rule::Expectation }
}

/// The verdict on assertions, deadlocks and run-time errors, and what is found.
fn verdict(model: &Path, head: &Head, typed: &Typed) -> Case {
    case(model, "expect", || {
        let report = match ask(model, typed, &[("all-errors", None), ("no-ltl", None)]) {
            Ok(report) if head.expect == "refused" => {
                return (Outcome::Failed(format!("is not refused, but {}", report.head.outcome.name())), None);
            }
            Ok(report) => report,
            Err(failure) => return (refused(head, &failure), None),
        };
        let safety = || report.properties.iter().filter(|p| p.kind == PropertyKind::Safety);
        let worst = safety().map(|p| p.outcome).max().unwrap_or(Verdict::Stopped);
        let findings: Vec<&Finding> = safety().flat_map(|p| &p.findings).collect();
        let kinds: BTreeSet<String> = findings.iter().map(|f| f.kind.to_string()).collect();
        let codes: BTreeSet<String> = report.warnings.iter().map(|w| w.code.to_string()).collect();
        let first = findings.first().map(|f| (*f).clone());
        let outcome = if worst.name() != head.expect {
            Outcome::Failed(format!("{}, not {}{}", worst.name(), head.expect, why(&report)))
        } else if kinds != head.findings {
            Outcome::Failed(format!("finds {}, not {}", list(&kinds), list(&head.findings)))
        } else if let Some(missing) = head.codes.iter().find(|c| !codes.contains(*c)) {
            Outcome::Failed(format!("does not warn of `{missing}`"))
        } else {
            Outcome::Passed
        };
        (outcome, first)
    })
}

fn refused(head: &Head, failure: &Failure) -> Outcome {
    let codes: BTreeSet<String> = failure.problems.iter().map(|p| p.code.to_string()).collect();
    if head.expect != "refused" {
        let first = failure.problems.iter().find(|p| p.is_error()).map_or("", |p| p.message.as_str());
        return Outcome::Failed(format!("is refused: {first}"));
    }
    match head.codes.iter().find(|c| !codes.contains(*c)) {
        Some(missing) => Outcome::Failed(format!("is refused for {}, not for `{missing}`", list(&codes))),
        None => Outcome::Passed,
    }
}

/// The size of the whole space and the number of errors in it.
fn figures(model: &Path, head: &Head, typed: &Typed) -> impl Iterator<Item = Case> {
    let whole = [("plain", None), ("all-errors", None), ("no-assert", None), ("no-deadlock", None), ("no-ltl", None)];
    let sizes = (head.states.is_some() || head.transitions.is_some()).then(|| {
        case(model, "states", || {
            let compare = |report: &Report| {
                let counted = [("states", report.stats.states_stored), ("transitions", report.stats.transitions)];
                let wanted = [head.states, head.transitions];
                let wrong = counted.iter().zip(wanted).find(|(c, w)| w.is_some_and(|w| w != c.1));
                wrong.map(|((name, n), w)| format!("{n} {name}, not {}", w.unwrap_or(0)))
            };
            (answer(ask(model, typed, &whole), compare), None)
        })
    });
    let errors = head.errors.map(|wanted| {
        case(model, "errors", || {
            let compare = |report: &Report| {
                (report.head.errors != wanted).then(|| format!("{} errors, not {wanted}", report.head.errors))
            };
            (answer(ask(model, typed, &[whole[0], whole[1], whole[4]]), compare), None)
        })
    });
    sizes.into_iter().chain(errors)
}

/// The verdict on a formula, a claim or labels.
fn question(model: &Path, q: &Question, typed: &Typed) -> Case {
    case(model, &q.name(), || {
        let mut options = match &q.what {
            What::Formula(name) => vec![("ltl", Some(name.as_str()))],
            What::Never => vec![("claim", Some("0"))],
            What::Accept => vec![("accept", None)],
            What::Progress => vec![("progress", None)],
        };
        if q.fair {
            options.push(("fair", Some("weak")));
        }
        let asked = ask(model, typed, &options);
        let own = |report: &Report| {
            let named = report.properties.iter().find(|p| match &q.what {
                What::Formula(name) => p.kind == PropertyKind::Formula && p.name == *name,
                What::Never => p.kind == PropertyKind::Claim,
                What::Accept => matches!(p.kind, PropertyKind::Acceptance | PropertyKind::Claim),
                What::Progress => p.kind == PropertyKind::Progress,
            });
            named.map(|p| (p.outcome, p.findings.first().cloned()))
        };
        let finding = asked.as_ref().ok().and_then(own).and_then(|o| o.1);
        let compare = |report: &Report| match own(report) {
            Some((outcome, _)) if outcome.name() == q.verdict => None,
            Some((outcome, _)) => Some(format!("{}, not {}{}", outcome.name(), q.verdict, why(report))),
            None => Some("was not checked".to_string()),
        };
        (answer(asked, compare), finding)
    })
}

fn answer(asked: Result<Report, Failure>, compare: impl Fn(&Report) -> Option<String>) -> Outcome {
    match asked {
        Ok(report) => compare(&report).map_or(Outcome::Passed, Outcome::Failed),
        Err(failure) => {
            let first = failure.problems.iter().find(|p| p.is_error()).map_or("", |p| p.message.as_str());
            Outcome::Failed(format!("cannot be checked: {first}"))
        }
    }
}

/// Checks a model with further options; those that this program does not have are left out. No trail is written.
fn ask(model: &Path, typed: &Typed, more: &[(&str, Option<&str>)]) -> Result<Report, Failure> {
    let mut typed = typed.clone();
    ["report", "watch", "verbose"].iter().for_each(|own| typed.forget(own));
    for (name, value) in more.iter().filter(|(name, _)| options::find(Commands::CHECK, name).is_some()) {
        typed.push(name, value.map(String::from));
    }
    let plan = typed.plan(Commands::CHECK)?;
    let reading = Reading { until: token(&plan), ..plan.reading.clone() };
    let plan = Plan { reading, no_trail: true, ..plan };
    let opened = open_to_check(model, &plan)?;
    starwheel_workbench::check(&opened, &plan, &check::Quiet).map(|checked| checked.report)
}

fn why(report: &Report) -> String {
    report.stopped_because.as_ref().map_or_else(String::new, |why| format!(" ({why})"))
}

fn list(words: &BTreeSet<String>) -> String {
    if words.is_empty() { "nothing".to_string() } else { words.iter().cloned().collect::<Vec<_>>().join(", ") }
}
