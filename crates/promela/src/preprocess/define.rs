//! Macro definitions: `#define` and `#undef`.

use super::names::Symbol;
use super::{PpToken, Preprocessor};
use crate::lex::Kind;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};
use std::rc::Rc;

/// What a piece of a macro's body stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Itself.
    Plain,
    /// The argument with this number.
    Argument(usize),
    /// The argument with this number as a string.
    Quoted(usize),
}

/// One token of a macro's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub what: What,
    pub token: PpToken,
    /// `##` stands in front of it.
    pub glued_before: bool,
    /// `##` stands behind it.
    pub glued_after: bool,
}

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub name: Symbol,
    /// The name in the definition.
    pub span: Span,
    /// The parameters' names, if it is used with parentheses.
    pub params: Option<Vec<Symbol>>,
    /// The last parameter takes all arguments that are left.
    pub variadic: bool,
    pub body: Vec<Piece>,
}

impl Macro {
    /// A name that stands for the text of a number.
    pub fn one(name: Symbol, text: Symbol) -> Macro {
        let (span, hide) = (Span::default(), Default::default());
        let token = PpToken { kind: Kind::Number, text, span, line: 1, hide, space: true, line_start: false };
        let body = vec![Piece { what: What::Plain, token, glued_before: false, glued_after: false }];
        Macro { name, span, params: None, variadic: false, body }
    }

    /// True if the definitions are the same but for the amount of white space.
    fn same(&self, other: &Macro) -> bool {
        let key = |p: &Piece| (p.what, p.token.text, p.token.space, p.glued_before);
        self.params == other.params
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(|(a, b)| key(a) == key(b))
    }
}

/// The parameter list of a macro, and how many tokens it takes.
struct Params {
    names: Vec<Symbol>,
    variadic: bool,
    tokens: usize,
}

