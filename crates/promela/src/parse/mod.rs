//! The parser: tokens in, syntax tree and diagnostics out, always both of them.
//!
//! It is written by hand, one function for each rule of the language. A rule that cannot go on reports why and gives
//! up; the nearest sequence or unit around it finds the next place where text can be understood again, so that one run
//! reports all errors that do not depend on each other.

mod check;
mod cursor;
mod decl;
mod expr;
mod inline;
mod keyword;
mod ltl;
mod message;
mod name;
mod recover;
mod sequence;
mod statement;
mod unit;

#[cfg(test)]
mod tests;

use crate::ast::{Expr, Program};
use crate::token::Token;
use cursor::{Parser, Tk};
use starwheel_base::cancel::Token as Until;
use starwheel_base::{Diagnostic, FileId, SourceMap};

/// What became of a list of tokens.
#[derive(Debug)]
pub struct Parsed {
    /// The tree; parts with errors are missing or replaced by an empty statement.
    pub program: Program,
    /// Errors and warnings in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
}

/// How formulas are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormulaOptions {
    /// With SPIN's own precedences.
    pub spin: bool,
    /// `ltl` blocks of this file were typed on the command line, where propositions may stand in braces.
    pub typed: Option<FileId>,
    /// `ltl` blocks of this file hold ordinary expressions of the language, without temporal operators.
    pub conditions: Option<FileId>,
    /// `ltl` blocks of this file were typed as well and speak of a single state: they have no temporal operators.
    pub moment: Option<FileId>,
}

/// Parses a whole model. The map learns where inlines were called.
pub fn parse(tokens: &[Token], map: &mut SourceMap) -> Parsed {
    parse_with(tokens, map, FormulaOptions::default(), &Until::NEVER)
}

/// Like [`parse`], but it can be chosen how formulas are read, and until when; if the token says stop, what comes out means
/// nothing.
pub fn parse_with(tokens: &[Token], map: &mut SourceMap, formulas: FormulaOptions, until: &Until) -> Parsed {
    let mut parser = Parser::new(tokens, map);
    parser.formulas = formulas;
    parser.watch = until.watch();
    let program = parser.program();
    Parsed { program, diagnostics: parser.diagnostics }
}

/// Parses a formula from the command line, with SPIN's own precedences if `spin_compat` is true. Without an expression
/// in the answer there is at least one error.
pub fn parse_formula(tokens: &[Token], map: &mut SourceMap, spin_compat: bool) -> (Option<Expr>, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens, map);
    parser.formulas.spin = spin_compat;
    let formula = parser.formula(true);
    if formula.is_ok() && *parser.peek() != Tk::Eof {
        let habit = parser.formula_habit();
        parser.expected("an operator or the end of the formula");
        if let (Some(advice), Some(d)) = (habit, parser.diagnostics.last_mut()) {
            d.advice = vec![advice.to_string()];
        }
    }
    for d in &mut parser.diagnostics {
        d.message = d.message.replace("the end of the file", "the end of the formula");
    }
    let failed = parser.diagnostics.iter().any(Diagnostic::is_error);
    (formula.ok().filter(|_| !failed), parser.diagnostics)
}
