//! Sequences of steps: separators, declarations among statements, labels, and `unless`.

use super::cursor::{Parse, Parser, Tk};
use super::keyword::Kw;
use super::recover::{Closer, LINE_END_ADVICE, Opener, QUERY_ADVICE, is_infix};
use crate::ast::*;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};

impl Parser<'_> {
    /// `{ … }`; `what` names the thing, such as "the body of this process".
    pub(super) fn block(&mut self, what: &'static str, why: &str) -> Parse<Block> {
        let start = self.expect(Punct::LeftBrace, why)?;
        let opener = Opener { closer: Closer::Brace, span: start, what };
        self.openers.push(opener);
        let steps = self.sequence(start);
        self.close(opener);
        Ok(Block { span: self.since(start), steps })
    }

    /// The steps up to whatever ends the sequence, which is not consumed. `start` is where the sequence was opened.
    pub(super) fn sequence(&mut self, start: Span) -> Vec<Step> {
        let mut steps = Vec::new();
        while !self.at_sequence_end() {
            let before = (self.stream.pos, self.stream.implied_taken);
            if self.at_separator() {
                self.refuse_leading_separator(steps.is_empty());
            } else {
                steps.push(self.step_or_skip());
                self.separator();
            }
            if before == (self.stream.pos, self.stream.implied_taken) && !self.at_sequence_end() {
                self.bump_raw();
            }
        }
        if steps.is_empty() {
            let d = Diagnostic::error("empty-sequence", start, "a sequence must have at least one statement");
            self.report(d.advise("write `skip` if nothing is to be done"));
        }
        steps
    }

    /// A separator where a statement should begin.
    fn refuse_leading_separator(&mut self, first: bool) {
        if first {
            let text = self.found();
            let d = Diagnostic::error("syntax", self.span(), format!("expected a statement, found {text}"));
            self.report(d.advise("drop the separator, or write `skip` in front of it"));
        }
        self.bump();
    }

    /// A step; after an error, an empty statement in its place.
    fn step_or_skip(&mut self) -> Step {
        let start = self.span();
        self.before_colon = false;
        self.step().unwrap_or_else(|_| {
            self.skip_statement();
            Step::Stmt(Stmt { span: start, labels: Vec::new(), kind: StmtKind::Skip })
        })
    }

    /// Consumes the separators behind a step, or says that one is missing.
    fn separator(&mut self) {
        if self.at_sequence_end() {
            return;
        }
        if self.at_separator() {
            while self.at_separator() && !self.at_sequence_end() {
                self.bump();
            }
            return;
        }
        self.missing_separator();
        if !self.at_step_start() {
            self.skip_statement();
        }
        while self.at_separator() && !self.at_sequence_end() {
            self.bump();
        }
    }

    fn missing_separator(&mut self) {
        let (last, next) = (self.stream.last_span, self.raw().clone());
        let called = next.kind == Tk::Punct(Punct::LeftParen) && self.last_is_name();
        let message = format!("expected `;` or `->`, found {}", self.found());
        let mut d = Diagnostic::error("missing-separator", next.span, message);
        match next.kind {
            _ if called => {
                d = d.advise("only inlines can be called, as statements of their own or as `x = name(…)`");
            }
            Tk::Kw(Kw::Unless) => d = d.advise("use braces to nest: `{ a unless { b } } unless { c }`"),
            Tk::Punct(Punct::Assign) => d = d.advise("only a variable can be assigned to, and only once per statement"),
            Tk::Punct(Punct::And | Punct::Or) => d = d.advise("outside formulas write `&&` and `||`"),
            Tk::Punct(Punct::Query | Punct::QueryQuery) => d = d.advise(QUERY_ADVICE),
            Tk::Punct(Punct::Colon) => {
                d = d.advise("a conditional expression is written `(condition -> value : other value)`")
            }
            _ if next.starts_line => {
                d = Diagnostic { labels: Diagnostic::error("", last, "").labels, ..d }.here("here")
            }
            Tk::Ident(_) if self.last_is_name() => {
                d = d.advise("if the first name is meant as a type, declare it with `typedef`");
            }
            _ => {}
        }
        self.report(d);
    }

    fn last_is_name(&self) -> bool {
        let s = &self.stream;
        s.pos > 0 && matches!(s.tokens[s.pos - 1].kind, Tk::Ident(_))
    }

    /// True if the current token can begin a step.
    fn at_step_start(&self) -> bool {
        match &self.raw().kind {
            Tk::Kw(k) => k.starts_stmt(),
            Tk::Ident(_) | Tk::Punct(Punct::LeftBrace) => true,
            _ => false,
        }
    }

    /// A declaration, `xr`/`xs`, or a statement.
    fn step(&mut self) -> Parse<Step> {
        if self.at_mtype_decl() {
            let d =
                Diagnostic::error("syntax", self.span(), "symbolic constants must be declared outside of processes");
            self.file(d.advise("move this declaration to the top level"));
            let decl = self.mtype_decl()?;
            let stmt = Stmt { span: decl.span, labels: Vec::new(), kind: StmtKind::Skip };
            return Ok(Step::Stmt(stmt));
        }
        if self.at_decl() {
            return Ok(Step::Decl(self.decl()?));
        }
        if matches!(self.peek(), Tk::Kw(Kw::Xr | Kw::Xs)) {
            return Ok(Step::Exclusive(self.exclusive()?));
        }
        self.unless_statement()
    }

    /// `xr c, d`
    fn exclusive(&mut self) -> Parse<Exclusive> {
        let start = self.span();
        let receive = self.at_kw(Kw::Xr);
        self.bump();
        let mut channels = vec![self.var_ref()?];
        while self.eat(Punct::Comma) {
            channels.push(self.var_ref()?);
        }
        Ok(Exclusive { span: self.since(start), receive, channels })
    }

    /// A statement, and what may interrupt it.
    fn unless_statement(&mut self) -> Parse<Step> {
        let start = self.span();
        let labels = self.labels();
        if !labels.is_empty() && (self.at_decl() || matches!(self.peek(), Tk::Kw(Kw::Xr | Kw::Xs))) {
            return self.labelled_declaration(&labels);
        }
        let body = self.labelled(labels)?;
        if !self.at_kw(Kw::Unless) {
            return Ok(Step::Stmt(body));
        }
        self.bump();
        let labels = self.labels();
        let escape = self.labelled(labels)?;
        let kind = StmtKind::Unless { body: Box::new(body), escape: Box::new(escape) };
        Ok(Step::Stmt(Stmt { span: self.since(start), labels: Vec::new(), kind }))
    }

    fn labelled_declaration(&mut self, labels: &[Ident]) -> Parse<Step> {
        let name = &labels[0];
        let message = format!("the label `{}` stands in front of a declaration", name.name);
        let d = Diagnostic::error("label-before-declaration", name.span, message);
        self.file(d.advise("put the label in front of a statement, for instance of a `skip`"));
        self.step()
    }

    /// `L1: L2:`
    fn labels(&mut self) -> Vec<Ident> {
        let mut labels = Vec::new();
        while *self.nth(1) == Tk::Punct(Punct::Colon) {
            match self.peek().clone() {
                Tk::Ident(name) if !self.names.processes_so_far.contains(&name) => {
                    let label = Ident { name, span: self.span() };
                    self.warn_about_label(&label);
                    labels.push(label);
                    self.bump_raw();
                }
                Tk::Kw(kw) if !kw.is_type() => {
                    self.reserved(kw, "a label");
                }
                _ => break,
            }
            self.bump_raw();
        }
        labels
    }

    /// `P:` may be meant as the beginning of a remote reference.
    fn warn_about_label(&mut self, label: &Ident) {
        let name = &label.name;
        if self.names.processes.contains(name) {
            let message = format!("`{name}:` is a label here, as the process type `{name}` is declared further down");
            let d = Diagnostic::warning("label-or-process", label.span, message);
            self.file(d.advise("rename the label, or move this behind the process type to refer to its variables"));
        }
    }

    /// A statement behind its labels.
    fn labelled(&mut self, labels: Vec<Ident>) -> Parse<Stmt> {
        let start = self.span();
        let nothing = self.at_separator() || self.at_sequence_end() || self.at_kw(Kw::Unless);
        if nothing && let Some(last) = labels.last() {
            return Ok(Stmt { span: last.span, labels, kind: StmtKind::Skip });
        }
        if !self.at_step_start() {
            self.refuse_line_start()?;
        }
        // The labels of a statement with an error are kept, as other statements may refer to them.
        let kind = self.nested_statement(|p| p.statement()).unwrap_or_else(|_| {
            self.skip_statement();
            StmtKind::Skip
        });
        Ok(Stmt { span: self.since(start), labels, kind })
    }

    /// An operator or `unless` behind a line end that stood for a semicolon.
    fn refuse_line_start(&mut self) -> Parse<()> {
        let t = self.raw();
        let what = match t.kind {
            Tk::Punct(p) if t.starts_line && is_infix(p) && p != Punct::Minus => p.text(),
            Tk::Kw(Kw::Unless) if t.starts_line => "unless",
            _ => return Ok(()),
        };
        let d = Diagnostic::error("line-end", t.span, format!("expected a statement, found `{what}`"));
        Err(self.report(d.advise(LINE_END_ADVICE)))
    }
}
