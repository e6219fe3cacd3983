//! Reads automata from HOA text.

use std::collections::HashMap;

use super::acceptance::Acceptance;
use super::actions::Plain;
use super::lex::{Lexer, Place, Token};
use super::{HoaAutomaton, HoaError, Value};
use crate::automaton::{Marks, StateId, Tgba};
use crate::bdd::{Bdd, Func, Var};
use crate::label::Label;
use crate::translate::graph::label;
use crate::words::Prop;
use starwheel_base::cancel;

/// Expressions are not read beyond this depth.
pub(super) const DEPTH: usize = 200;
/// Automata with more states are refused: the number may be a misprint that no memory can hold.
pub(super) const STATES: u64 = 1 << 20;
/// Nodes of decision diagrams for all labels of an automaton.
const NODES: usize = 1 << 22;

/// Reads all automata of a text.
pub fn read(text: &str) -> Result<Vec<HoaAutomaton>, HoaError> {
    read_within(text, &cancel::Token::NEVER)
}

/// As [`read`], until the token says stop; then the answer is an error that means nothing.
pub fn read_within(text: &str, token: &cancel::Token) -> Result<Vec<HoaAutomaton>, HoaError> {
    let mut lexer = Lexer::new(text, token.watch());
    let ahead = lexer.next()?;
    let mut lexer = Some((lexer, ahead));
    let mut automata = Vec::new();
    while let Some((rest, ahead)) = lexer.take() {
        if ahead.0 == Token::End {
            break;
        }
        let mut reader = Reader::new(rest, ahead);
        if reader.automaton()? {
            automata.push(reader.finish()?);
        }
        lexer = Some((reader.lexer, reader.ahead));
    }
    Ok(automata)
}

pub(super) struct Reader<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) ahead: (Token, Place),
    pub(super) result: HoaAutomaton,
    /// What is read instead of labels and marks, if labels are actions.
    pub(super) plain: Option<Plain>,
    bdd: Bdd,
    aliases: HashMap<String, Func>,
    pub(super) acceptance: Option<Acceptance>,
    acceptance_name: Option<String>,
    declared_states: Option<u64>,
    declared_props: bool,
    pub(super) starts: Vec<(u64, Place)>,
    /// The largest proposition that an alias uses, to be compared with `AP:`, which may come later.
    largest_prop: Option<(u64, Place)>,
    pub(super) states: HashMap<u64, Place>,
    edges: Vec<RawEdge>,
    pub(super) state_count: u64,
}

struct RawEdge {
    from: u64,
    label: Func,
    to: u64,
    marks: Marks,
    place: Place,
}

