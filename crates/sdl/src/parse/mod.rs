//! The parser of SDL/PR: tokens in, tree and diagnostics out, always both of them.
//!
//! Written by hand, one function for each rule. A rule that cannot go on says why and gives up; the list of items,
//! state parts or actions around it skips to the next word that can begin one, so that one run reports all errors that
//! do not depend on each other. Nesting is limited, so that no text can exhaust the stack.

mod action;
mod cursor;
mod expr;
mod if_action;
mod if_clock;
mod if_state;
mod ifl;
mod process;
mod sort;
mod state;
mod unit;

#[cfg(test)]
mod tests;

use crate::ast::{Expr, Item};
use crate::lex::lex;
use cursor::Parser;
pub use cursor::{NOT_SUPPORTED, refusal};
use starwheel_base::{Diagnostic, FileId};

/// Parses a whole text.
pub fn parse(file: FileId, text: &str) -> (Vec<Item>, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = lex(file, text);
    let mut parser = Parser::new(text, tokens);
    let items = parser.file();
    diagnostics.append(&mut parser.diagnostics);
    diagnostics.sort_by_key(|d| d.span().start);
    (items, diagnostics)
}

/// Parses a whole text of IF.
pub fn parse_if(file: FileId, text: &str) -> (Vec<Item>, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = lex(file, text);
    let mut parser = Parser::new(text, tokens);
    let items = parser.if_file();
    diagnostics.append(&mut parser.diagnostics);
    (items, diagnostics)
}

/// One condition of a file of stop conditions: the word, the expression.
pub type Condition = (crate::ast::Name, Expr);

/// Parses a file of stop conditions (`never e; eventually e; …`).
pub fn parse_conditions(file: FileId, text: &str) -> (Vec<Condition>, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = lex(file, text);
    let mut parser = Parser::new(text, tokens);
    let conditions = parser.conditions();
    diagnostics.append(&mut parser.diagnostics);
    (conditions, diagnostics)
}
