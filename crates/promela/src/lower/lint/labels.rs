//! Labels that were probably meant to have a meaning.

use super::Lint;
use super::spelling::distance;
use crate::ast::{Ident, Stmt};
use starwheel_base::Diagnostic;
use std::collections::HashSet;
use std::sync::Arc;

/// The labels of all bodies, and those that something refers to.
#[derive(Default)]
pub struct Labels {
    declared: Vec<(Arc<str>, Ident)>,
    used: HashSet<(Arc<str>, Arc<str>)>,
}

impl Labels {
    /// Labels of a statement in a body.
    pub fn declare(&mut self, body: Option<&Arc<str>>, labels: &[Ident]) {
        if let Some(body) = body {
            self.declared.extend(labels.iter().map(|l| (body.clone(), l.clone())));
        }
    }

    /// A jump to a label, or a reference to it from elsewhere.
    pub fn jump(&mut self, body: Option<&Arc<str>>, label: &Ident) {
        if let Some(body) = body {
            self.used.insert((body.clone(), label.name.clone()));
        }
    }
}

/// Prefixes with a meaning, and what a label with this prefix says.
const SPECIAL: [(&str, &str); 3] = [
    ("accept", "to mark a state that must not be visited for ever"),
    ("progress", "to mark a state that counts as progress"),
    ("end", "to mark a state in which the process may stop"),
];

impl Lint<'_> {
    /// A label that says something about infinite runs, at a state that is only passed through.
    pub fn passed_label(&mut self, s: &Stmt, guard: bool) {
        let word = match (self.block.d_step, self.block.atomic) {
            _ if guard || self.claim => return,
            (true, _) => "a `d_step`",
            (_, true) => "an `atomic`",
            _ => return,
        };
        for label in s.labels.iter().filter(|l| ["accept", "progress"].iter().any(|p| l.name.starts_with(p))) {
            let message = format!("the label `{}` is inside {word}, whose states are only passed through", label.name);
            let advice = "it counts only where the sequence can block; put it in front of the sequence, or behind it";
            self.report(Diagnostic::warning("label-in-atomic", label.span, message).advise(advice));
        }
    }

    /// Reports labels that nobody refers to and that look like a special one.
    pub fn misspelt_labels(&mut self) {
        let labels = std::mem::take(&mut self.labels);
        for (body, label) in &labels.declared {
            if labels.used.contains(&(body.clone(), label.name.clone())) {
                continue;
            }
            let Some((prefix, meaning)) = SPECIAL.iter().find(|(p, _)| resembles(&label.name, p)) else { continue };
            let message = format!("the label `{}` has no effect, although it looks like `{prefix}`", label.name);
            self.report(
                Diagnostic::warning("misspelt-label", label.span, message)
                    .advise(format!("{meaning}, a label must begin with `{prefix}`")),
            );
        }
    }
}

/// True if a label looks like one with this prefix but is none with any meaning.
fn resembles(label: &str, prefix: &str) -> bool {
    if SPECIAL.iter().any(|(p, _)| label.starts_with(p)) {
        return false;
    }
    let lower = label.to_lowercase();
    if lower.starts_with(prefix) {
        return true;
    }
    // Only long prefixes: three letters are too near to many a word.
    let first: String = lower.chars().take_while(|c| c.is_alphabetic()).collect();
    let sorted = |s: &str| {
        let mut letters: Vec<char> = s.chars().collect();
        letters.sort_unstable();
        letters
    };
    let exchanged = sorted(&first) == sorted(prefix);
    prefix.len() > 3 && distance(&first, prefix) <= 1 + usize::from(exchanged)
}
