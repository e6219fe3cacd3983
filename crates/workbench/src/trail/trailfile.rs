//! The trail file: a counterexample as JSON, with all that is needed to tell whether it still fits its model.

use crate::ask::plan::{Reading, Timers};
use crate::disk::input::Shelf;
use crate::disk::output;
use crate::foreign::Foreign;
use crate::open::{EVERY, Opened};
use crate::problem::{Code, Failure, Problem};
use crate::property::watched::Truths;
use crate::report::{Fairness, TOOL};
use crate::trail::trailtext;
use crate::written::{At, Via};
use serde::{Deserialize, Serialize};
use starwheel_base::cancel::Token;
use std::path::{Path, PathBuf};

/// The word by which a trail file is known.
pub const KIND: &str = "starwheel-trail";
/// The version of the format that is written.
pub const VERSION: u32 = 1;

/// A whole trail file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailFile {
    /// Always [`KIND`].
    pub kind: String,
    /// The version of the format.
    pub version: u32,
    /// The program that wrote it.
    pub tool: String,
    /// The model, as it was named on the command line.
    pub model: String,
    /// A hash of the text of the model and of all files that it includes.
    pub hash: String,
    /// Macros of the command line.
    pub defines: Vec<(String, Option<String>)>,
    /// Macros that were forgotten.
    pub undefines: Vec<String>,
    /// Folders for included files.
    pub include: Vec<PathBuf>,
    /// Whether statements were merged.
    pub merge: bool,
    /// Whether dead variables were reset.
    pub dead_vars: bool,
    /// Whether timers were switched off when nobody looked at them any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dead_timers: bool,
    /// The file of `--never`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<PathBuf>,
    /// Whether the model has the claim of `--progress` at its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub progress: bool,
    /// Whether the system may end only with empty channels.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub empty_channels: bool,
    /// What `--ltl` asked for: a word, or several; `all` if the model's own formulas were checked unasked.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "one_or_many")]
    pub ltl: Vec<String>,
    /// The condition whose first moment was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<String>,
    /// Whether formulas were read with SPIN's precedences.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spin_ltl: bool,
    /// The file of `--automaton`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automaton: Option<PathBuf>,
    /// What was kept of timers.
    #[serde(default, skip_serializing_if = "Timers::is_default")]
    pub timers: Timers,
    /// Whether the model has the claim of `--zeno` behind that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zeno: bool,
    /// Whether formulas speak of runs in which time goes on for ever.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub divergent: bool,
    /// How the text was translated, if it is no Promela and something was said about it.
    #[serde(default, skip_serializing_if = "Foreign::is_default")]
    pub foreign: Foreign,
    /// What moves in step with the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<TrailProperty>,
    /// The number of steps before those that are repeated for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle_start: Option<usize>,
    /// The fairness that the repeated steps keep, if only fair runs count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// What was found.
    pub finding: TrailFinding,
    /// The formula for which this run is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Which conditions of the formula, automaton or claim are true in the initial state.
    #[serde(default, skip_serializing_if = "Truths::is_empty")]
    pub propositions: Truths,
    /// Which of them are true where the cycle starts.
    #[serde(default, skip_serializing_if = "Truths::is_empty")]
    pub cycle_propositions: Truths,
    /// The steps from the initial state.
    pub steps: Vec<TrailStep>,
}

/// What a trail of a run without end is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrailProperty {
    /// Accept labels of processes; nothing moves beside the system.
    Labels,
    /// The claim of `--progress`.
    Progress,
    /// The claim of `--zeno`.
    Time,
    /// A claim of this name.
    Claim(String),
    /// A formula of this name.
    Formula(String),
    /// The automaton of `--automaton`.
    Automaton,
}

/// What a trail shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailFinding {
    /// The kind, as in the report.
    pub kind: String,
    /// One sentence.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailStep {
    /// The process that moves; the sender of a handshake.
    pub pid: u8,
    /// The name of its type.
    pub proctype: String,
    /// The number of its transition.
    pub trans: u32,
    /// The receiver of a handshake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<TrailPartner>,
    /// True if the step is possible only because nothing else is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timeout: bool,
    /// The file of the statement.
    pub file: String,
    /// The line of the statement.
    pub line: u32,
    /// Its range of characters.
    #[serde(default, skip_serializing_if = "At::is_nowhere")]
    pub at: At,
    /// The uses of inlines and macros that brought it to its place, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
    /// The statement as it was written.
    pub text: String,
    /// The statement as SPIN spells it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub spin_text: String,
    /// If time passes: how many slices. Then nobody else moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<u32>,
    /// In a timed model: the slices from the start to the end of this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
    /// Conditions of the formula that become true or false.
    #[serde(default, skip_serializing_if = "Truths::is_empty")]
    pub propositions: Truths,
}

