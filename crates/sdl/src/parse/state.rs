//! Start, states, inputs, saves, continuous signals and free transitions.

use super::cursor::{Parsed, Parser};
use crate::ast::*;
use crate::lex::Kind;
use starwheel_base::{Diagnostic, Span};

/// A broken part of a state ends at one of these.
const PART_WORDS: &[&str] = &[
    "input",
    "save",
    "provided",
    "priority",
    "connect",
    "endstate",
    "state",
    "connection",
    "start",
    "endprocess",
    "endprocedure",
    "endoperator",
    "endsubstructure",
];

impl Parser<'_> {
    /// Starts, states and free transitions, as many as there are.
    pub fn body(&mut self, body: &mut Body) -> Parsed<()> {
        loop {
            let place = self.place();
            let result = match self.token().word.as_str() {
                "start" => self.start(body),
                "state" if !self.is_composite() => self.state(body),
                "connection" => self.connection(body),
                _ => return Ok(()),
            };
            if result.is_err() {
                if self.place() == place {
                    self.bump();
                }
                self.skip_to(PART_WORDS);
            }
        }
    }

    fn start(&mut self, body: &mut Body) -> Parsed<()> {
        let span = self.span();
        self.bump();
        self.virtual_transition();
        let via = if self.is_name() && !self.is("comment") { Some(self.name("an entry point")?) } else { None };
        self.end()?;
        self.only_start(body, span, via.as_ref());
        let trans = self.trans()?;
        body.starts.push(Start { span, via, trans });
        Ok(())
    }

    /// Reports a START where there is another one that begins in the same way.
    pub fn only_start(&mut self, body: &Body, span: Span, via: Option<&Name>) {
        let same = |s: &&Start| s.via.as_ref().map(|v| &v.key) == via.map(|v| &v.key);
        if let Some(other) = body.starts.iter().find(same) {
            let d = Diagnostic::error("two-starts", span, "there are two STARTs: which one is meant?");
            self.diagnostics.push(d.also(other.span, "the other one").advise("leave one of them out"));
        }
    }

    fn connection(&mut self, body: &mut Body) -> Parsed<()> {
        self.bump();
        let trans = self.trans()?;
        body.free.push(trans);
        self.closing("endconnection")
    }

    fn state(&mut self, body: &mut Body) -> Parsed<()> {
        let span = self.span();
        self.bump();
        let mut except = Vec::new();
        let names = if self.accept_mark("*") {
            if self.accept_mark("(") {
                except = self.names("a state")?;
                self.expect_mark(")")?;
            }
            None
        } else {
            Some(self.names("a state")?)
        };
        self.end()?;
        let parts = self.parts();
        body.states.push(StateDef { names, except, parts, span });
        if self.is("endstate") { self.closing("endstate") } else { Ok(()) }
    }

    fn parts(&mut self) -> Vec<StatePart> {
        let mut parts = Vec::new();
        loop {
            let place = self.place();
            match self.part(&mut parts) {
                Ok(true) => {}
                Ok(false) => return parts,
                Err(_) => {
                    if self.place() == place {
                        self.bump();
                    }
                    self.skip_to(PART_WORDS);
                }
            }
        }
    }

    fn part(&mut self, parts: &mut Vec<StatePart>) -> Parsed<bool> {
        match self.token().word.as_str() {
            "save" => {
                self.bump();
                self.virtual_transition();
                let names = self.all_or_names("a signal")?;
                self.end()?;
                parts.push(StatePart::Save(names));
            }
            "priority" if self.ahead(1).word == "input" => {
                self.bump();
                self.input(true, parts)?;
            }
            "input" => self.input(false, parts)?,
            "provided" => self.continuous(parts)?,
            "connect" => {
                self.bump();
                let exits = if self.is_name() || self.is_mark("*") {
                    self.all_or_names("an exit")?
                } else {
                    Names::List(vec![])
                };
                self.end()?;
                let trans = self.trans()?;
                parts.push(StatePart::Connect { exits, trans });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn all_or_names(&mut self, what: &str) -> Parsed<Names> {
        if self.accept_mark("*") {
            return Ok(Names::All);
        }
        // Lists of signals may stand in brackets.
        let mut list = Vec::new();
        loop {
            let bracket = self.accept_mark("(");
            list.push(self.name(what)?);
            if bracket {
                self.expect_mark(")")?;
            }
            if !self.accept_mark(",") {
                return Ok(Names::List(list));
            }
        }
    }

    fn input(&mut self, priority: bool, parts: &mut Vec<StatePart>) -> Parsed<()> {
        let span = self.span();
        self.bump();
        self.virtual_transition();
        let Ok(what) = self.input_what() else {
            // What is wrong has been said; its transition is still read.
            self.skip_to(PART_WORDS);
            self.trans()?;
            return Ok(());
        };
        let span = span.to(self.last());
        self.end()?;
        let mut provided = None;
        if self.accept("provided") {
            provided = Some(self.expr()?);
            self.end()?;
        }
        let trans = self.trans()?;
        parts.push(StatePart::Input(Input {
            priority,
            what,
            provided,
            trans,
            eager: false,
            own: true,
            urgent: None,
            timed: false,
            span,
        }));
        Ok(())
    }

    /// `input virtual x`: as long as nobody inherits, nobody changes it.
    fn virtual_transition(&mut self) {
        let followed = self.ahead(1).kind == Kind::Name || self.mark_ahead(1, "*") || self.mark_ahead(1, ";");
        if self.is("virtual") && followed {
            self.bump();
        } else if self.is_one_of(&["redefined", "finalized"]) && followed {
            let what = format!("{}, which changes a type,", self.token().word.to_uppercase());
            let _: Parsed<()> = self.refuse(self.span(), &what, "write the type out in full");
            self.bump();
        }
    }

    fn input_what(&mut self) -> Parsed<InputWhat> {
        if self.accept_mark("*") {
            return Ok(InputWhat::All);
        }
        if self.is("none") && !self.mark_ahead(1, "(") {
            self.bump();
            return Ok(InputWhat::Nothing);
        }
        if self.is("procedure") {
            return self.refuse(self.span(), "a remote procedure", "exchange signals instead");
        }
        let mut list = vec![self.stimulus()?];
        while self.accept_mark(",") {
            list.push(self.stimulus()?);
        }
        Ok(InputWhat::Signals(list))
    }

    fn stimulus(&mut self) -> Parsed<Stimulus> {
        let bracket = self.accept_mark("(");
        let name = self.name("a signal")?;
        if bracket {
            self.expect_mark(")")?;
        }
        let into = if self.is_mark("(") { self.optional_args()? } else { Vec::new() };
        if self.is("from") || self.is("to") {
            let advice = "give the event a name with `signal … renames input …`";
            return self.refuse(self.span(), "the sender or receiver of an input", advice);
        }
        Ok(Stimulus { name, into })
    }

    fn continuous(&mut self, parts: &mut Vec<StatePart>) -> Parsed<()> {
        self.bump();
        let when = self.expr()?;
        self.end()?;
        let mut priority = i64::MAX;
        if self.is("priority") && self.ahead(1).word != "input" {
            self.bump();
            let Kind::Int(n) = self.token().kind else { return self.unexpected("a number") };
            self.bump();
            priority = n;
            self.end()?;
        }
        let trans = self.trans()?;
        parts.push(StatePart::Continuous { when, priority, trans });
        Ok(())
    }
}
