//! The head of a model file: what a check of it has to find, in lines of comment such as `// expect: holds` and
//! `// ltl mutex: violated`. `starwheel test` and our own tests read it; the guide explains the lines.

use std::collections::BTreeSet;
use std::path::Path;

/// A property with a verdict of its own: `ltl NAME`, `never`, `accept` or `progress`, each also with `fair` behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub what: What,
    /// Whether only weakly fair runs count.
    pub fair: bool,
    /// `holds`, `violated`, `unrefuted` or `stopped`.
    pub verdict: String,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The formula of this name.
    Formula(String),
    /// The never claim.
    Never,
    /// Accept labels.
    Accept,
    /// Progress labels.
    Progress,
}

impl Question {
    fn read(key: &str, verdict: &str) -> Option<Result<Question, String>> {
        let (name, fair) = key.strip_suffix(" fair").map_or((key, false), |name| (name, true));
        let what = match (name.strip_prefix("ltl "), name) {
            (Some(formula), _) => What::Formula(formula.trim().to_string()),
            (None, "never") => What::Never,
            (None, "accept") => What::Accept,
            (None, "progress") => What::Progress,
            _ => return None,
        };
        let known = ["holds", "violated", "unrefuted", "stopped"].contains(&verdict);
        let wrong = || format!("says `{verdict}`, which is none of holds, violated, unrefuted, stopped");
        Some(if known { Ok(Question { what, fair, verdict: verdict.to_string() }) } else { Err(wrong()) })
    }

    /// As it is written in a head, without the verdict.
    pub fn name(&self) -> String {
        let name = match &self.what {
            What::Formula(name) => format!("ltl {name}"),
            What::Never => "never".to_string(),
            What::Accept => "accept".to_string(),
            What::Progress => "progress".to_string(),
        };
        if self.fair { name + " fair" } else { name }
    }
}

/// What the head of a model says.
#[derive(Debug, Default)]
pub struct Head {
    /// `holds`, `violated` or `refused`.
    pub expect: String,
    /// The kinds of all findings.
    pub findings: BTreeSet<String>,
    /// The size of the whole space.
    pub states: Option<u64>,
    /// Its transitions.
    pub transitions: Option<u64>,
    /// The number of error events in the whole space.
    pub errors: Option<u64>,
    /// Warnings, or errors of a model that is refused, that have to be among the diagnostics.
    pub codes: BTreeSet<String>,
    /// What SPIN makes of the model.
    pub spin: Option<Spin>,
    /// Why SPIN's answer is another one.
    pub differs: Option<String>,
    /// The verdicts on formulas, claims and labels.
    pub questions: Vec<Question>,
}

/// SPIN's answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Spin {
    /// It refuses the model.
    Refused,
    /// Its verifier crashes, or never ends.
    NoAnswer,
    /// States, transitions and error events of the whole space.
    Counts([u64; 3]),
}

impl Head {
    /// Reads the head: a title, then lines of the form `// key: value` up to the first line that has no text.
    pub fn read(model: &Path) -> Result<Head, String> {
        let bytes = std::fs::read(model).map_err(|e| e.to_string())?;
        Head::parse(&String::from_utf8_lossy(&bytes))
    }

    /// True if a text says anything about what is expected of it.
    pub fn is_there(text: &str) -> bool {
        text.lines().map_while(|l| l.strip_prefix("//")).any(|l| l.trim().starts_with("expect:"))
    }

    /// Reads the head of a text.
    pub fn parse(text: &str) -> Result<Head, String> {
        let mut head = Head::default();
        let comments = text.lines().map_while(|l| l.strip_prefix("//")).map(str::trim);
        for line in comments.skip(1).take_while(|l| !l.is_empty()) {
            let (key, value) = line.split_once(": ").ok_or(format!("the head line `{line}` is not `key: value`"))?;
            head.take(key, value).map_err(|why| format!("the head line `{line}` {why}"))?;
        }
        head.check()?;
        Ok(head)
    }

    fn take(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "expect" => self.expect = value.to_string(),
            "finding" => drop(self.findings.insert(value.to_string())),
            "states" => self.states = Some(number(value)?),
            "transitions" => self.transitions = Some(number(value)?),
            "errors" => self.errors = Some(number(value)?),
            "warning" | "refused" => drop(self.codes.insert(value.to_string())),
            "spin" => self.spin = Some(spin(value)?),
            "differs" => self.differs = Some(value.to_string()),
            // What is said to whoever reads the model, not to whoever tests it.
            "starwheel" => {}
            _ => match Question::read(key, value) {
                Some(question) => self.questions.push(question?),
                None => return Err("has an unknown key".to_string()),
            },
        }
        Ok(())
    }

    /// The lines have to fit together.
    fn check(&self) -> Result<(), String> {
        match self.expect.as_str() {
            "" => Err("the head has no line `expect: …`".to_string()),
            "violated" if self.findings.is_empty() => Err("`expect: violated` without a line `finding: …`".to_string()),
            "holds" if !self.findings.is_empty() => Err("`expect: holds` with a finding".to_string()),
            "refused" if self.codes.is_empty() => Err("`expect: refused` without a line `refused: …`".to_string()),
            "holds" | "violated" | "refused" => Ok(()),
            other => Err(format!("`expect: {other}` is none of holds, violated, refused")),
        }
    }

    /// True if SPIN's answer is the one given here.
    pub fn agrees_with_spin(&self) -> bool {
        match (&self.spin, self.states, self.transitions, self.errors) {
            (Some(Spin::Counts(counts)), Some(s), Some(t), Some(e)) => *counts == [s, t, e],
            (Some(Spin::Refused), ..) => self.expect == "refused",
            _ => false,
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "is not a number".to_string())
}

/// Reads `states=7 transitions=9 errors=1`, or a word.
fn spin(text: &str) -> Result<Spin, String> {
    match text {
        "refused" => return Ok(Spin::Refused),
        "crash" | "endless" => return Ok(Spin::NoAnswer),
        _ => {}
    }
    let mut counts = [0; 3];
    let mut words = text.split_whitespace();
    for (count, name) in counts.iter_mut().zip(["states=", "transitions=", "errors="]) {
        let value = words.next().and_then(|w| w.strip_prefix(name));
        *count = number(value.ok_or(format!("lacks `{name}…`"))?)?;
    }
    Ok(Spin::Counts(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_line_by_line() {
        let text =
            "// Title\n// expect: violated\n// finding: assertion\n// ltl p fair: holds\n//\n// words: more\nbyte x;";
        let head = Head::parse(text).unwrap();
        assert_eq!((head.expect.as_str(), head.findings.len()), ("violated", 1));
        assert_eq!(head.questions[0].name(), "ltl p fair");
        assert!(head.questions[0].fair && Head::is_there(text) && !Head::is_there("// a\nbyte x;"));
        assert!(Head::parse("// T\n// expect: maybe\n").is_err());
        assert!(Head::parse("// T\n// expect: holds\n// ltl p: perhaps\n").is_err());
        assert!(Head::parse("// T\n// expect: holds\n// colour: red\n").is_err());
    }
}
