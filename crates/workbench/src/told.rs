//! Statements in the words of the language that they were written in.

use crate::open::Opened;
use starwheel_base::Span;
use starwheel_model::{Stmt, Transition, text};

/// What a transition does: its statement, or what the text says that it was translated from.
pub fn transition(opened: &Opened, t: &Transition) -> String {
    let Stmt::Chain(list) = &t.stmt else { return statement(opened, &t.stmt, t.span) };
    let spans = (0..list.len()).map(|i| t.merged.get(i).copied().unwrap_or(t.span));
    // One line of the source has become several statements.
    let mut words: Vec<&str> = spans.filter_map(|span| opened.map.said(span)).collect();
    words.dedup();
    if words.is_empty() { text::stmt(&opened.model, &t.stmt) } else { words.join("; ") }
}

/// The same for a single statement that stands somewhere.
pub fn statement(opened: &Opened, stmt: &Stmt, span: Span) -> String {
    opened.map.said(span).map_or_else(|| text::stmt(&opened.model, stmt), String::from)
}
