//! Inlines: kept as tokens at their definition, and parsed anew, with the arguments put in, at each call.
//!
//! As in SPIN this is a matter of text: an argument goes in without parentheses around it. Each call becomes an
//! expansion of the source map, and each place where an argument was put in becomes one within it, so that every token
//! can tell where it was written and how it came to its place.

use super::cursor::{Failed, Parse, Parser, Stream, Tk, Tok};
use super::keyword::Kw;
use crate::ast::*;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Expansion, ExpansionId, SourceMap, Span};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// How many tokens all calls together may produce; inlines that call each other can grow exponentially.
const MAX_EXPANDED: usize = 1_000_000;

/// A defined inline.
pub(super) struct Inline {
    name: Ident,
    params: Vec<Ident>,
    /// The body with its braces.
    body: Vec<Tok>,
}

/// A call that is being parsed.
struct Call {
    inline: Rc<Inline>,
    /// What a `return` assigns to.
    result: Option<VarRef>,
}

/// All inlines seen so far, and the calls around the current token.
#[derive(Default)]
pub(super) struct Inlines {
    defined: HashMap<Arc<str>, Rc<Inline>>,
    calls: Vec<Call>,
    expanded: usize,
}

impl Inlines {
    pub(super) fn get(&self, name: &str) -> Option<&Rc<Inline>> {
        self.defined.get(name)
    }

    /// How many calls are around the current token.
    pub(super) fn depth(&self) -> usize {
        self.calls.len()
    }
}

