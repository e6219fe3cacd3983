//! Top-level units: processes, claims, formulas, types and global declarations.

use super::cursor::{Parse, Parser, Tk};
use super::keyword::Kw;
use crate::ast::*;
use crate::lower::lint::nearest;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};

impl Parser<'_> {
    /// The whole model.
    pub(super) fn program(&mut self) -> Program {
        let mut units = Vec::new();
        while !self.at_eof() {
            if self.at_separator() {
                self.bump();
                continue;
            }
            let before = self.stream.pos;
            match self.unit() {
                Ok(unit) => units.push(unit),
                Err(_) => self.recover_unit(before),
            }
            self.openers.clear();
            self.in_seq = false;
            self.ltl = None;
            self.stream.parens = 0;
        }
        Program { units }
    }

    /// After an error: goes on at once if the current token begins a unit.
    fn recover_unit(&mut self, before: usize) {
        let starts = matches!(self.raw().kind, Tk::Kw(k) if k.starts_unit());
        if self.stream.pos == before || !starts {
            self.skip_unit();
        }
    }

    fn unit(&mut self) -> Parse<Unit> {
        let kw = match self.peek() {
            Tk::Kw(kw) => *kw,
            Tk::Ident(_) if self.at_decl() => return Ok(Unit::Decl(self.global_decl()?)),
            _ => return Err(self.not_a_unit()),
        };
        Ok(match kw {
            Kw::Active | Kw::Proctype | Kw::DProctype => Unit::Proctype(self.proctype()?),
            Kw::Init => Unit::Init(self.init()?),
            Kw::Never => Unit::Never(self.never()?),
            Kw::Trace | Kw::Notrace => Unit::Trace(self.trace()?),
            Kw::Ltl => Unit::Ltl(self.ltl_unit()?),
            Kw::Typedef => Unit::Typedef(self.typedef()?),
            Kw::Inline => Unit::Inline(self.inline_definition()?),
            Kw::CCode | Kw::CDecl => Unit::Embedded(self.embedded_code()?),
            Kw::CState | Kw::CTrack => Unit::Embedded(self.embedded_state(kw)?),
            _ if self.at_mtype_decl() => Unit::Mtype(self.mtype_decl()?),
            _ if kw.starts_decl() => Unit::Decl(self.global_decl()?),
            _ => return Err(self.not_a_unit()),
        })
    }

    fn not_a_unit(&mut self) -> super::cursor::Failed {
        let message = format!("expected a declaration or a process, found {}", self.found());
        let d = Diagnostic::error("syntax", self.span(), message);
        let d = match self.peek() {
            Tk::Ident(name) if meant(name).is_some() => {
                d.advise(format!("did you mean `{}`?", meant(name).unwrap_or_default()))
            }
            Tk::Ident(_) | Tk::Kw(_) => d.advise("statements can only stand inside `init` or a `proctype`"),
            Tk::Punct(Punct::RightBrace) => d.advise("there is a `}` too many here or further up"),
            _ => d,
        };
        self.report(d)
    }

    /// A declaration at top level; a semicolon behind it is not needed.
    fn global_decl(&mut self) -> Parse<Decl> {
        let decl = self.decl()?;
        let next = &self.raw().kind;
        let goes_on = matches!(next, Tk::Punct(Punct::Semicolon | Punct::Arrow) | Tk::Eof | Tk::Kw(_));
        if !goes_on && !self.at_decl() {
            self.expected("`;` behind the declaration");
            self.skip_unit();
        }
        Ok(decl)
    }

    /// `active [N] proctype P(params) priority n provided (e) { … }`
    fn proctype(&mut self) -> Parse<Proctype> {
        let start = self.span();
        let active =
            if self.eat_kw(Kw::Active) { Some(Active { span: start, count: self.array_length()? }) } else { None };
        let deterministic = self.at_kw(Kw::DProctype);
        if !deterministic && !self.at_kw(Kw::Proctype) {
            return Err(self.expected("`proctype`"));
        }
        self.bump();
        let name = self.ident("the name of the process type")?;
        self.names.processes_so_far.insert(name.name.clone());
        let span = self.since(start);
        let params = self.parameter_list()?;
        let priority = self.priority()?;
        let provided = self.provided()?;
        let body = self.body("the body of this process")?;
        Ok(Proctype { span, name, active, deterministic, params, priority, provided, body })
    }

    /// `(params)`
    fn parameter_list(&mut self) -> Parse<Vec<Decl>> {
        if self.at(Punct::LeftBrace) {
            let d = Diagnostic::error("syntax", self.span(), "expected `(` behind the name of the process type");
            self.file(d.advise("write `()` if it has no parameters"));
            return Ok(Vec::new());
        }
        self.expect(Punct::LeftParen, "behind the name of the process type")?;
        let params = self.parameters()?;
        self.expect(Punct::RightParen, "to end the parameters")?;
        Ok(params)
    }

    fn provided(&mut self) -> Parse<Option<Expr>> {
        if !self.eat_kw(Kw::Provided) {
            return Ok(None);
        }
        if !self.at(Punct::LeftParen) {
            return Err(self.expected("`(` and a condition behind `provided`"));
        }
        self.bump();
        let e = self.full_expr()?;
        self.expect(Punct::RightParen, "to end the condition")?;
        Ok(Some(e))
    }

    /// The body of a process, a claim or a trace.
    fn body(&mut self, what: &'static str) -> Parse<Block> {
        if !self.at(Punct::LeftBrace) {
            return Err(self.expected("`{` to begin the body"));
        }
        // Line ends count behind the brace, not yet in front of it.
        self.in_seq = true;
        self.stream.implied_taken = true;
        let body = self.block(what, "");
        self.in_seq = false;
        body
    }

    fn init(&mut self) -> Parse<Init> {
        let span = self.span();
        self.bump();
        if self.at(Punct::LeftParen) {
            let d = Diagnostic::error("syntax", self.span(), "`init` has no parameters");
            return Err(self.report(d.advise("write `init { … }`")));
        }
        let priority = self.priority()?;
        Ok(Init { span, priority, body: self.body("the body of `init`")? })
    }

    fn never(&mut self) -> Parse<Never> {
        let span = self.span();
        self.bump();
        let name = self.optional_name("the name of the claim")?;
        Ok(Never { span, name, body: self.body("this claim")? })
    }

    fn trace(&mut self) -> Parse<Trace> {
        let span = self.span();
        let forbidden = self.at_kw(Kw::Notrace);
        self.bump();
        Ok(Trace { span, forbidden, body: self.body("this trace")? })
    }

    fn optional_name(&mut self, what: &str) -> Parse<Option<Ident>> {
        if self.at(Punct::LeftBrace) { Ok(None) } else { self.ident(what).map(Some) }
    }

    /// `ltl name { formula }`
    fn ltl_unit(&mut self) -> Parse<Ltl> {
        let span = self.span();
        self.bump();
        let name = self.optional_name("the name of the formula, or `{`")?;
        let open = self.expect(Punct::LeftBrace, "in front of the formula")?;
        let formula = self.ltl_body(span)?;
        self.eat(Punct::Semicolon);
        if self.at(Punct::RightBrace) {
            self.bump();
            return Ok(Ltl { span, name, formula });
        }
        let d =
            Diagnostic::error("syntax", self.span(), format!("expected an operator or `}}`, found {}", self.found()));
        let d = d.also(open, "the formula begins here");
        let d = match self.formula_habit() {
            Some(advice) => d.advise(advice),
            None if self.at(Punct::Assign) => d.advise("`==` compares; formulas cannot assign"),
            None => d,
        };
        Err(self.report(d))
    }

    /// What stands in the braces of an `ltl` block that begins here.
    fn ltl_body(&mut self, block: Span) -> Parse<Expr> {
        match Some(block.file) {
            file if file == self.formulas.conditions => self.full_expr(),
            file if file == self.formulas.moment => {
                let formula = self.formula(true)?;
                match super::ltl::temporal(&formula) {
                    None => Ok(formula),
                    Some(wrong) => {
                        let message = "a temporal operator speaks of more than one moment";
                        let d = Diagnostic::error("temporal-operator", wrong.span, message).here("this one");
                        Err(self.report(d.advise("write what holds in the state that is meant, such as `x == 3`")))
                    }
                }
            }
            file => self.formula(file == self.formulas.typed),
        }
    }

    fn typedef(&mut self) -> Parse<Typedef> {
        let start = self.span();
        self.bump();
        let name = self.ident("the name of the new type")?;
        let span = self.since(start);
        let open = self.expect(Punct::LeftBrace, "in front of the fields")?;
        self.in_seq = true;
        let fields = self.fields_of_typedef(open);
        self.in_seq = false;
        if self.raw().kind != Tk::Punct(Punct::RightBrace) {
            let d = Diagnostic::error("unclosed", open, "this typedef is not closed by `}`").here("opened here");
            let d = d.also(self.raw().span, format!("{} comes first", self.found()));
            self.report(d);
            return Ok(Typedef { span, name, fields });
        }
        self.bump_raw();
        Ok(Typedef { span, name, fields })
    }
}

/// Words with which a declaration or a process begins.
const OPENINGS: [&str; 18] = [
    "active", "bit", "bool", "byte", "chan", "hidden", "inline", "init", "int", "ltl", "mtype", "never", "notrace",
    "proctype", "short", "trace", "typedef", "unsigned",
];

/// The word that somebody means who has mistyped it.
fn meant(name: &str) -> Option<String> {
    let whole = OPENINGS.into_iter().find(|word| word.starts_with(name) && name.len() > 2);
    let near = whole.map(String::from).or_else(|| nearest(name, OPENINGS.into_iter()))?;
    (near.chars().next() == name.chars().next()).then_some(near)
}
