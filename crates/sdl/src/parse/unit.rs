//! Files, systems, blocks, signals, channels and routes.

use super::Condition;
use super::cursor::{Parsed, Parser};
use crate::ast::*;
use crate::lex::Kind;

/// Words that can begin an item; a broken one ends at the next of them.
pub const ITEM_WORDS: &[&str] = &[
    "system",
    "block",
    "process",
    "procedure",
    "signal",
    "signallist",
    "channel",
    "signalroute",
    "connect",
    "newtype",
    "syntype",
    "synonym",
    "dcl",
    "timer",
    "start",
    "state",
    "connection",
    "endsystem",
    "endblock",
    "endprocess",
    "endprocedure",
    "endoperator",
    "endnewtype",
    "endsubstructure",
    "endpackage",
    "use",
    "package",
    "gate",
    "select",
    "endselect",
    "virtual",
    "exported",
    "signalset",
    "fpar",
    "monitor",
    "errorstates",
    "ignorestates",
    "successstates",
];

/// What is SDL, but not ours: the word that begins it, what it is, what to do, the word that ends it.
pub const REFUSED: &[(&str, &str, &str, &str)] = &[
    ("macrodefinition", "a macro", "write its text out where it is used", "endmacro"),
    ("macro", "a macro", "write its text out here", ""),
    ("service", "a service", "make it a process, or a part of a state aggregation", "endservice"),
    ("generator", "a generator", "write the sort out for each of its uses", "endgenerator"),
    ("imported", "an imported variable", "ask its owner for the value with a signal", ""),
    ("remote", "a remote procedure or variable", "exchange signals instead", ""),
    ("viewed", "a viewed variable", "ask its owner for the value with a signal", ""),
    ("exception", "an exception", "report the problem with a signal", ""),
    ("interface", "an interface", "list its signals in a signallist", "endinterface"),
    ("object", "an object type", "use a newtype with STRUCT", "endobject"),
    ("value", "a value type", "use a newtype with STRUCT", "endvalue"),
    ("inherits", "inheritance", "write the text out in full", ""),
    ("exceptionhandler", "an exception handler", "report the problem with a signal", "endexceptionhandler"),
    ("machine", "the QSDL word `machine`", "QSDL's queueing parts have no meaning in SDL: leave them out", ""),
    ("sensor", "the QSDL word `sensor`", "QSDL's queueing parts have no meaning in SDL: leave them out", ""),
    ("awake", "the QSDL word `awake`", "QSDL's queueing parts have no meaning in SDL: leave them out", ""),
    ("request", "the QSDL word `request`", "QSDL's queueing parts have no meaning in SDL: leave them out", ""),
    ("load", "the QSDL word `load`", "QSDL's queueing parts have no meaning in SDL: leave them out", ""),
];

