//! Reports of tests and checks for other programs: JUnit's XML, SARIF 2.1.0, and the lines that GitHub turns into annotations.

use crate::screen;
use serde_json::{Value, json};
use starwheel_workbench::report::{Finding, Property, TOOL};
use starwheel_workbench::{Code, Failure, Problem, Report, Verdict, output};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One expectation and what became of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The model's file.
    pub model: String,
    /// What was expected of, as the head of the model names it.
    pub name: String,
    /// Whether it was met.
    pub outcome: Result,
    /// How long it took.
    pub seconds: f64,
    /// What was found, if something was.
    pub finding: Option<Finding>,
    /// What it is held to.
    pub rule: Rule,
}

/// What a model is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The lines of its head.
    Expectation,
    /// Its properties.
    Property,
}

impl Rule {
    const ALL: [Rule; 2] = [Rule::Expectation, Rule::Property];

    fn id(self) -> &'static str {
        match self {
            Rule::Expectation => "expectation",
            Rule::Property => "property",
        }
    }

    /// What is wrong when it is broken, and what to do.
    fn told(self) -> (&'static str, &'static str) {
        match self {
            Rule::Expectation => ("A model is not what its head says", "Correct the model, or the lines of its head."),
            Rule::Property => ("A property does not hold", "`starwheel replay MODEL` shows how it comes to that."),
        }
    }
}

/// The properties of a model that was checked.
pub fn verdicts(report: &Report) -> Vec<Case> {
    let case = |p: &Property| {
        let because = || p.stopped_because.clone().or(report.stopped_because.clone());
        let why = because().unwrap_or_else(|| "the search ended at another error".to_string());
        let outcome = match p.outcome {
            Verdict::Holds(_) => Result::Passed,
            Verdict::Violated => Result::Failed("violated".to_string()),
            Verdict::Stopped => Result::Failed(format!("not conclusive: {why}")),
            Verdict::Unrefuted => Result::Failed("not refuted, but states may have been missed".to_string()),
        };
        let seconds = p.stats.as_ref().map_or(0.0, |s| s.seconds);
        let (model, name, finding) = (report.head.model.clone(), p.name.clone(), p.findings.first().cloned());
        Case { model, name, outcome, seconds, finding, rule: Rule::Property }
    };
    report.properties.iter().map(case).collect()
}

/// Whether an expectation was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Result {
    /// It was.
    Passed,
    /// It was not: how so.
    Failed(String),
}

impl Case {
    /// An expectation that could not even be tried.
    pub fn failed(model: &Path, name: &str, why: String) -> Case {
        let (model, name) = (model.display().to_string(), name.to_string());
        Case { model, name, outcome: Result::Failed(why), seconds: 0.0, finding: None, rule: Rule::Expectation }
    }

    /// A model that is none.
    pub fn refused(model: &Path, why: String) -> Case {
        Case { rule: Rule::Property, ..Case::failed(model, "model", why) }
    }

    fn failure(&self) -> Option<&str> {
        match &self.outcome {
            Result::Passed => None,
            Result::Failed(why) => Some(why),
        }
    }

    /// Where the failure is to be shown: at what was found, else at the head of the model.
    fn place(&self) -> (&str, u32) {
        match &self.finding {
            Some(f) if f.source.line > 0 => (&f.source.file, f.source.line),
            _ => (&self.model, 1),
        }
    }
}

/// A report that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// `junit=FILE`
    Junit(PathBuf),
    /// `sarif=FILE`
    Sarif(PathBuf),
    /// `github`: lines on standard output.
    Github,
}

/// Reads what `--report` says.
pub fn wanted(said: &[String]) -> std::result::Result<Vec<Wanted>, Failure> {
    let one = |text: &String| match text.split_once('=') {
        Some(("junit", file)) if !file.is_empty() => Ok(Wanted::Junit(file.into())),
        Some(("sarif", file)) if !file.is_empty() => Ok(Wanted::Sarif(file.into())),
        None if text == "github" => Ok(Wanted::Github),
        _ => {
            let message = format!("`--report {text}` is not a report");
            Err(Problem::error(Code::BadValue, message).advise("write junit=FILE, sarif=FILE or github").into())
        }
    };
    said.iter().map(one).collect()
}

impl Wanted {
    /// Writes the report.
    pub fn write(&self, cases: &[Case], force: bool) -> std::result::Result<(), Failure> {
        let (path, kind, text) = match self {
            Wanted::Github => {
                screen::out(&github(cases));
                return Ok(());
            }
            Wanted::Junit(path) => (path, output::Kind::Junit, junit(cases)),
            Wanted::Sarif(path) => {
                let text = serde_json::to_string_pretty(&sarif(cases)).unwrap_or_default() + "\n";
                (path, output::Kind::Sarif, text)
            }
        };
        output::write(path, kind, force, text.as_bytes()).map_err(|why| {
            Problem::error(Code::UnwritableFile, format!("`{}` cannot be written: {why}", path.display())).into()
        })
    }
}