impl Parser<'_> {
    /// `inline name(params) { … }`
    pub(super) fn inline_definition(&mut self) -> Parse<InlineDef> {
        let start = self.span();
        self.bump();
        let name = self.ident("the name of an inline")?;
        let span = self.since(start);
        self.expect(Punct::LeftParen, "behind the name of the inline")?;
        let params = self.inline_params()?;
        self.expect(Punct::RightParen, "to end the parameters")?;
        let body = self.inline_body()?;
        if let Some(earlier) = self.inlines.get(&name.name) {
            let first = earlier.name.span;
            let d = Diagnostic::error("redefined", name.span, format!("the inline `{}` is defined twice", name.name));
            self.file(d.also(first, "first defined here"));
        }
        let inline = Inline { name: name.clone(), params: params.clone(), body };
        self.inlines.defined.insert(name.name.clone(), Rc::new(inline));
        Ok(InlineDef { span, name, params })
    }

    fn inline_params(&mut self) -> Parse<Vec<Ident>> {
        let mut params = Vec::new();
        if self.at(Punct::RightParen) {
            return Ok(params);
        }
        loop {
            if matches!(self.peek(), Tk::Kw(k) if k.starts_decl()) {
                let d = Diagnostic::error("syntax", self.span(), "parameters of an inline have no types");
                return Err(self.report(d.advise("write the names only: `inline f(a, b) { … }`")));
            }
            params.push(self.ident("the name of a parameter")?);
            if !self.eat(Punct::Comma) {
                return Ok(params);
            }
        }
    }

    /// The tokens from `{` to the `}` that belongs to it.
    fn inline_body(&mut self) -> Parse<Vec<Tok>> {
        let open = self.span();
        if !self.at(Punct::LeftBrace) {
            return Err(self.expected("`{` to begin the inline"));
        }
        let first = self.stream.pos;
        if !self.skip_braces() {
            let d = Diagnostic::error("unclosed", open, "the body of this inline is not closed by `}`");
            return Err(self.report(d.here("opened here")));
        }
        Ok(self.stream.tokens[first..self.stream.pos].to_vec())
    }

    /// Skips from `{` behind the `}` that belongs to it; false if there is none before the next unit.
    fn skip_braces(&mut self) -> bool {
        let mut nest = 0_usize;
        loop {
            match self.raw().kind {
                Tk::Eof => return false,
                Tk::Kw(k) if k.starts_unit() => return false,
                Tk::Punct(Punct::LeftBrace) => nest += 1,
                Tk::Punct(Punct::RightBrace) => nest -= 1,
                _ => {}
            }
            self.bump_raw();
            if nest == 0 {
                return true;
            }
        }
    }

    /// `name(args)`, or `x = name(args)` behind the `=`.
    pub(super) fn call(&mut self, result: Option<VarRef>) -> Parse<StmtKind> {
        let start = self.span();
        let Tk::Ident(name) = self.peek().clone() else { return Err(self.expected("the name of an inline")) };
        let Some(inline) = self.inlines.get(&name).cloned() else { return Err(self.unknown_call(&name)) };
        self.bump_raw();
        let args = self.call_args()?;
        let call = self.since(start);
        self.check_call(&inline, &args, call)?;
        let texts = args.iter().map(|a| argument_text(self.map, a)).collect();
        let tokens = self.expand(&inline, &args, call)?;
        let body = self.parse_call(inline, tokens, result.clone(), call)?;
        Ok(StmtKind::InlineCall { name: Ident { name, span: start }, args: texts, result, body })
    }

    /// `(a, b, c)`, cut at the commas.
    fn call_args(&mut self) -> Parse<Vec<Vec<Tok>>> {
        let open = self.span();
        self.bump_raw();
        let mut args = vec![Vec::new()];
        let mut nest: Vec<Punct> = Vec::new();
        loop {
            let t = self.raw().clone();
            match t.kind {
                Tk::Eof => return Err(self.unclosed_call(open)),
                Tk::Kw(k) if k.starts_unit() => return Err(self.unclosed_call(open)),
                Tk::Punct(Punct::Semicolon) if nest.is_empty() => return Err(self.unclosed_call(open)),
                Tk::Punct(p @ (Punct::LeftParen | Punct::LeftBracket | Punct::LeftBrace)) => nest.push(p),
                Tk::Punct(Punct::RightParen) if nest.is_empty() => break,
                Tk::Punct(Punct::RightParen | Punct::RightBracket | Punct::RightBrace) => {
                    nest.pop();
                }
                _ => {}
            }
            self.bump_raw();
            match args.last_mut() {
                Some(last) if t.kind != Tk::Punct(Punct::Comma) || !nest.is_empty() => last.push(t),
                _ => args.push(Vec::new()),
            }
        }
        self.bump_raw();
        if args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        Ok(args)
    }

    fn unclosed_call(&mut self, open: Span) -> Failed {
        let d = Diagnostic::error("syntax", self.span(), format!("expected `)`, found {}", self.found()));
        self.report(d.also(open, "opened here"))
    }

    /// Refuses calls with the wrong number of arguments, and calls of an inline within itself.
    fn check_call(&mut self, inline: &Rc<Inline>, args: &[Vec<Tok>], call: Span) -> Parse<()> {
        let (name, wanted) = (&inline.name.name, inline.params.len());
        if self.inlines.calls.iter().any(|c| Rc::ptr_eq(&c.inline, inline)) {
            let d = Diagnostic::error("recursive-inline", call, format!("the inline `{name}` calls itself"));
            return Err(self.report(d.advise("inlines are copied into their place; use a loop or a process instead")));
        }
        if args.len() != wanted {
            let message = format!("`{name}` takes {}, not {}", arguments(wanted), args.len());
            let d = Diagnostic::error("argument-count", call, message);
            return Err(self.report(d.also(inline.name.span, "defined here")));
        }
        if let Some(i) = args.iter().position(Vec::is_empty) {
            let message = format!("the argument for `{}` is missing", inline.params[i].name);
            return Err(self.report(Diagnostic::error("argument-count", call, message)));
        }
        Ok(())
    }

    /// The body with the arguments in the places of the parameters.
    fn expand(&mut self, inline: &Inline, args: &[Vec<Tok>], call: Span) -> Parse<Vec<Tok>> {
        let id = self.map.add_expansion(Expansion { name: inline.name.name.clone(), call, inline: true });
        let mut tags = HashMap::from([(ExpansionId::NONE, id)]);
        let mut tokens = Vec::new();
        for t in &inline.body {
            let expansion = retag(self.map, &mut tags, t.span.expansion);
            let t = Tok { span: Span { expansion, ..t.span }, ..t.clone() };
            let param = match &t.kind {
                // A symbolic constant hides a parameter of the same name.
                Tk::Ident(n) if !self.names.mtypes.contains(n) => inline.params.iter().position(|p| p.name == *n),
                _ => None,
            };
            match param {
                Some(i) => self.put_in(&mut tokens, &inline.params[i], &args[i], &t),
                None => tokens.push(t),
            }
            if self.inlines.expanded + tokens.len() > MAX_EXPANDED {
                let d =
                    Diagnostic::error("too-deep", call, "the inlines of this model become too long when written out");
                return Err(self.report(d.advise("let them call each other less often")));
            }
        }
        self.inlines.expanded += tokens.len();
        Ok(tokens)
    }

    /// Puts an argument in the place of a parameter.
    fn put_in(&mut self, tokens: &mut Vec<Tok>, param: &Ident, arg: &[Tok], place: &Tok) {
        let expansion = Expansion { name: param.name.clone(), call: place.span, inline: false };
        let expansion = self.map.add_expansion(expansion);
        for (i, t) in arg.iter().enumerate() {
            // Line ends within an argument do not count.
            let starts_line = i == 0 && place.starts_line;
            tokens.push(Tok { kind: t.kind.clone(), span: Span { expansion, ..t.span }, starts_line });
        }
    }

    /// Parses the tokens that a call stands for.
    fn parse_call(&mut self, inline: Rc<Inline>, tokens: Vec<Tok>, result: Option<VarRef>, call: Span) -> Parse<Block> {
        let end = tokens.last().map_or(call, |t| t.span);
        let outer = std::mem::replace(&mut self.stream, Stream::new(tokens, true, end));
        let openers = std::mem::take(&mut self.openers);
        self.inlines.calls.push(Call { inline, result });
        let body = self.nested_statement(|p| p.block("this inline", "to begin the inline"));
        if body.is_ok() && !self.at_eof() {
            self.expected("the end of the inline");
        }
        self.inlines.calls.pop();
        self.openers = openers;
        // Behind the call stands the closing brace of the inline, as far as semicolons are concerned.
        let Stream { last, .. } = std::mem::replace(&mut self.stream, outer);
        self.stream.last = last;
        body
    }

    /// `return e`: an assignment to the variable that the call is assigned to.
    pub(super) fn return_statement(&mut self) -> Parse<StmtKind> {
        let start = self.span();
        self.bump();
        let value = self.full_expr()?;
        let message = match self.inlines.calls.last() {
            Some(Call { result: Some(target), .. }) => {
                return Ok(StmtKind::Assign { target: target.clone(), op: AssignOp::Set(value) });
            }
            Some(Call { inline, .. }) => {
                format!("`return` has no use here, as nothing is assigned in the call of `{}`", inline.name.name)
            }
            None => "`return` can only stand in an inline".to_string(),
        };
        let d = Diagnostic::error("return", start, message);
        self.file(d.advise("call the inline as `x = name(…)`; to leave a process use `goto`"));
        Ok(StmtKind::Skip)
    }

    /// `c_code [assert] { … }` and the like; the text is not looked at.
    pub(super) fn embedded_code(&mut self) -> Parse<EmbeddedC> {
        let start = self.span();
        let name = match self.peek() {
            Tk::Kw(k) => k.text(),
            _ => "c_code",
        };
        let keyword = Ident { name: name.into(), span: start };
        self.bump();
        if self.at(Punct::LeftBracket) {
            while !matches!(self.raw().kind, Tk::Punct(Punct::LeftBrace) | Tk::Eof) {
                self.bump_raw();
            }
        }
        let open = self.span();
        if !self.at(Punct::LeftBrace) {
            return Err(self.expected(&format!("`{{` behind `{name}`")));
        }
        if !self.skip_c_braces() {
            let d = Diagnostic::error("unclosed", open, format!("this `{name}` is not closed by `}}`"));
            return Err(self.report(d.here("opened here")));
        }
        self.stream.last = super::cursor::Last::MayEnd;
        Ok(EmbeddedC { span: self.since(start), keyword })
    }

    /// Skips C text, in which any word may stand.
    fn skip_c_braces(&mut self) -> bool {
        let parens = self.stream.parens;
        let mut nest = 0_usize;
        loop {
            match self.raw().kind {
                Tk::Eof => return false,
                Tk::Punct(Punct::LeftBrace) => nest += 1,
                Tk::Punct(Punct::RightBrace) => nest -= 1,
                _ => {}
            }
            self.bump_raw();
            if nest == 0 {
                self.stream.parens = parens;
                return true;
            }
        }
    }

    /// `c_state "…" "…" ["…"]` and `c_track`.
    pub(super) fn embedded_state(&mut self, kw: Kw) -> Parse<EmbeddedC> {
        let start = self.span();
        let keyword = Ident { name: kw.text().into(), span: start };
        self.bump();
        for i in 0..3 {
            match self.peek() {
                Tk::Str(_) => self.bump(),
                _ if i < 2 => return Err(self.expected("a text in double quotes")),
                _ => {}
            }
        }
        Ok(EmbeddedC { span: self.since(start), keyword })
    }
}

