//! Both tools on the models of a folder, as their users run them: verdicts, states, processor time, the first bug.

pub mod cpu;
pub mod files;
pub mod ours;
pub mod table;
pub mod theirs;

use std::path::PathBuf;

/// What is asked about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Assertions, invalid end states, run-time errors.
    Safety,
    /// A formula of the model, by its name.
    Formula(String),
    /// A never claim of the model, by its name.
    Claim(String),
}

impl Question {
    /// Its name in the table.
    pub fn name(&self) -> &str {
        match self {
            Question::Safety => "safety",
            Question::Formula(name) | Question::Claim(name) => name,
        }
    }
}

/// How a tool answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Nothing is wrong.
    Holds,
    /// Something is wrong.
    Violated,
    /// No answer, and why.
    None(String),
}

impl Word {
    /// Is it an answer?
    pub fn decided(&self) -> bool {
        !matches!(self, Word::None(_))
    }

    /// A short text for the table.
    pub fn text(&self) -> &str {
        match self {
            Word::Holds => "holds",
            Word::Violated => "violated",
            Word::None(why) => why,
        }
    }
}

/// What one tool said and what it took.
#[derive(Clone, Debug)]
pub struct Said {
    /// The answer.
    pub word: Word,
    /// Stored states when it was given: all, or those up to the first bug.
    pub states: u64,
    /// Seconds of processor time, of the program and of the system for it.
    pub cpu: f64,
    /// The message of the bug, or something else that the reader should know.
    pub note: String,
}

impl Said {
    /// No answer.
    pub fn nothing(why: &str, note: impl Into<String>) -> Said {
        Said { word: Word::None(why.into()), states: 0, cpu: 0.0, note: note.into() }
    }
}

/// A question about a model and what both say.
#[derive(Clone, Debug)]
pub struct Row {
    /// The model, as it is named in the table.
    pub model: String,
    /// The question.
    pub question: Question,
    /// SPIN.
    pub spin: Said,
    /// Starwheel.
    pub ours: Said,
}

/// The name of a claim that is the only one, whatever it is called: SPIN does not print it.
pub const ONLY: &str = "never_0";

/// Times below this say nothing: starting a program takes as long.
pub const LEAST: f64 = 0.01;

impl Row {
    /// Both have decided, and not alike.
    pub fn differs(&self) -> bool {
        self.both() && self.spin.word != self.ours.word
    }

    /// Have both decided?
    pub fn both(&self) -> bool {
        self.spin.word.decided() && self.ours.word.decided()
    }

    /// Our time by SPIN's, where SPIN has an answer; if we have none, it is at least that.
    pub fn ratio(&self) -> Option<f64> {
        self.spin.word.decided().then(|| self.ours.cpu.max(LEAST) / self.spin.cpu.max(LEAST))
    }

    /// Our states up to the first bug by SPIN's, where both found one.
    pub fn bug_ratio(&self) -> Option<f64> {
        let both = self.spin.word == Word::Violated && self.ours.word == Word::Violated;
        both.then(|| self.ours.states.max(1) as f64 / self.spin.states.max(1) as f64)
    }
}

/// A model that is no part of the comparison, and why.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The file.
    pub file: PathBuf,
    /// SPIN's complaint, or the compiler's.
    pub why: String,
    /// Do we accept it?
    pub accepted: bool,
}