/// One test suite for each model.
fn junit(cases: &[Case]) -> String {
    let mut suites: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    cases.iter().for_each(|c| suites.entry(&c.model).or_default().push(c));
    let sums = |list: &[&Case]| {
        let failures = list.iter().filter(|c| c.failure().is_some()).count();
        let time: f64 = list.iter().map(|c| c.seconds).sum();
        format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\" time=\"{time:.3}\"", list.len())
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&Case> = cases.iter().collect();
    let _ = writeln!(out, "<testsuites name=\"starwheel\" {}>", sums(&all));
    for (model, list) in &suites {
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", xml(model), sums(list));
        for c in list {
            let head = format!("classname=\"{}\" name=\"{}\" file=\"{}\"", xml(model), xml(&c.name), xml(model));
            let _ = match c.failure() {
                None => writeln!(out, "    <testcase {head} time=\"{:.3}\"/>", c.seconds),
                Some(why) => {
                    let (file, line) = c.place();
                    let found = c.finding.as_ref().map_or(String::new(), |f| format!("\n{}", f.message));
                    let text = xml(&format!("{file}:{line}: {why}{found}"));
                    let failure =
                        format!("<failure message=\"{}\" type=\"{}\">{text}</failure>", xml(why), c.rule.id());
                    writeln!(out, "    <testcase {head} time=\"{:.3}\">{failure}</testcase>", c.seconds)
                }
            };
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// Text for XML; characters that XML cannot hold become blanks.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// One result for each expectation that was not met, and for each property that does not hold.
fn sarif(cases: &[Case]) -> Value {
    let result = |c: &Case| {
        let why = c.failure()?;
        let (file, line) = c.place();
        let at = c.finding.as_ref().map(|f| &f.source.at).filter(|at| at.line == line && at.end_line > 0);
        let region = match at {
            Some(at) => json!({
                "startLine": at.line, "startColumn": at.column, "endLine": at.end_line, "endColumn": at.end_column,
            }),
            None => json!({ "startLine": line }),
        };
        let found = c.finding.as_ref().map_or(String::new(), |f| format!("; {}", f.message));
        Some(json!({
            "ruleId": c.rule.id(),
            "level": "error",
            "message": { "text": format!("{}: {why}{found}", c.name) },
            "locations": [{
                "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region },
            }],
        }))
    };
    let rules = Rule::ALL.map(|rule| {
        let (what, help) = rule.told();
        json!({ "id": rule.id(), "shortDescription": { "text": what }, "help": { "text": help } })
    });
    let version = TOOL.split(' ').nth(1).unwrap_or("0");
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "Starwheel", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": cases.iter().filter_map(result).collect::<Vec<_>>(),
        }],
    })
}

/// A path as a relative reference.
fn uri(path: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || b"/-._~".contains(&b);
    let escaped = |b: u8| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    path.replace('\\', "/").bytes().map(escaped).collect()
}

/// GitHub's workflow commands.
fn github(cases: &[Case]) -> String {
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    let line = |c: &Case| {
        let (file, line) = c.place();
        let why = c.failure()?;
        let verb = if c.rule == Rule::Property { "does not hold" } else { "is not met" };
        let title = property(&format!("{} {verb}", c.name));
        Some(format!("::error file={},line={line},title={title}::{}\n", property(file), escape(why)))
    };
    cases.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<Case> {
        let good = Case { outcome: Result::Passed, ..Case::failed(Path::new("a b.pml"), "expect", String::new()) };
        vec![good, Case::failed(Path::new("a b.pml"), "ltl p", "holds, not <violated> & \"more\"\n".into())]
    }

    #[test]
    fn junit_counts_and_escapes() {
        let text = junit(&cases());
        assert!(text.contains("<testsuites name=\"starwheel\" tests=\"2\" failures=\"1\""), "{text}");
        assert!(text.contains("&lt;violated&gt; &amp; &quot;more&quot;&#10;"), "{text}");
    }

    #[test]
    fn sarif_holds_failures_only() {
        let value = sarif(&cases());
        let results = value["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.pml");
    }

    #[test]
    fn github_reads_one_line_for_each_failure() {
        assert_eq!(github(&cases()).lines().count(), 1);
        assert!(github(&cases()).starts_with("::error file=a b.pml,line=1,title=ltl p is not met::holds"));
    }

    #[test]
    fn reports_are_known_by_their_names() {
        assert_eq!(wanted(&["junit=x.xml".into()]).unwrap(), [Wanted::Junit("x.xml".into())]);
        assert!(wanted(&["html=x".into()]).is_err() && wanted(&["junit".into()]).is_err());
    }
}