impl Preprocessor<'_> {
    /// True for `#ifdef`.
    pub(super) fn macro_exists(&self, name: Symbol) -> bool {
        name == Symbol::LINE || name == Symbol::FILE || self.macros.contains_key(&name)
    }

    /// Does a `#define` whose keyword has been read.
    pub(super) fn define(&mut self, keyword: PpToken) {
        let line = self.line_tokens();
        match self.definition(keyword, &line) {
            Ok(definition) => self.add_macro(definition),
            Err(diagnostic) => self.report(diagnostic),
        }
    }

    fn add_macro(&mut self, definition: Macro) {
        if let Some(old) = self.macros.get(&definition.name)
            && !old.same(&definition)
        {
            let message = format!("macro {} gets a different meaning here", self.names.text(definition.name));
            let name = self.names.text(definition.name);
            let typed = self.map.file(old.span.file).name == super::COMMAND_LINE;
            let diagnostic = match typed {
                true => Diagnostic::warning("macro-redefined", definition.span, message)
                    .here("this value is used, not the one of -D")
                    .advise(format!(
                        "write `#ifndef {name}` in front of this line and `#endif` behind it to let -D win"
                    )),
                false => Diagnostic::warning("macro-redefined", definition.span, message)
                    .also(old.span, "first defined here")
                    .advise("put an #undef in front of it if this is wanted"),
            };
            self.report(diagnostic);
        }
        self.macros.insert(definition.name, Rc::new(definition));
    }

    /// Does an `#undef` whose keyword has been read.
    pub(super) fn undefine(&mut self, keyword: PpToken) {
        let Some(token) = self.raw_on_line() else { return };
        if token.kind != Kind::Ident {
            self.line_tokens();
            return self.report(Diagnostic::error("bad-undef", keyword.span, "#undef needs the name of a macro"));
        }
        self.macros.remove(&token.text);
        self.no_more_on_line(&format!("#undef {}", self.text(token)));
    }

    fn definition(&self, keyword: PpToken, line: &[PpToken]) -> Result<Macro, Diagnostic> {
        let bad = |span: Span, message: String| Err(Diagnostic::error("bad-define", span, message));
        let Some((&name, rest)) = line.split_first() else {
            return bad(keyword.span, "#define needs the name of a macro".into());
        };
        if name.kind != Kind::Ident || name.text == Symbol::DEFINED || name.text == Symbol::VA_ARGS {
            return bad(name.span, format!("{} cannot be the name of a macro", self.text(name)));
        }
        let parenthesis = |t: &&PpToken| t.kind == Kind::Punct(Punct::LeftParen) && !t.space;
        let (params, variadic, body) = match rest.first().filter(parenthesis) {
            None => (None, false, rest),
            Some(_) => {
                let params = self.params(name, &rest[1..])?;
                (Some(params.names), params.variadic, &rest[1 + params.tokens..])
            }
        };
        let body = self.body(params.as_deref(), body)?;
        Ok(Macro { name: name.text, span: name.span, params, variadic, body })
    }

    /// Reads the parameters, up to and with the closing parenthesis.
    fn params(&self, name: PpToken, tokens: &[PpToken]) -> Result<Params, Diagnostic> {
        let close = Kind::Punct(Punct::RightParen);
        let Some(end) = tokens.iter().position(|t| t.kind == close) else {
            let message = format!("the parameters of macro {} are not closed", self.text(name));
            return Err(Diagnostic::error("bad-define", name.span, message).advise("add ) behind the last parameter"));
        };
        let mut params = Params { names: Vec::new(), variadic: false, tokens: end + 1 };
        if end == 0 {
            return Ok(params);
        }
        for part in tokens[..end].split(|t| t.kind == Kind::Punct(Punct::Comma)) {
            let (symbol, variadic) = match part {
                [one] if one.kind == Kind::Ident => (one.text, false),
                [dots] if dots.kind == Kind::Ellipsis => (Symbol::VA_ARGS, true),
                [one, dots] if one.kind == Kind::Ident && dots.kind == Kind::Ellipsis => (one.text, true),
                _ => return Err(self.bad_parameter(name, part)),
            };
            if params.variadic || params.names.contains(&symbol) {
                return Err(self.bad_parameter(name, part));
            }
            params.names.push(symbol);
            params.variadic = variadic;
        }
        Ok(params)
    }

    fn bad_parameter(&self, name: PpToken, part: &[PpToken]) -> Diagnostic {
        let span = part.first().map_or(name.span, |t| t.span);
        let message = format!("the parameters of macro {} must be different names between commas", self.text(name));
        Diagnostic::error("bad-define", span, message)
            .advise("leave a blank behind the name if the macro has no parameters")
    }

    fn body(&self, params: Option<&[Symbol]>, tokens: &[PpToken]) -> Result<Vec<Piece>, Diagnostic> {
        let number = |t: &PpToken| params.and_then(|p| p.iter().position(|&name| name == t.text));
        let number = |t: &PpToken| number(t).filter(|_| t.kind == Kind::Ident);
        let mut pieces: Vec<Piece> = Vec::new();
        let mut glue = None;
        let mut rest = tokens.iter();
        while let Some(&token) = rest.next() {
            if token.kind == Kind::HashHash {
                let Some(last) = pieces.last_mut() else { return Err(lonely_glue(token)) };
                last.glued_after = true;
                glue = Some(token);
                continue;
            }
            let what = match token.kind {
                Kind::Hash if params.is_some() => match rest.next().and_then(number) {
                    Some(i) => What::Quoted(i),
                    None => return Err(lonely_hash(token)),
                },
                _ => number(&token).map_or(What::Plain, What::Argument),
            };
            pieces.push(Piece { what, token, glued_before: glue.take().is_some(), glued_after: false });
        }
        match glue {
            Some(token) => Err(lonely_glue(token)),
            None => Ok(pieces),
        }
    }
}

fn lonely_glue(token: PpToken) -> Diagnostic {
    let message = "## joins two tokens and cannot stand at the beginning or the end of a macro";
    Diagnostic::error("bad-define", token.span, message)
}

fn lonely_hash(token: PpToken) -> Diagnostic {
    let message = "# in a macro with parameters must stand in front of one of them";
    Diagnostic::error("bad-define", token.span, message)
}