impl<'a> Reader<'a> {
    pub(super) fn new(lexer: Lexer<'a>, ahead: (Token, Place)) -> Reader<'a> {
        let bdd = Bdd::new(NODES, lexer.watch.clone());
        Reader {
            lexer,
            ahead,
            result: HoaAutomaton::default(),
            plain: None,
            bdd,
            aliases: HashMap::new(),
            acceptance: None,
            acceptance_name: None,
            declared_states: None,
            declared_props: false,
            starts: Vec::new(),
            largest_prop: None,
            states: HashMap::new(),
            edges: Vec::new(),
            state_count: 0,
        }
    }

    pub(super) fn peek(&self) -> &Token {
        &self.ahead.0
    }

    pub(super) fn place(&self) -> Place {
        self.ahead.1
    }

    pub(super) fn advance(&mut self) -> Result<(), HoaError> {
        if self.lexer.watch.stopped() {
            return Err(self.place().error("reading was given up here"));
        }
        self.ahead = self.lexer.next()?;
        Ok(())
    }

    pub(super) fn expected(&self, what: &str) -> HoaError {
        self.place().error(format!("expected {what}, found {}", self.peek().describe()))
    }

    pub(super) fn symbol(&mut self, symbol: char) -> Result<(), HoaError> {
        if *self.peek() != Token::Symbol(symbol) {
            return Err(self.expected(&format!("`{symbol}`")));
        }
        self.advance()
    }

    pub(super) fn number(&mut self, what: &str) -> Result<u64, HoaError> {
        let Token::Number(number) = *self.peek() else { return Err(self.expected(what)) };
        self.advance()?;
        Ok(number)
    }

    pub(super) fn text(&mut self, what: &str) -> Result<String, HoaError> {
        let Token::Text(text) = self.peek().clone() else { return Err(self.expected(what)) };
        self.advance()?;
        Ok(text)
    }

    /// Reads one automaton; false if it was given up with `--ABORT--`.
    pub(super) fn automaton(&mut self) -> Result<bool, HoaError> {
        if *self.peek() != Token::Header("HOA".to_owned()) {
            return Err(self.expected("`HOA:` at the start of an automaton"));
        }
        self.advance()?;
        match self.peek().clone() {
            Token::Word(version) if version == "v1" => self.advance()?,
            Token::Word(version) => {
                return Err(self
                    .place()
                    .error(format!("version {version} of the format is not supported, only v1 is")));
            }
            _ => return Err(self.expected("the version `v1`")),
        }
        loop {
            let place = self.place();
            match self.peek().clone() {
                Token::Header(name) => {
                    self.advance()?;
                    self.header(&name, place)?;
                }
                Token::Body => break,
                Token::Abort => return self.advance().map(|()| false),
                _ => return Err(self.expected("a header such as `AP:`, or `--BODY--`")),
            }
        }
        self.check_header()?;
        self.advance()?;
        self.body()
    }

    fn header(&mut self, name: &str, place: Place) -> Result<(), HoaError> {
        match name {
            "States" => {
                let count = self.number("the number of states")?;
                if count > STATES {
                    return Err(place.error(format!("more than {STATES} states are not supported")));
                }
                self.once(self.declared_states.is_some(), name, place)?;
                self.declared_states = Some(count);
            }
            "Start" => {
                let state = self.state_number("the number of an initial state")?;
                self.starts.push((state, place));
            }
            "AP" if self.plain.is_some() => self.actions(place)?,
            "AP" => self.propositions(place)?,
            "Alias" if self.plain.is_some() => {
                return Err(
                    place.error("an edge of a network is labelled with one action, so aliases have no place here")
                );
            }
            "Alias" => {
                let Token::Alias(alias) = self.peek().clone() else { return Err(self.expected("a name such as `@a`")) };
                self.advance()?;
                let func = self.expression(0)?;
                if self.aliases.insert(alias.clone(), func).is_some() {
                    return Err(place.error(format!("the alias @{alias} is defined twice")));
                }
            }
            "Acceptance" => {
                self.once(self.acceptance.is_some(), name, place)?;
                self.acceptance = Some(self.acceptance(place)?);
            }
            "acc-name" => {
                let values = self.values()?;
                if let Some(Value::Word(word)) = values.first() {
                    self.acceptance_name = Some(word.clone());
                }
            }
            "name" => self.result.header.name = Some(self.text("the automaton's name in quotes")?),
            "tool" => {
                let tool = self.text("the tool's name in quotes")?;
                let version = if matches!(self.peek(), Token::Text(_)) { Some(self.text("")?) } else { None };
                self.result.header.tool = Some((tool, version));
            }
            "properties" => {
                while let Token::Word(word) = self.peek().clone() {
                    self.result.header.properties.push(word);
                    self.advance()?;
                }
            }
            "HOA" | "State" => {
                return Err(place.error(format!("`{name}:` does not belong here; `--BODY--` is missing")));
            }
            // The format says that such headers change the meaning of the automaton.
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                return Err(place.error(format!("the header `{name}:` is not known, and it may change the meaning")));
            }
            _ => {
                let values = self.values()?;
                self.result.header.others.push((name.to_owned(), values));
            }
        }
        Ok(())
    }

    pub(super) fn once(&self, again: bool, name: &str, place: Place) -> Result<(), HoaError> {
        if again { Err(place.error(format!("`{name}:` comes twice"))) } else { Ok(()) }
    }

    fn values(&mut self) -> Result<Vec<Value>, HoaError> {
        let mut values = Vec::new();
        loop {
            values.push(match self.peek().clone() {
                Token::Word(word) if word == "t" || word == "f" => Value::Boolean(word == "t"),
                Token::Word(word) => Value::Word(word),
                Token::Number(number) => Value::Number(number),
                Token::Text(text) => Value::Text(text),
                _ => return Ok(values),
            });
            self.advance()?;
        }
    }

    fn propositions(&mut self, place: Place) -> Result<(), HoaError> {
        self.once(self.declared_props, "AP", place)?;
        self.declared_props = true;
        let count = self.number("the number of propositions")?;
        if count > u64::from(Prop::LIMIT) {
            return Err(place.error(format!("more than {} propositions are not supported", Prop::LIMIT)));
        }
        for _ in 0..count {
            let at = self.place();
            let name = self.text("the name of a proposition in quotes")?;
            if self.result.names.find(&name).is_some() {
                return Err(at.error(format!("the proposition \"{name}\" comes twice")));
            }
            self.result.names.push(&name);
        }
        match self.peek() {
            Token::Text(_) => Err(self.place().error(format!("there are more than the declared {count} propositions"))),
            _ => Ok(()),
        }
    }

