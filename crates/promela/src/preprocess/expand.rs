//! Macro expansion: finds the uses of macros in a stream of tokens and puts in what they stand for.

use super::define::Macro;
use super::hide::HideSet;
use super::names::Symbol;
use super::substitute::Arguments;
use super::{PpToken, Preprocessor};
use crate::lex::Kind;
use crate::token::Punct;
use starwheel_base::Diagnostic;
use std::rc::Rc;

/// Tokens that wait to be looked at, the next one last; behind them come the files if the stream is open.
struct Stream {
    stack: Vec<PpToken>,
    open: bool,
    /// The height of the pile of files at which the stream ends.
    height: usize,
}

impl Preprocessor<'_> {
    /// Reads everything and hands the tokens on.
    pub(super) fn run(&mut self) {
        let mut stream = Stream { stack: Vec::new(), open: true, height: 1 };
        while let Some(token) = self.next(&mut stream) {
            if token.line_start {
                self.emitter.begin_line();
            }
            if !self.expand(token, &mut stream) {
                self.emit(token);
            }
        }
    }

    /// Expands the macros in some tokens as if nothing followed them.
    pub(super) fn expand_all(&mut self, mut tokens: Vec<PpToken>) -> Vec<PpToken> {
        tokens.reverse();
        let mut stream = Stream { stack: tokens, open: false, height: 0 };
        let mut expanded = Vec::new();
        while let Some(token) = self.next(&mut stream) {
            if !self.expand(token, &mut stream) {
                expanded.push(token);
            }
        }
        expanded
    }

    fn next(&mut self, stream: &mut Stream) -> Option<PpToken> {
        self.stopped |= self.watch.stopped();
        if self.stopped {
            return None;
        }
        match stream.stack.pop() {
            None if stream.open => self.read(stream.height),
            token => token,
        }
    }

    /// If the token is the use of a macro, puts what it stands for in front of the stream.
    fn expand(&mut self, token: PpToken, stream: &mut Stream) -> bool {
        if token.kind != Kind::Ident {
            return false;
        }
        if self.in_condition && token.text == Symbol::DEFINED {
            return self.expand_defined(token, stream);
        }
        let Some(definition) = self.macros.get(&token.text).cloned() else {
            return self.expand_builtin(token, stream);
        };
        if self.hides.contains(token.hide, token.text) {
            return false;
        }
        if definition.params.is_none() {
            let hide = self.hides.with(token.hide, token.text);
            self.put_in(&definition, token, hide, Arguments::none(), stream);
            return true;
        }
        self.parenthesis_follows(stream) && self.expand_call(token, &definition, stream)
    }

    fn expand_call(&mut self, token: PpToken, definition: &Rc<Macro>, stream: &mut Stream) -> bool {
        let Some((given, close)) = self.arguments(token, definition, stream) else { return true };
        let Some(arguments) = self.matched(token, definition, given) else { return true };
        let hide = self.hides.intersection(token.hide, close.hide);
        let hide = self.hides.with(hide, token.text);
        self.put_in(definition, token, hide, arguments, stream);
        true
    }

    fn put_in(&mut self, definition: &Macro, at: PpToken, hide: HideSet, arguments: Arguments, stream: &mut Stream) {
        let site = self.register(definition, at, hide);
        let tokens = self.substitute(definition, site, arguments);
        self.charge(tokens.len() + 4, at.span);
        if let (true, Some(next)) = (tokens.is_empty(), stream.stack.last_mut()) {
            next.space |= at.space;
        }
        stream.stack.extend(tokens.into_iter().rev());
    }

    /// `__LINE__` and `__FILE__`.
    fn expand_builtin(&mut self, token: PpToken, stream: &mut Stream) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        let (kind, text) = match token.text {
            Symbol::LINE => (Kind::Number, (i64::from(token.line) + frame.line_shift).max(0).to_string()),
            Symbol::FILE => {
                let name = frame.line_name.as_ref().unwrap_or(&self.map.file(frame.file).name);
                (Kind::Str, format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
            }
            _ => return false,
        };
        let text = self.names.symbol(&text);
        stream.stack.push(PpToken { kind, text, line_start: false, ..token });
        true
    }

    /// `defined NAME` or `defined(NAME)`; false if it is neither, which the reader of the condition will report.
    fn expand_defined(&mut self, token: PpToken, stream: &mut Stream) -> bool {
        let is = |i: usize, punct| {
            let index = stream.stack.len().checked_sub(i + 1);
            index.is_some_and(|i| stream.stack[i].kind == Kind::Punct(punct))
        };
        let (name, length) = if is(0, Punct::LeftParen) && is(2, Punct::RightParen) { (1, 3) } else { (0, 1) };
        let Some(index) = stream.stack.len().checked_sub(name + 1) else { return false };
        let name = stream.stack[index];
        if name.kind != Kind::Ident {
            return false;
        }
        let text = if self.macro_exists(name.text) { "1" } else { "0" };
        let text = self.names.symbol(text);
        stream.stack.truncate(stream.stack.len() - length);
        stream.stack.push(PpToken { kind: Kind::Number, text, ..token });
        true
    }

    fn parenthesis_follows(&mut self, stream: &Stream) -> bool {
        let parenthesis = Kind::Punct(Punct::LeftParen);
        if let Some(next) = stream.stack.last() {
            return next.kind == parenthesis;
        }
        if !stream.open {
            return false;
        }
        // A directive or the end of the file stands between the name and any parenthesis behind it.
        let Some(next) = self.raw() else { return false };
        self.unread(next);
        next.kind == parenthesis
    }

    /// Reads the arguments of a macro that is used with parentheses, and the closing one.
    fn arguments(
        &mut self,
        name: PpToken,
        definition: &Macro,
        stream: &mut Stream,
    ) -> Option<(Vec<Vec<PpToken>>, PpToken)> {
        // Arguments end in the file they begin in, but files may be included between them.
        let before = std::mem::replace(&mut stream.height, self.frames.len());
        let outcome = self.arguments_up_to_height(definition, stream);
        stream.height = before;
        if outcome.is_none() && !self.stopped {
            let message = format!("the arguments of macro {} are not closed", self.text(name));
            let diagnostic = Diagnostic::error("unclosed-arguments", name.span, message)
                .also(definition.span, "the macro is defined here")
                .advise("add ) behind the last argument");
            self.report(diagnostic);
        }
        outcome
    }

    fn arguments_up_to_height(
        &mut self,
        definition: &Macro,
        stream: &mut Stream,
    ) -> Option<(Vec<Vec<PpToken>>, PpToken)> {
        let params = definition.params.as_ref().map_or(0, Vec::len);
        let mut arguments = Vec::new();
        let mut current = Vec::new();
        let mut depth = 0usize;
        self.next(stream)?;
        loop {
            let token = self.next(stream)?;
            self.charge(1, token.span);
            let takes_rest = definition.variadic && arguments.len() + 1 == params;
            match token.kind {
                Kind::Punct(Punct::LeftParen) => depth += 1,
                Kind::Punct(Punct::RightParen) if depth == 0 => {
                    arguments.push(current);
                    return Some((arguments, token));
                }
                Kind::Punct(Punct::RightParen) => depth -= 1,
                Kind::Punct(Punct::Comma) if depth == 0 && !takes_rest => {
                    arguments.push(std::mem::take(&mut current));
                    continue;
                }
                _ => {}
            }
            current.push(PpToken { line_start: false, ..token });
        }
    }

    /// Fits the arguments to the parameters; reports it if there are too many or too few.
    fn matched(&mut self, name: PpToken, definition: &Macro, mut given: Vec<Vec<PpToken>>) -> Option<Arguments> {
        let params = definition.params.as_ref().map_or(0, Vec::len);
        let nothing = given.len() == 1 && given[0].is_empty();
        if params == 0 && nothing {
            return Some(Arguments::none());
        }
        let mut rest_omitted = definition.variadic && params == 1 && nothing;
        if definition.variadic && given.len() + 1 == params {
            given.push(Vec::new());
            rest_omitted = true;
        }
        if given.len() == params {
            return Some(Arguments::new(given, rest_omitted));
        }
        let wanted = match (params, definition.variadic) {
            (1, false) => "1 argument".to_string(),
            (n, false) => format!("{n} arguments"),
            (n, true) => format!("at least {} arguments", n - 1),
        };
        let count = match given.len() {
            _ if nothing => "none is".to_string(),
            1 => "1 is".to_string(),
            n => format!("{n} are"),
        };
        let message = format!("macro {} takes {wanted}, but {count} given", self.text(name));
        let diagnostic =
            Diagnostic::error("argument-count", name.span, message).also(definition.span, "the macro is defined here");
        self.report(diagnostic);
        None
    }
}