impl TrailStep {
    /// A step of the clock, whose action has this number.
    pub fn tick(trans: u32) -> TrailStep {
        TrailStep {
            pid: 0,
            proctype: String::new(),
            trans,
            partner: None,
            timeout: true,
            file: String::new(),
            line: 0,
            at: At::default(),
            via: Vec::new(),
            text: "time passes".to_string(),
            spin_text: String::new(),
            tick: Some(0),
            time: None,
            propositions: Truths::default(),
        }
    }
}

/// The receiver of a handshake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailPartner {
    /// The process.
    pub pid: u8,
    /// The name of its type.
    pub proctype: String,
    /// The number of its transition.
    pub trans: u32,
}

/// A list that is written as a word where it has one, as it was when there could be only one.
mod one_or_many {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        One(String),
        Many(Vec<String>),
    }

    pub fn serialize<S: Serializer>(list: &[String], to: S) -> Result<S::Ok, S::Error> {
        match list {
            [one] => one.serialize(to),
            many => many.serialize(to),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        Ok(match Form::deserialize(from)? {
            Form::One(one) => vec![one],
            Form::Many(many) => many,
        })
    }
}

impl TrailFile {
    /// A trail of the system alone, with how its model was read: what [`TrailFile::reading`] gives back.
    pub fn of(opened: &Opened, steps: Vec<TrailStep>, finding: TrailFinding) -> TrailFile {
        let reading = &opened.reading;
        TrailFile {
            kind: KIND.to_string(),
            version: VERSION,
            tool: TOOL.to_string(),
            model: opened.path.display().to_string(),
            hash: opened.hash.clone(),
            defines: reading.defines.clone(),
            undefines: reading.undefines.clone(),
            include: reading.include.clone(),
            merge: reading.merge,
            dead_vars: reading.dead_vars,
            dead_timers: reading.dead_timers,
            never: reading.never.clone(),
            progress: reading.progress,
            empty_channels: reading.empty_channels,
            ltl: match reading.own && !opened.formulas.is_empty() {
                true if opened.formulas.iter().any(|(name, _)| name == EVERY) => {
                    opened.formulas.iter().map(|(name, _)| name.clone()).collect()
                }
                true => vec![EVERY.to_string()],
                false => reading.ltl.clone(),
            },
            moment: reading.moment.clone(),
            spin_ltl: reading.spin_ltl,
            automaton: reading.automaton.clone(),
            timers: reading.timers,
            zeno: reading.zeno,
            divergent: reading.divergent,
            foreign: reading.foreign.clone(),
            property: None,
            cycle_start: None,
            fairness: None,
            finding,
            formula: None,
            propositions: Truths::new(),
            cycle_propositions: Truths::new(),
            steps,
        }
    }

    /// How the model was read when the trail was found.
    pub fn reading(&self) -> Reading {
        Reading {
            defines: self.defines.clone(),
            undefines: self.undefines.clone(),
            include: self.include.clone(),
            merge: self.merge,
            dead_vars: self.dead_vars,
            dead_timers: self.dead_timers,
            never: self.never.clone(),
            progress: self.progress,
            empty_channels: self.empty_channels,
            ltl: self.ltl.clone(),
            moment: self.moment.clone(),
            own: false,
            spin_ltl: self.spin_ltl,
            automaton: self.automaton.clone(),
            until: Token::NEVER,
            timers: self.timers,
            zeno: self.zeno,
            divergent: self.divergent,
            foreign: self.foreign.clone(),
            shelf: Shelf::Disk,
        }
    }

    /// Writes the file.
    pub fn write(self, path: &Path, force: bool) -> Result<(), Failure> {
        let text = trailtext::text(self).map_err(|e| e.to_string());
        let written = text.and_then(|t| output::write(path, output::Kind::Trail, force, (t + "\n").as_bytes()));
        written.map_err(|e| unwritable(path, &e))
    }

    /// Reads the text of a file; `name` is for messages.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<TrailFile, Failure> {
        let value: serde_json::Value =
            serde_json::from_slice(bytes).map_err(|e| damaged(name, bytes, &e.to_string()))?;
        if value.get("kind").and_then(|k| k.as_str()) != Some(KIND) {
            return Err(foreign(name));
        }
        match value.get("version").and_then(|v| v.as_u64()) {
            Some(v) if v == u64::from(VERSION) => {}
            Some(v) => {
                let message = format!("the trail `{name}` has version {v}; this program reads version {VERSION}");
                return Err(Problem::error(Code::TrailVersion, message)
                    .about(name)
                    .advise("run `starwheel check` again")
                    .into());
            }
            None => return Err(damaged(name, bytes, "it has no version")),
        }
        serde_json::from_value(value).map_err(|e| damaged(name, bytes, &e.to_string()))
    }
}

/// What is in a trail file.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let name = path.display().to_string();
    std::fs::read(path).map_err(|e| {
        let problem = Problem::error(Code::UnreadableTrail, format!("the trail `{name}` cannot be read: {e}"));
        problem.about(&name).advise("a trail is written by `starwheel check` when it finds something").into()
    })
}

