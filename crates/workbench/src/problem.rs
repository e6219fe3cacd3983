//! What is wrong with a command, a file or a model, as plain data and as text for people.

mod code;

pub use code::Code;

use crate::ask::quantity;
use crate::report::{FORMAT, TOOL};
use crate::show::render;
use serde::Serialize;
use starwheel_base::cancel::Cancelled;
use starwheel_base::{Diagnostic, Severity, SourceMap};

/// One error or warning, ready to be shown or written as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// A short stable name.
    pub code: Code,
    /// One sentence.
    pub message: String,
    /// The file, if the problem is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in characters, from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What can be done about it.
    pub advice: Vec<String>,
    /// The text for people, with colours.
    #[serde(skip)]
    pub text: String,
}

/// Why a question could not be answered at all: exit status 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// At least one error; warnings that came before are kept.
    pub problems: Vec<Problem>,
}

impl Problem {
    /// An error that has no place in a source file.
    pub fn error(code: Code, message: impl Into<String>) -> Problem {
        Problem::new("error", code, message.into())
    }

    /// A warning that has no place in a source file.
    pub fn warning(code: Code, message: impl Into<String>) -> Problem {
        Problem::new("warning", code, message.into())
    }

    fn new(severity: &'static str, code: Code, message: String) -> Problem {
        let mut problem = Problem {
            severity,
            code,
            message,
            file: None,
            line: None,
            column: None,
            advice: Vec::new(),
            text: String::new(),
        };
        problem.text = render::plain(&problem);
        problem
    }

    /// Adds advice.
    pub fn advise(mut self, text: impl Into<String>) -> Problem {
        self.advice.push(text.into());
        self.text = render::plain(&self);
        self
    }

    /// Names the file that the problem is about.
    pub fn about(mut self, file: impl Into<String>) -> Problem {
        self.file = Some(file.into());
        self
    }

    /// A diagnostic of the front end.
    pub fn of(map: &SourceMap, diagnostic: &Diagnostic) -> Problem {
        let (file, at) = map.locate(diagnostic.span());
        let known = at.line > 0;
        Problem {
            severity: if diagnostic.severity == Severity::Error { "error" } else { "warning" },
            code: Code::Source(diagnostic.code),
            message: diagnostic.message.clone(),
            file: known.then(|| file.to_string()),
            line: known.then_some(at.line),
            column: known.then_some(at.column),
            advice: diagnostic.advice.clone(),
            text: render::diagnostic(map, diagnostic),
        }
    }

    /// True for an error.
    pub fn is_error(&self) -> bool {
        self.severity == "error"
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure { problems: vec![problem] }
    }
}

/// What `--json` prints on exit status 2.
#[derive(Clone, Debug, Serialize)]
pub struct FailureReport<'a> {
    version: u32,
    tool: &'static str,
    outcome: &'static str,
    diagnostics: &'a [Problem],
}

/// Why work had to end, in one sentence that names the limit as it was typed.
pub fn because(why: Cancelled) -> String {
    match why {
        Cancelled::Time(time) => {
            format!("the time limit of {} was reached", quantity::show_seconds(time.as_secs_f64()))
        }
        Cancelled::Memory(bytes) => format!("the memory limit of {} was reached", quantity::show_bytes(bytes)),
        Cancelled::Interrupted => "the search was interrupted".to_string(),
    }
}

/// What `--json` prints if there was an end before there was anything to report.
#[derive(Clone, Debug, Serialize)]
pub struct StoppedReport<'a> {
    version: u32,
    tool: &'static str,
    outcome: &'static str,
    errors: u64,
    complete: bool,
    stopped_because: &'a str,
    findings: [(); 0],
    properties: [(); 0],
    stats: crate::report::Stats,
    warnings: Vec<&'a Problem>,
}

impl Failure {
    /// The end before the search has begun.
    pub fn stopped(why: Cancelled) -> Failure {
        Problem::error(Code::Stopped, because(why)).into()
    }

    /// Why there was an end before the search had begun, if that is what this is: exit status 3.
    pub fn stopped_because(&self) -> Option<&str> {
        self.problems.iter().find(|p| p.code == Code::Stopped).map(|p| &*p.message)
    }

    /// The object that `--json` prints on exit status 3 in that case.
    pub fn stopped_json(&self) -> Option<StoppedReport<'_>> {
        Some(StoppedReport {
            version: FORMAT,
            tool: TOOL,
            outcome: "stopped",
            errors: 0,
            complete: false,
            stopped_because: self.stopped_because()?,
            findings: [],
            properties: [],
            stats: crate::report::Stats { peak_rss_bytes: crate::memory::rss::peak_rss(), ..Default::default() },
            warnings: self.problems.iter().filter(|p| !p.is_error()).collect(),
        })
    }

    /// The object that `--json` prints on exit status 2.
    pub fn json(&self) -> FailureReport<'_> {
        FailureReport { version: FORMAT, tool: TOOL, outcome: "error", diagnostics: &self.problems }
    }
}