    /// A state's number; several numbers joined by `&` would be an alternating automaton.
    pub(super) fn state_number(&mut self, what: &str) -> Result<u64, HoaError> {
        let place = self.place();
        let state = self.number(what)?;
        if *self.peek() == Token::Symbol('&') {
            return Err(self.place().error("alternating automata (several states joined by `&`) are not supported"));
        }
        if state >= self.declared_states.unwrap_or(STATES) {
            let message = match self.declared_states {
                Some(count) => format!("state {state} is not below the declared number of states, {count}"),
                None => format!("more than {STATES} states are not supported"),
            };
            return Err(place.error(message));
        }
        self.state_count = self.state_count.max(state + 1);
        Ok(state)
    }

    fn check_header(&mut self) -> Result<(), HoaError> {
        match &self.acceptance {
            Some(acceptance) => acceptance.check(self.acceptance_name.as_deref())?,
            None => return Err(self.place().error("the header `Acceptance:` is missing")),
        }
        if let Some((prop, place)) = self.largest_prop
            && prop >= self.result.names.len() as u64
        {
            return Err(place.error(format!("proposition {prop} is not declared in `AP:`")));
        }
        if let Some(count) = self.declared_states {
            self.state_count = count;
            if let Some((state, place)) = self.starts.iter().find(|(state, _)| *state >= count) {
                return Err(place.error(format!("state {state} is not below the declared number of states, {count}")));
            }
        }
        Ok(())
    }

    fn expression(&mut self, depth: usize) -> Result<Func, HoaError> {
        let mut sum = self.product(depth)?;
        while *self.peek() == Token::Symbol('|') {
            self.advance()?;
            let part = self.product(depth)?;
            sum = self.bdd.or(sum, part);
        }
        Ok(sum)
    }

    fn product(&mut self, depth: usize) -> Result<Func, HoaError> {
        let mut product = self.factor(depth)?;
        while *self.peek() == Token::Symbol('&') {
            self.advance()?;
            let part = self.factor(depth)?;
            product = self.bdd.and(product, part);
        }
        Ok(product)
    }

    fn factor(&mut self, depth: usize) -> Result<Func, HoaError> {
        let place = self.place();
        if depth > DEPTH {
            return Err(place.error("this expression is nested too deeply"));
        }
        match self.peek().clone() {
            Token::Symbol('!') => {
                self.advance()?;
                let inner = self.factor(depth + 1)?;
                Ok(self.bdd.not(inner))
            }
            Token::Symbol('(') => {
                self.advance()?;
                let inner = self.expression(depth + 1)?;
                self.symbol(')')?;
                Ok(inner)
            }
            Token::Word(word) if word == "t" || word == "f" => {
                self.advance()?;
                Ok(if word == "t" { Bdd::TRUE } else { Bdd::FALSE })
            }
            Token::Alias(name) => {
                let func = self.aliases.get(&name).copied();
                let func = func.ok_or_else(|| place.error(format!("the alias @{name} is not defined")))?;
                self.advance()?;
                Ok(func)
            }
            Token::Number(prop) => {
                self.advance()?;
                self.proposition(prop, place)
            }
            _ => Err(self.expected("a proposition's number, an alias, `t`, `f`, `!` or a parenthesis")),
        }
    }

    fn proposition(&mut self, prop: u64, place: Place) -> Result<Func, HoaError> {
        let limit = if self.declared_props { self.result.names.len() as u64 } else { u64::from(Prop::LIMIT) };
        if prop >= limit {
            return Err(place.error(format!("proposition {prop} is not declared in `AP:`")));
        }
        if self.largest_prop.is_none_or(|(known, _)| known < prop) {
            self.largest_prop = Some((prop, place));
        }
        Ok(self.bdd.literal(prop as Var, true))
    }

    /// Reads states and edges; false if the automaton was given up with `--ABORT--`.
    fn body(&mut self) -> Result<bool, HoaError> {
        loop {
            match self.peek().clone() {
                Token::Header(name) if name == "State" => {
                    self.advance()?;
                    if self.plain.is_some() { self.action_state()? } else { self.state()? }
                }
                Token::EndOfAutomaton => return self.advance().map(|()| true),
                Token::Abort => return self.advance().map(|()| false),
                _ => return Err(self.expected("`State:` or `--END--`")),
            }
        }
    }

