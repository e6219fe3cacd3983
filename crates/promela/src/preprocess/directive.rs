//! Directives: finds out which one a line is, and does all of them but `#define` and `#include`.

use super::{PpToken, Preprocessor};
use crate::lex::{Kind, Oddity, RawToken};
use starwheel_base::{Diagnostic, Span};

/// An open `#if`, `#ifdef` or `#ifndef`.
pub(super) struct Conditional {
    /// How it is written.
    pub directive: String,
    /// Where it stands.
    pub span: Span,
    /// One of its groups has been used, so that no other one will be.
    taken: bool,
    /// Its `#else`.
    otherwise: Option<Span>,
}

impl Preprocessor<'_> {
    /// Does the directive that begins with this `#`, up to the end of its line (for a condition that fails, up to the
    /// end of the lines that it leaves out).
    pub(super) fn directive(&mut self, hash: PpToken) {
        let Some(name) = self.raw_on_line() else { return };
        let keyword = PpToken { span: hash.span.to(name.span), ..name };
        match name.kind {
            Kind::End => {}
            Kind::Number => {
                let rest = self.line_tokens();
                self.line_marker(keyword, name, &rest);
            }
            Kind::Ident => {
                let text = self.text(name).to_string();
                self.named_directive(&text, keyword);
            }
            _ => self.unknown_directive(keyword),
        }
    }

    fn named_directive(&mut self, name: &str, keyword: PpToken) {
        match name {
            "define" => self.define(keyword),
            "undef" => self.undefine(keyword),
            "include" => self.include(keyword),
            "if" | "ifdef" | "ifndef" => self.open_conditional(name, keyword),
            "elif" | "else" => self.other_group(name, keyword),
            "endif" => self.close_conditional(keyword),
            "error" | "warning" => self.message(name, keyword),
            "line" => self.line_directive(keyword),
            "pragma" => self.pragma(),
            // What old compilers put into their output; it means nothing here.
            "ident" | "sccs" => drop(self.line_tokens()),
            _ => self.unknown_directive(keyword),
        }
    }

    fn unknown_directive(&mut self, keyword: PpToken) {
        self.line_tokens();
        let message = format!("#{} is not a directive", self.text(keyword));
        let advice = "known are #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif, #error, #warning, \
                      #line and #pragma";
        self.report(Diagnostic::error("unknown-directive", keyword.span, message).advise(advice));
    }

    /// Warns if there is something left on the line of a directive that is complete.
    pub(super) fn no_more_on_line(&mut self, directive: &str) {
        let Some(&extra) = self.line_tokens().first() else { return };
        let message = format!("the text behind {directive} has no effect");
        let warning = Diagnostic::warning("extra-text", extra.span, message).advise("remove it or make it a comment");
        // Who names the condition again does so everywhere.
        let name = matches!(directive, "#else" | "#endif");
        if !name {
            self.report(warning);
        } else if !std::mem::replace(&mut self.named_ends, true) {
            self.report(warning.advise("this is said once, further places behind #else and #endif are not listed"));
        }
    }

    fn open_conditional(&mut self, name: &str, keyword: PpToken) {
        let holds = match name {
            "if" => self.condition(keyword),
            _ => self.is_defined(name, keyword).is_some_and(|defined| defined == (name == "ifdef")),
        };
        let directive = format!("#{name}");
        let open = Conditional { directive, span: keyword.span, taken: holds, otherwise: None };
        if let Some(frame) = self.frames.last_mut() {
            frame.conditionals.push(open);
        }
        if !holds {
            self.skip_group();
        }
    }

    /// Reads the name behind `#ifdef` or `#ifndef`.
    fn is_defined(&mut self, name: &str, keyword: PpToken) -> Option<bool> {
        let token = self.raw_on_line()?;
        if token.kind != Kind::Ident {
            self.line_tokens();
            let message = format!("#{name} needs the name of a macro");
            self.report(Diagnostic::error("bad-condition", keyword.span, message));
            return None;
        }
        self.no_more_on_line(&format!("#{name} {}", self.text(token)));
        Some(self.macro_exists(token.text))
    }

    /// `#elif` or `#else` behind a group that was used: nothing up to the `#endif` is.
    fn other_group(&mut self, name: &str, keyword: PpToken) {
        if self.enter_group(name, keyword) {
            self.line_tokens();
            self.skip_group();
        } else {
            self.line_tokens();
        }
    }

    /// Notes the beginning of an `#elif` or `#else` group; false if it has no place here.
    fn enter_group(&mut self, name: &str, keyword: PpToken) -> bool {
        let Some(open) = self.frames.last_mut().and_then(|f| f.conditionals.last_mut()) else {
            let message = format!("#{name} without an #if in front of it in this file");
            self.report(Diagnostic::error("stray-directive", keyword.span, message));
            return false;
        };
        let Some(earlier) = open.otherwise else {
            if name == "else" {
                open.otherwise = Some(keyword.span);
            }
            return true;
        };
        let (directive, at) = (open.directive.clone(), open.span);
        let message = format!("#{name} behind the #else of the same {directive}");
        let diagnostic = Diagnostic::error("stray-directive", keyword.span, message)
            .also(at, format!("the {directive} that it belongs to"))
            .also(earlier, "its #else")
            .advise("add the #endif that is missing between them, or remove one of them");
        self.report(diagnostic);
        true
    }

    fn close_conditional(&mut self, keyword: PpToken) {
        let open = self.frames.last_mut().and_then(|f| f.conditionals.pop());
        if open.is_none() {
            let message = "#endif without an #if in front of it in this file";
            self.report(Diagnostic::error("stray-directive", keyword.span, message));
        }
        self.no_more_on_line("#endif");
    }

    /// Reads on until a group of the innermost conditional is to be used, or to its `#endif`.
    fn skip_group(&mut self) {
        let mut depth = 0usize;
        while let Some((token, name)) = self.next_skipped_directive() {
            match name.as_str() {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => return self.close_conditional(token),
                "elif" | "else" if depth == 0 && self.skipped_group_is_used(&name, token) => return,
                _ => {}
            }
        }
    }

    fn skipped_group_is_used(&mut self, name: &str, keyword: PpToken) -> bool {
        let valid = self.enter_group(name, keyword);
        let taken = self.frames.last().and_then(|f| f.conditionals.last()).is_none_or(|c| c.taken);
        if !valid || taken {
            return false;
        }
        let holds = match name {
            "elif" => self.condition(keyword),
            _ => {
                self.no_more_on_line("#else");
                true
            }
        };
        if let Some(open) = self.frames.last_mut().and_then(|f| f.conditionals.last_mut()) {
            open.taken = holds;
        }
        holds
    }

    /// The next line of the current file that begins with `#` and a name; `None` at the end of the file.
    fn next_skipped_directive(&mut self) -> Option<(PpToken, String)> {
        loop {
            let hash = self.skipped(false)?;
            if hash.kind == Kind::End || self.stopped {
                return None;
            }
            if hash.kind != Kind::Hash || !hash.line_start {
                continue;
            }
            let name = self.skipped(true)?;
            if name.kind == Kind::Ident {
                let token = self.take_in(RawToken { start: hash.start, ..name })?;
                let text = self.frames.last()?.scanner.text_of(name).to_string();
                return Some((token, text));
            }
        }
    }

    /// A token of text that is left out. Nothing in it is odd, except a comment that is never closed.
    fn skipped(&mut self, on_line: bool) -> Option<RawToken> {
        let scanner = &mut self.frames.last_mut()?.scanner;
        let token = if on_line { scanner.next_on_line() } else { scanner.next() };
        scanner.oddities.retain(|o| o.0 == Oddity::OpenComment);
        if token.kind == Kind::End && !on_line {
            self.take_in(token);
        }
        Some(token)
    }

    fn message(&mut self, name: &str, keyword: PpToken) {
        let Some(frame) = self.frames.last_mut() else { return };
        let rest = frame.scanner.rest_of_line();
        let Some(text) = self.take_in(rest) else { return };
        let message = match self.text(text).trim_end() {
            "" => format!("#{name}"),
            text => text.to_string(),
        };
        self.report(match name {
            "error" => Diagnostic::error("error-directive", keyword.span, message),
            _ => Diagnostic::warning("warning-directive", keyword.span, message),
        });
    }

    fn pragma(&mut self) {
        let tokens = self.line_tokens();
        let once = tokens.first().is_some_and(|&t| self.text(t) == "once");
        if let (true, Some(frame)) = (once, self.frames.last()) {
            self.once.insert(self.map.file(frame.file).name.clone());
        }
    }

    fn line_directive(&mut self, keyword: PpToken) {
        let line = self.line_tokens();
        let tokens = self.expand_all(line);
        match tokens.split_first() {
            Some((&number, rest)) if number.kind == Kind::Number => self.line_marker(keyword, number, rest),
            _ => {
                let message = "#line needs a line number";
                self.report(Diagnostic::error("bad-line", keyword.span, message));
            }
        }
    }

    /// `#line N "file"`, or `# N "file"` in a text that was preprocessed before. It counts for `__LINE__` and `__FILE__`
    /// only: reports show the place in the file that the user has.
    fn line_marker(&mut self, keyword: PpToken, number: PpToken, rest: &[PpToken]) {
        let name = rest.first().filter(|t| t.kind == Kind::Str).map(|&t| self.text(t).trim_matches('"').to_string());
        match self.text(number).parse::<u32>() {
            Ok(wanted) => {
                let Some(frame) = self.frames.last_mut() else { return };
                frame.line_shift = i64::from(wanted) - i64::from(keyword.line) - 1;
                frame.line_name = name.or(frame.line_name.take());
            }
            Err(_) => {
                let message = format!("{} is not a line number", self.text(number));
                self.report(Diagnostic::error("bad-line", keyword.span, message));
            }
        }
    }
}
