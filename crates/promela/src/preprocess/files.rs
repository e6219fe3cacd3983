//! The pile of open files, and the tokens that come out of it once directives are taken care of.

use super::directive::Conditional;
use super::{PpToken, Preprocessor};
use crate::lex::{Kind, Oddity, RawToken, Scanner};
use starwheel_base::{Diagnostic, ExpansionId, FileId, Span};

/// An open file.
pub(super) struct Frame {
    pub scanner: Scanner,
    pub file: FileId,
    /// A token that was looked at and given back.
    pub ahead: Option<PpToken>,
    /// The `#if`s that are open in this file, the innermost last.
    pub conditionals: Vec<Conditional>,
    /// What `#line` adds to the line numbers of `__LINE__`.
    pub line_shift: i64,
    /// The name that `#line` gives for `__FILE__`.
    pub line_name: Option<String>,
}

impl Preprocessor<'_> {
    /// Puts a file on the pile; false if it is too much text.
    pub(super) fn open(&mut self, file: FileId, from: Span) -> bool {
        let text = self.map.file(file).text.clone();
        let size = text.len();
        self.open_with(Scanner::new(text), size, file, from)
    }

    /// Puts a part of a file on the pile; false if it is too much text.
    pub(super) fn open_part(&mut self, part: Span) -> bool {
        let scanner = Scanner::window(&self.map.file(part.file).text, part.start as usize, part.end as usize);
        self.open_with(scanner, part.end.saturating_sub(part.start) as usize, part.file, part)
    }

    fn open_with(&mut self, scanner: Scanner, size: usize, file: FileId, from: Span) -> bool {
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > super::MAX_BYTES {
            let message = format!("the model has more than {} megabytes of text", super::MAX_BYTES >> 20);
            self.stop(Diagnostic::error("too-much-text", from, message));
            return false;
        }
        let conditionals = Vec::new();
        self.frames.push(Frame { scanner, file, ahead: None, conditionals, line_shift: 0, line_name: None });
        true
    }

    /// Takes the topmost file off the pile.
    pub(super) fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if self.stopped {
            return;
        }
        for open in frame.conditionals {
            let message = format!("this {} has no #endif", open.directive);
            let advice = "add #endif behind the lines that belong to it";
            self.report(Diagnostic::error("unclosed-if", open.span, message).advise(advice));
        }
    }

    /// The next token of the files above the given height of the pile, directives done; `None` at the end of the file
    /// at that height, which stays open.
    pub(super) fn read(&mut self, height: usize) -> Option<PpToken> {
        loop {
            let token = self.raw()?;
            match token.kind {
                Kind::End if self.frames.len() > height => self.close(),
                Kind::End => return None,
                Kind::Hash if token.line_start => self.directive(token),
                _ => return Some(token),
            }
        }
    }

    /// The next token of the topmost file as it stands there; `None` if reading has been stopped.
    pub(super) fn raw(&mut self) -> Option<PpToken> {
        if self.stopped {
            return None;
        }
        let frame = self.frames.last_mut()?;
        if let Some(token) = frame.ahead.take() {
            return Some(token);
        }
        let token = frame.scanner.next();
        self.take_in(token)
    }

    /// Gives back a token of the topmost file.
    pub(super) fn unread(&mut self, token: PpToken) {
        if let Some(frame) = self.frames.last_mut() {
            frame.ahead = Some(token);
        }
    }

    /// The next token of the current line, [`Kind::End`] at its end.
    pub(super) fn raw_on_line(&mut self) -> Option<PpToken> {
        let token = self.frames.last_mut()?.scanner.next_on_line();
        self.take_in(token)
    }

    /// All tokens that are left on the current line.
    pub(super) fn line_tokens(&mut self) -> Vec<PpToken> {
        let mut tokens = Vec::new();
        while let Some(token) = self.raw_on_line().filter(|t| t.kind != Kind::End) {
            tokens.push(token);
        }
        tokens
    }

    /// Gives a scanned token its text and its span, and passes on what the scanner noticed on the way.
    pub(super) fn take_in(&mut self, token: RawToken) -> Option<PpToken> {
        self.stopped |= self.watch.stopped();
        let frame = self.frames.last_mut()?;
        let oddities = std::mem::take(&mut frame.scanner.oddities);
        let text = self.names.symbol(&frame.scanner.text_of(token));
        let span = Span { file: frame.file, start: token.start, end: token.end, expansion: ExpansionId::NONE };
        for (oddity, start, len) in oddities {
            self.report(odd(oddity, Span { start, end: start + len, ..span }));
        }
        let RawToken { kind, line, space, line_start, .. } = token;
        Some(PpToken { kind, text, span, line, hide: Default::default(), space, line_start })
    }
}

fn odd(oddity: Oddity, span: Span) -> Diagnostic {
    match oddity {
        Oddity::OpenComment => Diagnostic::error("unclosed-comment", span, "this comment is never closed")
            .advise("add */ where it should end"),
        Oddity::BlanksAfterBackslash => {
            let message = "this backslash joins the next line to this one although blanks follow it";
            Diagnostic::warning("blanks-after-backslash", span, message)
                .advise("remove the blanks behind the backslash, or the backslash")
        }
        Oddity::AndAtLineEnd => {
            let message = "/\\ at the end of a line is read as a division that goes on in the next line";
            Diagnostic::warning("and-at-line-end", span, message).advise("write &&, or begin the next line with /\\")
        }
    }
}
