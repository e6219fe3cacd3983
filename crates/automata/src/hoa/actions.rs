//! Reads automata whose propositions are names of actions and whose edges carry exactly one of them: `[k]`.
//!
//! The components of a network are written in this way (D. Gnad, J. Eisenhut, A. Lluch Lafuente and J. Hoffmann, "Model
//! checking ω-regular properties with decoupled search", CAV 2021). A label is no formula here, so there may be any
//! number of actions.

use std::collections::HashSet;

use super::lex::{Lexer, Place, Token};
use super::read::{Reader, STATES};
use super::{Header, HoaError};
use crate::automaton::{Marks, StateId};
use starwheel_base::cancel;

/// An automaton that takes part in actions; acceptance is on its states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionAutomaton {
    /// What the header says beside.
    pub header: Header,
    /// The names of its actions, in the order of `AP:`.
    pub actions: Vec<String>,
    /// The number of states.
    pub states: u32,
    /// Where runs start.
    pub initial: Vec<StateId>,
    /// By state: true if it is accepting.
    pub accepting: Vec<bool>,
    /// The edges, in the order of the text.
    pub edges: Vec<ActionEdge>,
    /// The names of states, for those that have one; there may be fewer entries than states.
    pub state_names: Vec<Option<String>>,
}

/// An edge that is taken with one action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionEdge {
    /// Where it starts.
    pub from: StateId,
    /// The action's place in [`ActionAutomaton::actions`].
    pub action: u32,
    /// Where it leads.
    pub to: StateId,
}

/// What a reader collects in place of labels and marks.
#[derive(Debug, Default)]
pub(super) struct Plain {
    declared: bool,
    actions: Vec<String>,
    known: HashSet<String>,
    accepting: Vec<StateId>,
    edges: Vec<ActionEdge>,
}

/// Reads all automata of a text, one after the other; there may be none.
pub fn read_actions(text: &str) -> Result<Vec<ActionAutomaton>, HoaError> {
    read_actions_within(text, &cancel::Token::NEVER)
}

/// As [`read_actions`], until the token says stop; then the answer is an error that means nothing.
pub fn read_actions_within(text: &str, until: &cancel::Token) -> Result<Vec<ActionAutomaton>, HoaError> {
    let mut lexer = Lexer::new(text, until.watch());
    let mut ahead = lexer.next()?;
    let mut automata = Vec::new();
    while ahead.0 != Token::End {
        let start = ahead.1;
        let mut reader = Reader::new(lexer, ahead);
        reader.plain = Some(Plain::default());
        if !reader.automaton()? {
            // Without one of its components a network is another one.
            return Err(start.error("this automaton is given up with --ABORT--, and the network needs it"));
        }
        automata.push(reader.finish_actions(start)?);
        (lexer, ahead) = (reader.lexer, reader.ahead);
    }
    Ok(automata)
}

impl Reader<'_> {
    /// The header `AP:`.
    pub(super) fn actions(&mut self, place: Place) -> Result<(), HoaError> {
        let mut plain = self.plain.take().unwrap_or_default();
        self.once(plain.declared, "AP", place)?;
        plain.declared = true;
        let count = self.number("the number of actions")?;
        if count > STATES {
            return Err(place.error(format!("more than {STATES} actions are not supported")));
        }
        for _ in 0..count {
            let at = self.place();
            let name = self.text("the name of an action in quotes")?;
            if !plain.known.insert(name.clone()) {
                return Err(at.error(format!("the action \"{name}\" comes twice")));
            }
            plain.actions.push(name);
        }
        self.plain = Some(plain);
        match self.peek() {
            Token::Text(_) => Err(self.place().error(format!("there are more than the declared {count} actions"))),
            _ => Ok(()),
        }
    }

    /// A state and its edges, behind `State:`.
    pub(super) fn action_state(&mut self) -> Result<(), HoaError> {
        if *self.peek() == Token::Symbol('[') {
            return Err(self.place().error("in a network edges have labels, states have none"));
        }
        let from = self.new_state()?;
        let marks = self.marks()?;
        let from = StateId(from as u32);
        if marks != Marks::NONE
            && let Some(plain) = &mut self.plain
        {
            plain.accepting.push(from);
        }
        while matches!(self.peek(), Token::Symbol('[') | Token::Number(_)) {
            self.action_edge(from)?;
        }
        Ok(())
    }

    fn action_edge(&mut self, from: StateId) -> Result<(), HoaError> {
        let action = self.action()?;
        let to = StateId(self.state_number("the number of a state")? as u32);
        if *self.peek() == Token::Symbol('{') {
            return Err(self.place().error("in a network acceptance is on states, not on edges"));
        }
        if let Some(plain) = &mut self.plain {
            plain.edges.push(ActionEdge { from, action, to });
        }
        Ok(())
    }

    /// A label: the number of one action in brackets.
    fn action(&mut self) -> Result<u32, HoaError> {
        const ONE: &str = "an edge of a network is labelled with one action, such as `[0]`";
        if *self.peek() != Token::Symbol('[') {
            return Err(self.place().error(format!("{ONE}, and this one has no label")));
        }
        self.advance()?;
        let place = self.place();
        let Token::Number(action) = *self.peek() else {
            return Err(place.error(format!("{ONE}; {} is no number of one", self.peek().describe())));
        };
        self.advance()?;
        if *self.peek() != Token::Symbol(']') {
            return Err(self.place().error(format!("{ONE}, not with a formula: expected `]`")));
        }
        self.advance()?;
        let count = self.plain.as_ref().map_or(0, |plain| plain.actions.len() as u64);
        if action >= count {
            return Err(place.error(format!("action {action} is not declared in `AP:`")));
        }
        Ok(action as u32)
    }

    fn finish_actions(&mut self, start: Place) -> Result<ActionAutomaton, HoaError> {
        let plain = self.plain.take().unwrap_or_default();
        let sets = self.acceptance.take().unwrap_or_default().wanted.len();
        if sets > 1 {
            return Err(
                start.error(format!("a component of a network has one acceptance set, and this one has {sets}"))
            );
        }
        let mut initial: Vec<StateId> = self.starts.iter().map(|&(state, _)| StateId(state as u32)).collect();
        initial.sort();
        initial.dedup();
        // Without an acceptance set every state is as good as any other.
        let mut accepting = vec![sets == 0; self.state_count as usize];
        for state in plain.accepting {
            accepting[state.index()] = true;
        }
        let result = std::mem::take(&mut self.result);
        Ok(ActionAutomaton {
            header: result.header,
            actions: plain.actions,
            states: self.state_count as u32,
            initial,
            accepting,
            edges: plain.edges,
            state_names: result.state_names,
        })
    }
}
