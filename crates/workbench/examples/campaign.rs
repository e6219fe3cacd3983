//! Random programs by the thousand: what `testkit reductions`, `testkit symmetric` and `testkit timed` compare, in one process.
//!
//!     cargo run --release -p starwheel-workbench --example campaign -- reductions|symmetric|timed [--count N] [--seed S] …
//!
//! The test kit talks to the built program, which has to be started anew for each question; that takes longer than most of the
//! searches. Here the same questions go to the libraries that the program is made of, with the same words and the same report.
//! The options are those of the test kit without `--starwheel`. The exit status is 1 if anything differs.

use starwheel_testkit::command::{reductions, symmetric, timed};
use starwheel_testkit::ours::{Answer, names_claims, read_answer};
use starwheel_testkit::reductions::Checker;
use starwheel_workbench::options::{self, Commands, Kind};
use starwheel_workbench::{Failure, Plan, Report, Silent, Typed, check, open_to_check};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

/// The libraries of the program.
struct Libraries;

impl Checker for Libraries {
    fn check(&self, model: &Path, options: &[&str], _: &Path) -> io::Result<Answer> {
        let report = match catch_unwind(AssertUnwindSafe(|| report(model, options))) {
            Ok(report) => report,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let said = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                return Ok(Answer::Broken(format!("a panic: {said}")));
            }
        };
        Ok(match report {
            Ok(report) => {
                let status = i32::from(report.head.outcome.exit_status());
                read_answer(Some(status), &serde_json::to_string(&report)?, "")
            }
            Err(failure) => read_answer(Some(2), &serde_json::to_string(&failure.json())?, ""),
        })
    }
}

/// Checks a model as the command line does; no trail is written.
fn report(model: &Path, options: &[&str]) -> Result<Report, Failure> {
    let mut typed = typed(options);
    if !names_claims(options) {
        typed.push("no-ltl", None);
    }
    let plan = Plan { no_trail: true, json: true, ..typed.plan(Commands::CHECK)? };
    let opened = open_to_check(model, &plan)?;
    check(&opened, &plan, &Silent).map(|checked| checked.report)
}

/// Reads options as the command line does.
fn typed(options: &[&str]) -> Typed {
    let mut typed = Typed::default();
    let mut words = options.iter().peekable();
    while let Some(word) = words.next() {
        let name = word.trim_start_matches("--");
        let value = match options::find(Commands::CHECK, name).map(|row| row.kind) {
            None | Some(Kind::Flag) => None,
            Some(Kind::OptionalWord(known)) => words.next_if(|w| known.contains(*w)),
            Some(Kind::OptionalText(_)) => words.next_if(|w| !w.starts_with("--")),
            Some(_) => words.next(),
        };
        typed.push(name, value.map(ToString::to_string));
    }
    typed
}

fn main() -> ExitCode {
    // What went wrong inside is told with the program that shows it.
    std::panic::set_hook(Box::new(|_| ()));
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("reductions", rest)) => reductions::run_with(rest, &Libraries),
        Some(("symmetric", rest)) => symmetric::run_with(rest, &Libraries),
        Some(("timed", rest)) => timed::run_with(rest, &Libraries),
        _ => Err("say what is compared: reductions, symmetric or timed".to_string()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("campaign: {message}");
            ExitCode::from(2)
        }
    }
}
