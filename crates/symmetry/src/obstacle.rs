//! Why processes are not interchangeable: where, and what to do about it.

use starwheel_base::Span;

/// Something in a model that tells processes apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Where.
    pub span: Span,
    /// What, as a sentence without an end.
    pub message: String,
    /// The ways out.
    pub advice: Vec<String>,
}

impl Obstacle {
    /// An obstacle at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Obstacle {
        Obstacle { span, message: message.into(), advice: Vec::new() }
    }

    /// Says what to do about it.
    pub fn advise(mut self, advice: impl Into<String>) -> Obstacle {
        self.advice.push(advice.into());
        self
    }
}
