//! IF (1.0 and 2.0), as far as systems made from SDL use it: read into the same tree as SDL.
//!
//! There is no grammar of IF in our hands; this is the common ground of its papers. Rates, multisets and priority rules are
//! refused by name.

use super::cursor::{Parsed, Parser, refusal};
use super::if_state::start_of;
use crate::ast::*;
use crate::lex::Kind;
use crate::write::LONGEST;
use starwheel_base::Span;

/// A broken part of a state ends at one of these.
const PART_WORDS: &[&str] = &[
    "input",
    "provided",
    "when",
    "deadline",
    "timeout",
    "save",
    "endstate",
    "state",
    "endprocess",
    "process",
    "endsystem",
];

/// A broken part of a system ends at one of these.
const ITEM_WORDS: &[&str] =
    &["const", "type", "signal", "signalroute", "process", "endprocess", "procedure", "priorityrules", "endsystem"];

impl Parser<'_> {
    /// A whole text of IF.
    pub fn if_file(&mut self) -> Vec<Item> {
        self.iff = true;
        let mut items = Vec::new();
        if self.expect("system").is_ok() {
            let _ = self.if_system(&mut items);
        }
        if !self.at_end() && self.diagnostics.is_empty() {
            let _: Parsed<()> = self.unexpected("the end of the text");
        }
        items
    }

    fn if_system(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let name = self.name("the name of the system")?;
        self.end()?;
        let mut inside = Vec::new();
        while !self.at_end() && !self.is("endsystem") {
            let place = self.place();
            if self.if_item(&mut inside).is_err() {
                if self.place() == place {
                    self.bump();
                }
                self.skip_to(ITEM_WORDS);
                if self.is("endprocess") {
                    self.skip_past(&["endprocess"]);
                }
            }
        }
        items.push(Item::Scope(Scope { name, system: true, is_type: false, items: inside }));
        self.closing("endsystem")
    }

    fn if_item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let span = self.span();
        match self.token().word.as_str() {
            "const" => {
                self.bump();
                let name = self.name("a constant")?;
                let place = self.place();
                self.expect_mark("=")?;
                let value = Some(self.expr()?);
                self.time.declare(&name, value.as_ref());
                let said = self.said_since(place);
                items.push(Item::Synonym(Synonym { name, sort: None, value, said }));
                self.end()
            }
            "type" => self.if_type(items),
            "signal" => {
                self.bump();
                loop {
                    let name = self.name("a signal")?;
                    let sorts = if self.is_mark("(") { self.if_sorts()? } else { Vec::new() };
                    items.push(Item::Signal(SignalDef { name, sorts, renames: None }));
                    if !self.accept_mark(",") {
                        return self.end();
                    }
                }
            }
            "signalroute" => self.if_route(items),
            "process" => self.if_process(items),
            "priorityrules" => {
                self.skip_past(&["endpriorityrules"]);
                self.refuse(span, "a list of priority rules", "leave it out: all orders are then possible")
            }
            "procedure" => {
                self.skip_past(&["endprocedure"]);
                self.refuse(span, "a procedure of IF", "write its text out where it is called")
            }
            _ => self.unexpected("`const`, `type`, `signal`, `signalroute`, `process` or `endsystem`"),
        }
    }

    fn if_sorts(&mut self) -> Parsed<Vec<Name>> {
        self.expect_mark("(")?;
        let mut list = Vec::new();
        if !self.is_mark(")") {
            list = self.names("a type")?;
        }
        self.expect_mark(")")?;
        Ok(list)
    }

    fn if_type(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("the name of the type")?;
        self.expect_mark("=")?;
        let (span, place) = (self.span(), self.place());
        let kind = match self.token().word.as_str() {
            "enum" => {
                self.bump();
                let list = self.names("a literal")?;
                self.only_once("literals", list.iter());
                self.expect("endenum")?;
                SortDefKind::Literals(list)
            }
            "range" => {
                self.bump();
                let lo = self.expr()?;
                self.expect_mark("..")?;
                let hi = self.expr()?;
                let integer = Name { text: "Integer".into(), key: "integer".into(), span };
                SortDefKind::Range(integer, vec![Range::Between(lo, hi)])
            }
            "array" => {
                self.bump();
                self.expect_mark("[")?;
                let len = self.expr()?;
                self.expect_mark("]")?;
                self.expect("of")?;
                let element = self.name("a type")?;
                // The index counts from zero.
                let index = Name { text: format!("{}_index", name.text), key: format!("{}_index", name.key), span };
                let number = |kind| Expr { kind, span };
                let one = number(ExprKind::Int(1));
                let last = number(ExprKind::Binary(Binary::Sub, Box::new(len), Box::new(one)));
                let integer = Name { text: "Integer".into(), key: "integer".into(), span };
                let range = Range::Between(number(ExprKind::Int(0)), last);
                items.push(Item::Sort(SortDef {
                    name: index.clone(),
                    kind: SortDefKind::Range(integer, vec![range]),
                    default: None,
                    operators: Vec::new(),
                    said: self.said_since(place),
                }));
                SortDefKind::Array(index, element)
            }
            "record" => {
                self.bump();
                let mut fields = Vec::new();
                while !self.is("endrecord") && !self.at_end() {
                    let field = self.name("a field")?;
                    fields.push((field, self.name("a type")?));
                    self.end()?;
                }
                self.only_once("fields", fields.iter().map(|f: &(Name, Name)| &f.0));
                self.expect("endrecord")?;
                SortDefKind::Struct(fields)
            }
            "abstract" => {
                self.skip_past(&["endabstract"]);
                return self.refuse(span, "an abstract type", "use enum, range, array or record");
            }
            _ => SortDefKind::Range(self.name("a type")?, Vec::new()),
        };
        let said = self.said_since(place);
        items.push(Item::Sort(SortDef { name, kind, default: None, operators: Vec::new(), said }));
        self.end()
    }

    fn if_route(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("a route")?;
        if self.accept_mark("(") {
            self.expr()?;
            self.expect_mark(")")?;
        }
        let mut route = Route::default();
        while self.accept_mark("#") {
            let span = self.span();
            let word = self.name("an option of a route")?;
            match word.key.as_str() {
                "unicast" | "fifo" | "reliable" | "urgent" => {}
                "lossy" => route.lossy = true,
                "multicast" => route.all = true,
                "peer" => route.peer = true,
                "delay" => route.within = Some(self.if_delay()?),
                "rate" | "multiset" => {
                    let what = format!("a route with #{}", word.key);
                    self.diagnostics.push(refusal(span, &what, "make the route a process that waits"));
                    if self.is_mark("[") {
                        while !self.at_end() && !self.accept_mark("]") {
                            self.bump();
                        }
                    }
                }
                _ => return self.error("unexpected", span, format!("routes have no option #{}", word.text)),
            }
        }
        if route.all && (route.lossy || route.within.is_some()) {
            let what = "a #multicast route that loses or delays";
            self.diagnostics.push(refusal(name.span, what, "send to each process by a route of its own"));
        }
        self.expect("from")?;
        let from = self.if_end()?;
        if from.is_none() && route.within.is_some() {
            let what = "a route with #delay that begins at `env`";
            self.diagnostics.push(refusal(self.last(), what, "leave the delay out: the environment sends at any time"));
        }
        self.expect("to")?;
        let to = vec![self.if_end()?];
        self.expect("with")?;
        let signals = self.names("a signal")?;
        items.push(Item::Channel(Channel {
            name,
            paths: vec![Path { from, to, signals, gates: Vec::new() }],
            delays: false,
            route,
        }));
        self.end()
    }

    /// `[l, u]`: numbers.
    fn if_delay(&mut self) -> Parsed<(i64, i64)> {
        self.expect_mark("[")?;
        let least = self.expr()?;
        self.expect_mark(",")?;
        let most = self.expr()?;
        self.expect_mark("]")?;
        let span = least.span.to(most.span);
        match (self.time.number(&least), self.time.number(&most)) {
            (Some(l), Some(u)) if 0 <= l && l <= u && u <= LONGEST => Ok((l, u)),
            (Some(_), Some(_)) => self.error(
                "range",
                span,
                format!("a delay lies between two numbers from 0 to {LONGEST}, the lesser one first"),
            ),
            _ => self.refuse(span, "a delay that is not made of constants", "write numbers"),
        }
    }

    fn if_end(&mut self) -> Parsed<Option<Name>> {
        let name = self.name("a process or `env`")?;
        Ok((name.key != "env").then_some(name))
    }

    fn if_process(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("the name of the process")?;
        let mut count = Count { initial: Some(Expr { kind: ExprKind::Int(1), span: name.span }), most: None };
        if self.accept_mark("(") {
            let Kind::Int(n) = self.token().kind else { return self.unexpected("a number of instances") };
            count.initial = Some(Expr { kind: ExprKind::Int(n), span: self.span() });
            self.bump();
            self.expect_mark(")")?;
        }
        self.end()?;
        let (mut params, mut inside, mut body) = (Vec::new(), Vec::new(), Body::default());
        loop {
            let read = match self.token().word.as_str() {
                "fpar" => self.if_params(&mut params),
                "var" => self.if_var(&mut inside),
                _ => break,
            };
            if read.is_err() {
                // What follows is still read.
                self.skip_to(&["fpar", "var", "state", "endprocess"]);
            }
        }
        let (mut starts, mut unstable) = (Vec::new(), Vec::new());
        while self.is("state") {
            if self.if_state(&mut body, &mut starts, &mut unstable).is_err() {
                self.skip_past(&["endstate"]);
            }
        }
        self.time.expand(&mut inside, &mut body);
        self.if_unstable(&mut body, &unstable, &starts);
        for (name, span) in starts {
            self.only_start(&body, span, None);
            let trans = start_of(&name, &mut body, span);
            body.starts.push(Start { span, via: None, trans });
        }
        if body.starts.is_empty() {
            self.diagnostics.push(starwheel_base::Diagnostic::error(
                "no-start",
                name.span,
                "no state of this process is #start",
            ));
        }
        let process = Process { name, is_type: false, count, params, items: inside, body };
        items.push(Item::Process(Box::new(process)));
        self.closing("endprocess")
    }

    fn if_params(&mut self, params: &mut Vec<Param>) -> Parsed<()> {
        self.bump();
        loop {
            let name = self.name("a parameter")?;
            let sort = self.name("a type")?;
            self.time.add_variable(&name);
            params.push(Param { pass: Pass::In, name, sort });
            if !self.accept_mark(",") {
                return self.end();
            }
        }
    }

    fn if_var(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let names = self.names("a variable")?;
        let sort = self.name("a type")?;
        names.iter().for_each(|n| self.time.add_variable(n));
        if sort.key == "clock" {
            names.into_iter().for_each(|n| self.time.add_clock(n));
            return self.end();
        }
        let value = if self.accept_mark(":=") { Some(self.expr()?) } else { None };
        items.extend(names.into_iter().map(|name| match sort.key.as_str() {
            "timer" => Item::Timers(vec![Timer { name, clock: false, sorts: Vec::new(), default: None }]),
            _ => Item::Variables(vec![Variable { name, sort: sort.clone(), value: value.clone() }]),
        }));
        self.end()
    }

    fn if_state(&mut self, body: &mut Body, starts: &mut Vec<(Name, Span)>, unstable: &mut Vec<String>) -> Parsed<()> {
        let span = self.span();
        self.bump();
        let name = self.name("a state")?;
        while self.accept_mark("#") {
            let option = self.name("an option of a state")?;
            match option.key.as_str() {
                "start" => starts.push((name.clone(), span)),
                "unstable" => unstable.push(name.key.clone()),
                "stable" => {}
                _ => {
                    let what = format!("a state with #{}", option.key);
                    self.diagnostics.push(refusal(option.span, &what, "leave it out"));
                }
            }
        }
        self.end()?;
        let mut parts = Vec::new();
        while !self.at_end() && !self.is_one_of(&["endstate", "state", "endprocess"]) {
            let place = self.place();
            if self.if_part(&mut parts).is_err() {
                if self.place() == place {
                    self.bump();
                }
                self.skip_to(PART_WORDS);
            }
        }
        self.closing("endstate")?;
        body.states.push(StateDef { names: Some(vec![name]), except: Vec::new(), parts, span });
        Ok(())
    }

    fn if_part(&mut self, parts: &mut Vec<StatePart>) -> Parsed<()> {
        let span = self.span();
        if self.accept("save") {
            let list = self.names("a signal")?;
            parts.push(StatePart::Save(Names::List(list)));
            return self.end();
        }
        let (mut provided, mut what, mut eager, mut delayable) = (None, InputWhat::Nothing, true, false);
        let (mut when, mut by_timer) = (Vec::new(), false);
        loop {
            if self.accept("deadline") {
                let word = self.name("`eager`, `lazy` or `delayable`")?;
                (eager, delayable) = (word.key == "eager", word.key == "delayable");
                if !["eager", "lazy", "delayable"].contains(&word.key.as_str()) {
                    return self.error("unexpected", word.span, format!("there is no deadline `{}`", word.text));
                }
            } else if self.accept("provided") {
                provided = Some(self.expr()?);
            } else if self.accept("when") {
                when.extend(self.if_when()?);
            } else if self.accept("input") {
                let name = self.name("a signal")?;
                let into = if self.is_mark("(") { self.optional_args()? } else { Vec::new() };
                what = InputWhat::Signals(vec![Stimulus { name, into }]);
            } else if self.accept("timeout") {
                let name = self.name("a timer")?;
                by_timer = true;
                what = InputWhat::Signals(vec![Stimulus { name, into: Vec::new() }]);
            } else {
                break;
            }
            self.end()?;
        }
        let trans = self.deeper(|p| p.if_trans())?;
        if matches!(trans, Trans { ref actions, end: None } if actions.is_empty()) {
            return self.unexpected("a transition");
        }
        let span = span.to(self.last());
        if !eager && !matches!(what, InputWhat::Nothing) {
            return self.refuse(
                span,
                "an input that may wait",
                "take the signal at once, then wait in a state behind it",
            );
        }
        if !when.is_empty() && by_timer {
            return self.refuse(span, "a condition on clocks at a timeout", "ask in a state behind it");
        }
        let urgent = if delayable { self.time.about_to_end(provided.as_ref(), &when, span) } else { None };
        let provided = self.time.condition(provided, &when, span);
        let timed = !when.is_empty();
        parts.push(StatePart::Input(Input {
            priority: false,
            what,
            provided,
            trans,
            eager,
            own: false,
            urgent,
            timed,
            span,
        }));
        Ok(())
    }
}