/// The expansion of a token of a body, within the expansion of the call.
fn retag(map: &mut SourceMap, tags: &mut HashMap<ExpansionId, ExpansionId>, id: ExpansionId) -> ExpansionId {
    // Expansions refer to earlier ones only, so the way out is finite; it is walked back from its end.
    let mut way = Vec::new();
    let mut at = id;
    while !tags.contains_key(&at) {
        way.push(at);
        at = map.expansion(at).map_or(ExpansionId::NONE, |e| e.call.expansion);
    }
    let mut tag = tags[&at];
    for &old in way.iter().rev() {
        let Some(e) = map.expansion(old).cloned() else { continue };
        let call = Span { expansion: tag, ..e.call };
        tag = map.add_expansion(Expansion { call, ..e });
        tags.insert(old, tag);
    }
    tag
}

/// "no arguments", "one argument", "2 arguments"
fn arguments(n: usize) -> String {
    match n {
        0 => "no arguments".into(),
        1 => "one argument".into(),
        n => format!("{n} arguments"),
    }
}

/// The characters of an argument, with blanks only where words would run together.
fn argument_text(map: &SourceMap, tokens: &[Tok]) -> String {
    let mut out = String::new();
    let mut after_word = false;
    for t in tokens {
        let word = matches!(t.kind, Tk::Ident(_) | Tk::Kw(_) | Tk::Number(_));
        if word && after_word {
            out.push(' ');
        }
        match &t.kind {
            Tk::Ident(n) => out.push_str(n),
            Tk::Kw(k) => out.push_str(k.text()),
            Tk::Punct(p) => out.push_str(p.text()),
            Tk::Number(n) => out.push_str(&n.to_string()),
            Tk::Str(s) => {
                out.push('"');
                out.push_str(s);
                out.push('"');
            }
            Tk::Eof => out.push_str(map.text(t.span)),
        }
        after_word = word;
    }
    out
}