    /// The number of the state that is described next, and its name if it has one.
    pub(super) fn new_state(&mut self) -> Result<u64, HoaError> {
        let place = self.place();
        let from = self.state_number("the number of a state")?;
        if self.states.insert(from, place).is_some() {
            return Err(place.error(format!("state {from} is described twice")));
        }
        if let Token::Text(name) = self.peek().clone() {
            let names = &mut self.result.state_names;
            names.resize(names.len().max(from as usize + 1), None);
            names[from as usize] = Some(name);
            self.advance()?;
        }
        Ok(from)
    }

    fn state(&mut self) -> Result<(), HoaError> {
        let common = self.label()?;
        let place = self.place();
        let from = self.new_state()?;
        let marks = self.marks()?;
        let mut implicit = 0;
        while matches!(self.peek(), Token::Symbol('[') | Token::Number(_)) {
            let place = self.place();
            let label = match (self.label()?, common) {
                (Some(_), Some(_)) => return Err(place.error("this edge has a label although its state has one")),
                (Some(label), None) | (None, Some(label)) => label,
                (None, None) => self.implicit_label(&mut implicit, place)?,
            };
            let to = self.state_number("the number of a state")?;
            let marks = marks.union(self.marks()?);
            self.edges.push(RawEdge { from, label, to, marks, place });
        }
        let letters = 1u128.checked_shl(self.result.names.len() as u32);
        if implicit > 0 && Some(implicit) != letters {
            return Err(
                place.error(format!("state {from} has {implicit} edges without labels, not one for each letter"))
            );
        }
        Ok(())
    }

    /// The letter of an edge without a label: edges come in the order of the letters.
    fn implicit_label(&mut self, next: &mut u128, place: Place) -> Result<Func, HoaError> {
        let props = self.result.names.len() as u32;
        if next.checked_shr(props).unwrap_or(0) > 0 {
            return Err(place.error("there are more edges without labels than letters"));
        }
        let mut product = Bdd::TRUE;
        for var in (0..props).rev() {
            let literal = self.bdd.literal(var, *next >> var & 1 == 1);
            product = self.bdd.and(literal, product);
        }
        *next += 1;
        Ok(product)
    }

    fn label(&mut self) -> Result<Option<Func>, HoaError> {
        if *self.peek() != Token::Symbol('[') {
            return Ok(None);
        }
        let place = self.place();
        self.advance()?;
        let func = self.expression(0)?;
        self.symbol(']')?;
        if self.bdd.is_full() {
            return Err(place.error("the labels up to this one are too complicated"));
        }
        Ok(Some(func))
    }

    pub(super) fn marks(&mut self) -> Result<Marks, HoaError> {
        let mut marks = Marks::NONE;
        if *self.peek() != Token::Symbol('{') {
            return Ok(marks);
        }
        self.advance()?;
        while *self.peek() != Token::Symbol('}') {
            let place = self.place();
            let set = self.number("the number of an acceptance set, or `}`")?;
            let acceptance = self.acceptance.as_ref().filter(|acceptance| set < acceptance.declared);
            let acceptance = acceptance.ok_or_else(|| place.error(format!("acceptance set {set} is not declared")))?;
            marks = marks.union(acceptance.marks(set));
        }
        self.advance()?;
        Ok(marks)
    }

    /// Puts the automaton together; edges with the same ends and marks become one.
    fn finish(&mut self) -> Result<HoaAutomaton, HoaError> {
        let acceptance = self.acceptance.take().unwrap_or_default();
        let mut automaton = Tgba::new(acceptance.wanted.len() as u32);
        for _ in 0..self.state_count {
            automaton.add_state();
        }
        for (state, _) in &self.starts {
            automaton.add_initial(StateId(*state as u32));
        }
        let mut places = HashMap::new();
        let mut joined: Vec<RawEdge> = Vec::new();
        for edge in std::mem::take(&mut self.edges) {
            let place = *places.entry((edge.from, edge.to, edge.marks)).or_insert(joined.len());
            match joined.get_mut(place) {
                Some(known) => known.label = self.bdd.or(known.label, edge.label),
                None => joined.push(edge),
            }
        }
        for edge in joined {
            let label = self.finished_label(&edge)?;
            automaton.add_edge(StateId(edge.from as u32), label, StateId(edge.to as u32), edge.marks);
        }
        let mut result = std::mem::take(&mut self.result);
        result.automaton = automaton;
        Ok(result)
    }

    fn finished_label(&mut self, edge: &RawEdge) -> Result<Label, HoaError> {
        let props: Vec<Prop> = (0..self.result.names.len() as u32).map(Prop).collect();
        let found = label(&mut self.bdd, edge.label, &props).ok();
        found
            .filter(|_| !self.bdd.is_full())
            .ok_or_else(|| edge.place.error("the label of this edge is too complicated"))
    }
}
