//! `printf`: conversions and arguments that do not go together.

use super::Lint;
use crate::ast::{Expr, Stmt};
use starwheel_base::Diagnostic;

/// The conversions that exist.
const CONVERSIONS: &str = "cdeoux";

impl Lint<'_> {
    pub fn printf(&mut self, s: &Stmt, format: &str, args: &[Expr]) {
        let conversions = conversions(format);
        for c in conversions.iter().filter(|c| !CONVERSIONS.contains(**c)) {
            self.report(
                Diagnostic::warning("printf-format", s.span, format!("`%{c}` is no way to print a value"))
                    .advise("there are %d, %e (name of an `mtype` value), %c, %o, %u and %x; write `%%` for `%`"),
            );
        }
        if conversions.len() != args.len() {
            let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
            let message = format!("{} for {}", count(args.len(), "argument"), count(conversions.len(), "conversion"));
            let advice = match conversions.len() > args.len() {
                true => "nothing is printed for a conversion without an argument",
                false => "an argument without a conversion is not printed",
            };
            self.report(Diagnostic::warning("printf-arguments", s.span, message).advise(advice));
        }
        for (c, a) in conversions.iter().zip(args) {
            if *c == 'd' && self.symbol_set(a).is_some() {
                self.report(
                    Diagnostic::warning("mtype-order", a.span, "`%d` prints the number of a symbolic constant")
                        .advise("write `%e` to print its name: the numbers run backwards, the last name declared is 1"),
                );
            }
        }
    }
}

/// The letters of all conversions of a format.
fn conversions(format: &str) -> Vec<char> {
    let mut out = Vec::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '%' => match chars.next() {
                Some('%') | None => {}
                Some(c) => out.push(c),
            },
            _ => {}
        }
    }
    out
}