/// The warning that a trail is lost.
pub fn unwritable(path: &Path, why: &str) -> Failure {
    let message = format!("the trail could not be written to `{}`: {why}", path.display());
    Problem::warning(Code::TrailNotWritten, message).advise("name another file with `--trail FILE`").into()
}

fn foreign(name: &str) -> Failure {
    let problem = Problem::error(Code::ForeignTrail, format!("`{name}` is no trail")).about(name);
    problem.advise("run `starwheel check` to get a trail").into()
}

fn damaged(name: &str, bytes: &[u8], why: &str) -> Failure {
    // A file of ours that was cut off still begins as ours do.
    let ours = bytes.trim_ascii_start().first().is_none_or(|&b| b == b'{');
    if !ours {
        return foreign(name);
    }
    let why = if bytes.is_empty() { "it is empty" } else { why };
    Problem::error(Code::DamagedTrail, format!("the trail `{name}` is damaged: {why}"))
        .about(name)
        .advise("run `starwheel check` again to get a new trail")
        .into()
}

/// A hash of texts that stays the same from version to version (FNV-1a, 64 bits).
pub fn hash<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> TrailFile {
        let partner = Some(TrailPartner { pid: 1, proctype: "Q".into(), trans: 7 });
        let step = TrailStep {
            pid: 0,
            proctype: "P".into(),
            trans: 3,
            partner,
            timeout: false,
            file: "m.pml".into(),
            line: 4,
            at: At { file: "m.pml".into(), line: 4, column: 3, end_line: 4, end_column: 6 },
            via: vec![Via { name: "send".into(), file: "m.pml".into(), line: 9 }],
            text: "c!1".into(),
            spin_text: "c!1".into(),
            tick: None,
            time: Some(3),
            propositions: Truths::from([("x==1".to_string(), true)]),
        };
        TrailFile {
            kind: KIND.into(),
            version: VERSION,
            tool: "t".into(),
            model: "m.pml".into(),
            hash: hash(["a"].into_iter()),
            defines: vec![("N".into(), Some("3".into()))],
            undefines: vec![],
            include: vec!["inc".into()],
            merge: false,
            dead_vars: true,
            dead_timers: true,
            never: None,
            progress: false,
            empty_channels: false,
            ltl: Vec::new(),
            moment: None,
            spin_ltl: false,
            automaton: None,
            timers: Timers::Jump,
            zeno: false,
            divergent: true,
            foreign: Foreign { queue: Some(2), ..Foreign::default() },
            property: Some(TrailProperty::Claim("c".into())),
            cycle_start: Some(0),
            fairness: Some(Fairness::Strong),
            finding: TrailFinding { kind: "assertion".into(), message: "m".into(), file: "m.pml".into(), line: 4 },
            formula: Some("[] (x==1)".into()),
            propositions: Truths::from([("x==1".to_string(), false)]),
            cycle_propositions: Truths::default(),
            steps: vec![step],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = serde_json::to_string(&sample()).unwrap();
        assert_eq!(TrailFile::parse("t", text.as_bytes()).unwrap(), sample());
    }

    #[test]
    fn the_text_is_that_of_all_steps() {
        for steps in 0..7 {
            let mut trail = sample();
            let step = trail.steps[0].clone();
            let other = |i: usize| TrailStep { line: 1 + i as u32 / 2 % 2, text: "a\nb[]\n}".into(), ..step.clone() };
            trail.steps = (0..steps).map(|i| if i % 3 == 0 { step.clone() } else { other(i) }).collect();
            let expected = serde_json::to_string_pretty(&trail).unwrap();
            assert_eq!(trailtext::text(trail).unwrap(), expected);
        }
    }

    #[test]
    fn other_files_are_told_apart() {
        let code = |text: &str| TrailFile::parse("t", text.as_bytes()).unwrap_err().problems[0].code.name();
        let whole = serde_json::to_string(&sample()).unwrap();
        assert_eq!(code("{}"), "foreign-trail");
        assert_eq!(code("byte x; init { skip }"), "foreign-trail");
        assert_eq!(code("[1,2]"), "foreign-trail");
        assert_eq!(code(""), "damaged-trail");
        assert_eq!(code(&whole[..whole.len() / 2]), "damaged-trail");
        assert_eq!(code(&whole.replace("\"version\":1", "\"version\":9")), "trail-version");
        assert_eq!(code(&whole.replace("\"version\":1", "\"version\":\"x\"")), "damaged-trail");
        assert_eq!(code(&whole.replace("\"pid\":0", "\"pid\":-1")), "damaged-trail");
        assert_eq!(TrailFile::parse("t", &[0xff, 0xfe]).unwrap_err().problems[0].code, Code::ForeignTrail);
    }

    #[test]
    fn hashes_tell_where_a_text_ends() {
        assert_ne!(hash(["ab", "c"].into_iter()), hash(["a", "bc"].into_iter()));
    }
}