impl Parser<'_> {
    pub fn file(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at_end() {
            items.append(&mut self.items());
            if !self.at_end() {
                let _: Parsed<()> = self.unexpected("`system`, `block`, `process` or a declaration");
                self.bump();
                self.skip_to_item();
            }
        }
        items
    }

    /// Items up to the first word that begins none.
    pub fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            let place = self.place();
            match self.item(&mut items) {
                Ok(true) => {}
                Ok(false) => return items,
                Err(_) => {
                    if self.place() == place {
                        self.bump();
                    }
                    self.skip_to(ITEM_WORDS);
                }
            }
        }
    }

    /// One item; false if none begins here.
    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<bool> {
        match self.token().word.as_str() {
            "use" => self.using(items)?,
            "package" => self.package(items)?,
            "system" | "block" => self.scope(items)?,
            "virtual" | "redefined" | "finalized" => self.virtuality(items)?,
            "gate" => self.gate()?,
            "select" => self.select(items)?,
            "process" => self.process(items)?,
            "procedure" => self.procedure(items)?,
            "exported" if self.ahead(1).word == "procedure" => {
                self.bump();
                self.procedure(items)?;
            }
            "signal" => self.signals(items)?,
            "signallist" => self.signal_list(items)?,
            "channel" => self.channel(items)?,
            "signalroute" => self.route(items)?,
            "connect" if self.is_connection() => self.connect(items)?,
            "operator" => self.operator_apart(items)?,
            "newtype" => self.newtype(items)?,
            "syntype" => self.syntype(items)?,
            "synonym" => self.synonym(items)?,
            "dcl" => self.variables(items)?,
            "timer" => self.timers(items)?,
            "monitor" => self.monitor(items)?,
            "errorstates" | "ignorestates" | "successstates" => self.marked(items)?,
            "signalset" => {
                self.bump();
                if !self.is_mark(";") {
                    self.path_signals()?;
                }
                self.end()?;
            }
            "state" if self.is_composite() => self.composite(items)?,
            _ => return self.refused(),
        }
        Ok(true)
    }

    /// Skips what has been complained about, all of it: up to the next word that begins something known or refused.
    pub fn skip_to_item(&mut self) {
        while !self.at_end() && !self.is_one_of(ITEM_WORDS) && !REFUSED.iter().any(|r| self.is(r.0)) {
            self.bump();
        }
    }

    /// Reports a construct that is refused; otherwise nothing begins here.
    fn refused(&mut self) -> Parsed<bool> {
        let Some(&(_, what, advice, end)) = REFUSED.iter().find(|r| self.is(r.0)) else { return Ok(false) };
        let (span, remote) = (self.span(), self.is("remote") || self.is("imported"));
        self.bump();
        if remote && self.accept("procedure") {
            let _ = self.remote_procedure();
        } else if end.is_empty() || self.ahead(1).word == "referenced" {
            self.skip_to_item();
        } else {
            self.skip_past(&[end]);
        }
        self.diagnostics.push(super::cursor::refusal(span, what, advice));
        Ok(true)
    }

    /// `remote procedure p; fpar …; returns …;`, which has no text of its own.
    fn remote_procedure(&mut self) -> Parsed<()> {
        let name = self.name("a procedure")?;
        self.accept("nodelay");
        self.end()?;
        self.signature(&mut Procedure { name, params: Vec::new(), result: None, items: Vec::new(), body: None })
    }

    /// `use dv comment 'dataview.asn';`: the files are handed over beside each other anyway.
    fn using(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        self.name("a package")?;
        while self.accept_mark("/") || self.accept_mark(",") {
            self.name("a name")?;
        }
        self.end()?;
        items.push(Item::Use);
        Ok(())
    }

    /// A package is a bag of declarations.
    fn package(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        self.name("the name of the package")?;
        self.end()?;
        let mut inside = self.deeper(|p| Ok(p.items()))?;
        items.append(&mut inside);
        self.closing("endpackage")
    }

    /// `endblock b;` and the like; the name may be missing, or another one.
    pub fn closing(&mut self, word: &str) -> Parsed<()> {
        self.expect(word)?;
        self.accept("type");
        if self.is_name() && !self.is("comment") {
            self.bump();
        }
        self.end()
    }

    fn scope(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let system = self.is("system");
        self.bump();
        let is_type = self.accept("type");
        let name = self.name("a name")?;
        if self.accept("referenced") {
            self.end()?;
            // The text of a type is found where it is used.
            if !is_type {
                items.push(Item::Referenced(name));
            }
            return Ok(());
        }
        if self.is_mark("(") || self.is_mark("<") {
            let _: Parsed<()> = match self.is_mark("(") {
                true => self.refuse(self.span(), "a set of blocks", "write each of the blocks"),
                false => self.refuse(self.span(), "a context parameter", "write the type out for each of its uses"),
            };
        }
        if self.accept_mark(":") {
            let of = self.name("a type of blocks or systems")?;
            items.push(Item::ScopeUse { name, of, system });
            return self.end();
        }
        if self.is("inherits") {
            let _: Parsed<()> = self.refuse(self.span(), "inheritance of blocks", "write the block out in full");
            self.skip_to(&[]);
        } else if !self.is_mark(";") && !self.is("comment") && !self.at_end() && self.diagnosed() {
            self.skip_to(&[]);
        } else {
            self.end()?;
        }
        let inside = self.deeper(|p| Ok(p.scope_items()))?;
        items.push(Item::Scope(Scope { name, system, is_type, items: inside }));
        self.closing(if system { "endsystem" } else { "endblock" })
    }

    /// `virtual process type …`: without inheritance nobody changes it; with it, that is refused where it is said.
    fn virtuality(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let (span, word) = (self.span(), self.token().word.to_uppercase());
        self.bump();
        if word != "VIRTUAL" {
            let _: Parsed<()> =
                self.refuse(span, &format!("{word}, which changes a type,"), "write the type out in full");
        }
        match self.item(items)? {
            true => Ok(()),
            false => self.unexpected("a type or a procedure"),
        }
    }

    /// `gate g in with a; out with b;`: paths name the gates they go through, and that is all that is needed.
    fn gate(&mut self) -> Parsed<()> {
        self.bump();
        self.name("a gate")?;
        self.accept_mark(";");
        while self.is_one_of(&["in", "out", "adding"]) {
            self.bump();
            for word in ["from", "to"] {
                if self.accept(word) {
                    self.accept("atleast");
                    self.name("a type")?;
                }
            }
            if self.accept("with") && !self.is_mark(";") {
                self.path_signals()?;
            }
            self.accept_mark(",");
            self.remark();
            self.accept_mark(";");
        }
        Ok(())
    }

    /// `select if (c); … endselect;`.
    fn select(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        self.expect("if")?;
        let when = self.expr()?;
        self.end()?;
        let inside = self.deeper(|p| Ok(p.items()))?;
        items.push(Item::Select(when, inside));
        self.expect("endselect")?;
        self.end()
    }

    /// Items of a system or block; what begins none is skipped, so that the end is found.
    fn scope_items(&mut self) -> Vec<Item> {
        let mut items = self.items();
        while !self.at_end() && !self.is_one_of(&["endsystem", "endblock", "endpackage"]) {
            if self.is("substructure") {
                items.append(&mut self.block_substructure());
                items.append(&mut self.items());
                continue;
            }
            let _: Parsed<()> = self.unexpected("a declaration");
            self.bump();
            self.skip_to_item();
            items.append(&mut self.items());
        }
        items
    }

    /// The substructure of a block is what the block consists of; who says both, processes and blocks, means two blocks.
    fn block_substructure(&mut self) -> Vec<Item> {
        self.bump();
        if self.is_name() {
            self.bump();
        }
        let _ = self.end();
        let items = self.deeper(|p| Ok(p.items())).unwrap_or_default();
        let _ = self.closing("endsubstructure");
        items
    }

    fn signals(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        loop {
            let name = self.name("a signal")?;
            let sorts = if self.is_mark("(") { self.sorts()? } else { Vec::new() };
            let renames = if self.accept("renames") { Some(self.event()?) } else { None };
            items.push(Item::Signal(SignalDef { name, sorts, renames }));
            if self.is("refinement") {
                let refused = self.refuse(self.span(), "a refinement of signals", "declare the signals themselves");
                self.skip_past(&["endrefinement"]);
                return refused;
            }
            if !self.accept_mark(",") {
                return self.end();
            }
        }
    }

    /// `input s from g to f`: what an observer watches.
    pub fn event(&mut self) -> Parsed<EventName> {
        if !self.is_one_of(&["input", "output"]) {
            return self.unexpected("`input` or `output`");
        }
        let (span, output) = (self.span(), self.is("output"));
        self.bump();
        let signal = self.name("a signal")?;
        let from = if self.accept("from") { Some(self.name("a process")?) } else { None };
        let to = if self.accept("to") { Some(self.name("a process")?) } else { None };
        Ok(EventName { output, signal, from, to, span: span.to(self.last()) })
    }

    /// A list of sorts in brackets.
    pub fn sorts(&mut self) -> Parsed<Vec<SortName>> {
        self.expect_mark("(")?;
        let list = self.names("a sort")?;
        self.expect_mark(")")?;
        Ok(list)
    }

    fn signal_list(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("a name")?;
        self.expect_mark("=")?;
        let list = self.path_signals()?;
        items.push(Item::SignalList(name, list));
        self.end()
    }

    /// Signals and, in brackets, lists of signals.
    fn path_signals(&mut self) -> Parsed<Vec<Name>> {
        let mut list = Vec::new();
        loop {
            let list_of = self.accept_mark("(");
            list.push(self.name("a signal")?);
            if list_of {
                self.expect_mark(")")?;
            }
            if !self.accept_mark(",") {
                return Ok(list);
            }
        }
    }

    fn channel(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("a name")?;
        let delays = !self.accept("nodelay");
        self.accept_mark(";");
        let paths = self.paths()?;
        if self.is("substructure") {
            let span = self.span();
            self.skip_past(&["endsubstructure"]);
            let _: Parsed<()> =
                self.refuse(span, "a substructure of a channel", "write the processes in a block of their own");
        }
        items.push(Item::Channel(Channel { name, paths, delays, route: Route::default() }));
        self.closing("endchannel")
    }

    fn route(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("a name")?;
        self.accept_mark(";");
        let paths = self.paths()?;
        items.push(Item::Channel(Channel { name, paths, delays: false, route: Route::default() }));
        Ok(())
    }

    fn paths(&mut self) -> Parsed<Vec<Path>> {
        let mut paths = Vec::new();
        while self.accept("from") {
            let mut gates = Vec::new();
            let from = self.end_point(&mut gates)?;
            self.expect("to")?;
            let mut to = vec![self.end_point(&mut gates)?];
            while self.accept_mark(",") {
                to.push(self.end_point(&mut gates)?);
            }
            self.expect("with")?;
            let signals = self.path_signals()?;
            self.end()?;
            paths.push(Path { from, to, signals, gates });
        }
        if paths.is_empty() { self.unexpected("`from`") } else { Ok(paths) }
    }

    /// A process, a block or the environment, and the gate by which the path comes to it.
    fn end_point(&mut self, gates: &mut Vec<Gate>) -> Parsed<Option<Name>> {
        let name = self.name("a process, a block or `env`")?;
        let name = (name.key != "env" && name.key != "this").then_some(name);
        if self.accept("via") {
            gates.push(Gate { of: name.clone(), name: self.name("a gate")? });
        }
        Ok(name)
    }

    /// `connect c and r`, as opposed to `connect` in a state.
    fn is_connection(&self) -> bool {
        let is_list = |n: usize| self.mark_ahead(n, ",") || self.ahead(n).word == "and";
        self.ahead(1).kind == Kind::Name && is_list(2)
    }

    fn connect(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let channels = self.names("a channel")?;
        self.expect("and")?;
        let routes = self.names("a route")?;
        items.extend(channels.into_iter().map(|c| Item::Connect(c, routes.clone())));
        self.end()
    }

    fn monitor(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("a name")?;
        self.name("a sort")?;
        items.push(Item::Monitor(name));
        self.end()
    }

    fn marked(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let mark = match self.token().word.as_str() {
            "errorstates" => Mark::Error,
            "ignorestates" => Mark::Ignore,
            _ => Mark::Success,
        };
        self.bump();
        let states = self.names("a state")?;
        items.push(Item::Marked(mark, states));
        self.end()
    }

    /// Stop conditions up to the end.
    pub fn conditions(&mut self) -> Vec<Condition> {
        let mut list = Vec::new();
        while !self.at_end() {
            match self.condition() {
                Ok(c) => list.push(c),
                Err(_) => self.skip_to(&[]),
            }
        }
        list
    }

    fn condition(&mut self) -> Parsed<Condition> {
        let word = self.name("`never`, `always`, `eventually` or `filter_out`")?;
        if !["never", "always", "eventually", "filter_out"].contains(&word.key.as_str()) {
            let message = format!("`{}` is no kind of stop condition", word.text);
            return self.error("stop-condition", word.span, message);
        }
        let e = self.expr()?;
        self.end()?;
        Ok((word, e))
    }
}
