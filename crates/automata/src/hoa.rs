//! The Hanoi omega-automata format, version 1: reading and writing Büchi automata.
//!
//! T. Babiak, F. Blahoudek, A. Duret-Lutz, J. Klein, J. Křetínský, D. Müller, D. Parker and J. Strejček, "The Hanoi
//! omega-automata format" (CAV 2015). We read Büchi and generalised Büchi acceptance, on states or on edges, several
//! automata in one text, aliases, and labels that are left out; alternation and other acceptance are refused by name.

mod acceptance;
mod actions;
mod lex;
mod places;
mod read;
mod write;

use std::fmt;

use crate::automaton::Tgba;
use crate::names::Names;

pub use actions::{ActionAutomaton, ActionEdge, read_actions, read_actions_within};
pub use places::proposition_places;
pub use read::{read, read_within};
pub use write::write;

/// An automaton of a text, with what its header says beside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HoaAutomaton {
    /// The automaton; its propositions are those of `names`.
    pub automaton: Tgba,
    /// The propositions, in the order of the header.
    pub names: Names,
    /// What else the header says.
    pub header: Header,
    /// The names of states, for those that have one; there may be fewer entries than states.
    pub state_names: Vec<Option<String>>,
}

impl HoaAutomaton {
    /// An automaton with an empty header.
    pub fn new(automaton: Tgba, names: Names) -> HoaAutomaton {
        HoaAutomaton { automaton, names, ..HoaAutomaton::default() }
    }
}

/// Parts of a header that do not change what the automaton accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// `name:`
    pub name: Option<String>,
    /// `tool:` and its version.
    pub tool: Option<(String, Option<String>)>,
    /// `properties:`, all of them together.
    pub properties: Vec<String>,
    /// Headers that the format does not define.
    pub others: Vec<(String, Vec<Value>)>,
}

/// A value in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `t` or `f`.
    Boolean(bool),
    /// A number.
    Number(u64),
    /// A text in quotes.
    Text(String),
    /// A word without quotes.
    Word(String),
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// One sentence without a full stop.
    pub message: String,
}

impl fmt::Display for HoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for HoaError {}
