//! Declarations: variables, channels, parameters, fields and symbolic constants.

use super::cursor::{Parse, Parser, Tk};
use super::keyword::Kw;
use crate::ast::*;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};

impl Parser<'_> {
    /// True at `mtype {`, `mtype = {` and `mtype:sub = {`, with or without `hidden` and the like in front.
    pub(super) fn at_mtype_decl(&self) -> bool {
        let is = |n, p| *self.nth(n) == Tk::Punct(p);
        let visible = usize::from(matches!(self.peek(), Tk::Kw(Kw::Hidden | Kw::Show | Kw::Local)));
        if *self.nth(visible) != Tk::Kw(Kw::Mtype) {
            return false;
        }
        let n = visible + 1;
        let sub = if is(n, Punct::Colon) { 2 } else { 0 };
        is(n + sub, Punct::LeftBrace) || (is(n + sub, Punct::Assign) && is(n + sub + 1, Punct::LeftBrace))
    }

    /// `mtype:sub = { a, b, c }`
    pub(super) fn mtype_decl(&mut self) -> Parse<MtypeDecl> {
        if self.visibility().is_some() {
            let d = Diagnostic::error("syntax", self.stream.last_span, "symbolic constants cannot be hidden or shown");
            self.file(d.advise("drop the word in front of `mtype`"));
        }
        let span = self.span();
        self.bump();
        let subtype = if self.eat(Punct::Colon) { Some(self.ident("the name of a subtype")?) } else { None };
        if subtype.is_some() {
            self.expect(Punct::Assign, "behind the subtype")?;
        } else {
            self.eat(Punct::Assign);
        }
        self.expect(Punct::LeftBrace, "in front of the names")?;
        let mut names = vec![self.ident("the name of a symbolic constant")?];
        loop {
            match self.raw().kind {
                Tk::Punct(Punct::RightBrace) => break,
                Tk::Punct(Punct::Comma) => self.bump_raw(),
                _ => {
                    // Line ends mean nothing between the names.
                    self.stream.implied_taken = true;
                    names.push(self.ident("the name of a symbolic constant, or `}`")?);
                }
            }
        }
        self.bump_raw();
        self.names.mtypes.extend(names.iter().map(|n| n.name.clone()));
        Ok(MtypeDecl { span, subtype, names })
    }

    /// True at a declaration of variables.
    pub(super) fn at_decl(&self) -> bool {
        match self.peek() {
            Tk::Kw(k) => k.starts_decl(),
            Tk::Ident(n) => self.names.types.contains(n) && matches!(self.nth(1), Tk::Ident(_)),
            _ => false,
        }
    }

    /// A type and the names declared with it.
    pub(super) fn decl(&mut self) -> Parse<Decl> {
        let start = self.span();
        let visibility = self.visibility();
        let ty = self.type_name()?;
        let mut vars = vec![self.declarator(&ty)?];
        while self.at(Punct::Comma) && !self.at_next_parameter() {
            self.bump();
            vars.push(self.declarator(&ty)?);
        }
        Ok(Decl { span: self.since(start), visibility, ty, vars })
    }

    /// True if a comma is followed by a type, as in parameter lists of C.
    fn at_next_parameter(&self) -> bool {
        matches!(self.nth(1), Tk::Kw(k) if k.starts_decl())
    }

    fn visibility(&mut self) -> Option<Visibility> {
        let v = match self.peek() {
            Tk::Kw(Kw::Hidden) => Visibility::Hidden,
            Tk::Kw(Kw::Show) => Visibility::Show,
            Tk::Kw(Kw::Local) => Visibility::Local,
            _ => return None,
        };
        self.bump();
        Some(v)
    }

    fn type_name(&mut self) -> Parse<TypeName> {
        let kw = match self.peek() {
            Tk::Kw(k) if k.is_type() => *k,
            Tk::Ident(_) => return Ok(TypeName::Named(self.ident("a type")?)),
            _ => return Err(self.expected("a type")),
        };
        self.bump();
        let ty = match kw {
            Kw::Bit => TypeName::Bit,
            Kw::Bool => TypeName::Bool,
            Kw::Byte => TypeName::Byte,
            Kw::Pid => TypeName::Pid,
            Kw::Short => TypeName::Short,
            Kw::Int => TypeName::Int,
            Kw::Unsigned => TypeName::Unsigned,
            Kw::Chan => TypeName::Chan,
            Kw::Timer => TypeName::Timer,
            _ => return self.mtype_name(),
        };
        if self.at(Punct::Colon) {
            let message = format!("`{}` cannot have a subtype", kw.text());
            let d = Diagnostic::error("syntax", self.span(), message);
            return Err(self.report(d.advise("a width stands behind the name: `unsigned x : 3`")));
        }
        Ok(ty)
    }

    /// `:sub` behind `mtype`, if it is there.
    fn mtype_name(&mut self) -> Parse<TypeName> {
        if !self.eat(Punct::Colon) {
            return Ok(TypeName::Mtype(None));
        }
        Ok(TypeName::Mtype(Some(self.ident("the name of a subtype of mtype")?)))
    }

    fn declarator(&mut self, ty: &TypeName) -> Parse<Declarator> {
        let start = self.span();
        let name = self.ident("the name of a variable")?;
        let width = if self.eat(Punct::Colon) { Some(self.constant("a number of bits")?) } else { None };
        let length = self.array_length()?;
        let init = if self.eat(Punct::Assign) { Some(self.initializer(ty)?) } else { None };
        Ok(Declarator { span: self.since(start), name, width, length, init })
    }

    /// `[N]`, if it is there.
    pub(super) fn array_length(&mut self) -> Parse<Option<Expr>> {
        if !self.eat(Punct::LeftBracket) {
            return Ok(None);
        }
        let e = self.nested(|p| p.expr())?;
        self.expect(Punct::RightBracket, "behind the number of elements")?;
        if self.at(Punct::LeftBracket) {
            let d = Diagnostic::error("syntax", self.span(), "arrays have one dimension only");
            return Err(self.report(d.advise("declare a typedef with an array field, and an array of that")));
        }
        Ok(Some(e))
    }

    fn initializer(&mut self, ty: &TypeName) -> Parse<Initializer> {
        match self.peek() {
            Tk::Punct(Punct::LeftBracket) => self.channel_init().map(Initializer::Channel),
            Tk::Punct(Punct::LeftBrace) => {
                self.bump();
                let list = self.expr_list()?;
                self.expect(Punct::RightBrace, "to end the values")?;
                Ok(Initializer::List(list))
            }
            _ if *ty == TypeName::Chan && matches!(self.peek(), Tk::Kw(Kw::Of)) => {
                Err(self.expected("`[`, a number of slots and `]`"))
            }
            _ => self.expr().map(Initializer::Expr),
        }
    }

    /// `[capacity] of { types }`
    fn channel_init(&mut self) -> Parse<ChannelInit> {
        let start = self.span();
        self.bump();
        let capacity = self.nested(|p| p.expr())?;
        self.expect(Punct::RightBracket, "behind the number of slots")?;
        if !self.eat_kw(Kw::Of) {
            return Err(self.expected("`of` and the types of the messages"));
        }
        self.expect(Punct::LeftBrace, "in front of the types of the messages")?;
        let mut fields = Vec::new();
        loop {
            let at = self.span();
            let ty = self.type_name()?;
            fields.push((ty, self.since(at)));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RightBrace, "behind the types of the messages")?;
        Ok(ChannelInit { span: self.since(start), capacity, fields })
    }

    /// The parameters of a proctype, between the parentheses.
    pub(super) fn parameters(&mut self) -> Parse<Vec<Decl>> {
        let mut params = Vec::new();
        if self.at(Punct::RightParen) {
            return Ok(params);
        }
        loop {
            params.push(self.decl()?);
            let at = self.span();
            if self.eat(Punct::Comma) {
                let d =
                    Diagnostic::error("syntax", at, "parameters of different types are separated by `;`, not by `,`");
                self.file(d.advise("write `proctype P(byte a; int b)`"));
            } else if !self.eat(Punct::Semicolon) {
                return Ok(params);
            }
        }
    }

    /// The fields of a typedef, between the braces.
    pub(super) fn fields_of_typedef(&mut self, open: Span) -> Vec<Decl> {
        let mut fields = Vec::new();
        loop {
            while self.eat(Punct::Semicolon) {}
            match &self.raw().kind {
                Tk::Punct(Punct::RightBrace) | Tk::Eof => break,
                Tk::Kw(k) if k.starts_unit() => break,
                _ => {}
            }
            let before = self.stream.pos;
            match self.decl() {
                Ok(d) => fields.push(d),
                Err(_) => self.skip_statement(),
            }
            let end = matches!(self.raw().kind, Tk::Punct(Punct::RightBrace) | Tk::Eof);
            if !end && !self.at(Punct::Semicolon) {
                self.expected("`;` behind a field");
                if self.stream.pos == before {
                    self.bump_raw();
                }
            }
        }
        if fields.is_empty() {
            let d = Diagnostic::error("empty-sequence", open, "a typedef must have at least one field");
            self.report(d);
        }
        fields
    }
}
