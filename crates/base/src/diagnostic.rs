//! What a front end has to say about its input: severity, message, places and advice.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The model can be used; the user probably means something else.
    Warning,
    /// The model cannot be used.
    Error,
}

/// A place that a diagnostic points at.
#[derive(Clone, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there; may be empty for the primary place.
    pub text: String,
    /// True for the place of the problem itself, false for a place that explains it.
    pub primary: bool,
}

/// One error or warning.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A short stable name such as `unknown-name`, by which tests and tools know the diagnostic.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The places, the primary one first.
    pub labels: Vec<Label>,
    /// What the user can do about it.
    pub advice: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message.into())
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, span, message.into())
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: String) -> Diagnostic {
        let primary = Label { span, text: String::new(), primary: true };
        Diagnostic { severity, code, message, labels: vec![primary], advice: Vec::new() }
    }

    /// Says what is to be seen at the primary place.
    pub fn here(mut self, text: impl Into<String>) -> Diagnostic {
        self.labels[0].text = text.into();
        self
    }

    /// Adds a place that explains the problem.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// Adds advice.
    pub fn advise(mut self, text: impl Into<String>) -> Diagnostic {
        self.advice.push(text.into());
        self
    }

    /// The primary place.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    /// True for an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
