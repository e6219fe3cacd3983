//! Acceptance conditions: a conjunction of `Inf` sets is understood, everything else is refused by name.

use super::HoaError;
use super::lex::{Place, Token};
use super::read::{DEPTH, Reader};
use crate::automaton::Marks;

/// Which sets of the text must be met infinitely often; the place in the list is the mark of ours.
#[derive(Clone, Debug, Default)]
pub(super) struct Acceptance {
    pub declared: u64,
    pub wanted: Vec<u64>,
    /// The first part of the condition that we do not support.
    refused: Option<(Place, &'static str)>,
}

impl Acceptance {
    /// An error if the condition is not a conjunction of `Inf` sets; `name` is what the header calls it.
    pub fn check(&self, name: Option<&str>) -> Result<(), HoaError> {
        let Some((place, what)) = self.refused else { return Ok(()) };
        let what = name.map_or(format!("acceptance with {what}"), |name| format!("{name} acceptance"));
        Err(place.error(format!("{what} is not supported; Büchi and generalised Büchi acceptance are")))
    }

    /// The mark for a set of the text, if the condition speaks of it.
    pub fn marks(&self, set: u64) -> Marks {
        self.wanted.iter().position(|&wanted| wanted == set).map_or(Marks::NONE, |place| Marks(1 << place))
    }
}

impl Reader<'_> {
    /// Reads the condition behind `Acceptance:`.
    pub(super) fn acceptance(&mut self, place: Place) -> Result<Acceptance, HoaError> {
        let declared = self.number("the number of acceptance sets")?;
        let mut acceptance = Acceptance { declared, ..Acceptance::default() };
        self.conditions(&mut acceptance, 0)?;
        if acceptance.refused.is_none() && acceptance.wanted.len() > Marks::LIMIT as usize {
            return Err(place.error(format!("more than {} acceptance sets are not supported", Marks::LIMIT)));
        }
        Ok(acceptance)
    }

    /// Conditions joined by `&` or `|`; where there is an `|`, nothing else matters.
    fn conditions(&mut self, acceptance: &mut Acceptance, depth: usize) -> Result<(), HoaError> {
        if depth > DEPTH {
            return Err(self.place().error("this condition is nested too deeply"));
        }
        loop {
            self.condition(acceptance, depth)?;
            match self.peek() {
                Token::Symbol('&') => {}
                Token::Symbol('|') => self.refuse(acceptance, "a choice (`|`)"),
                _ => return Ok(()),
            }
            self.advance()?;
        }
    }

    fn condition(&mut self, acceptance: &mut Acceptance, depth: usize) -> Result<(), HoaError> {
        match self.peek().clone() {
            Token::Symbol('(') => {
                self.advance()?;
                self.conditions(acceptance, depth + 1)?;
                self.symbol(')')
            }
            Token::Word(word) if word == "t" => self.advance(),
            Token::Word(word) if word == "f" => {
                self.refuse(acceptance, "`f`");
                self.advance()
            }
            Token::Word(word) if word == "Fin" || word == "Inf" => {
                if word == "Fin" {
                    self.refuse(acceptance, "`Fin`");
                }
                self.advance()?;
                self.set(acceptance)
            }
            _ => Err(self.expected("`Inf(…)`, `t` or a parenthesis")),
        }
    }

    fn set(&mut self, acceptance: &mut Acceptance) -> Result<(), HoaError> {
        self.symbol('(')?;
        if *self.peek() == Token::Symbol('!') {
            self.refuse(acceptance, "a negated set (`!`)");
            self.advance()?;
        }
        let place = self.place();
        let set = self.number("the number of an acceptance set")?;
        if set >= acceptance.declared {
            return Err(place.error(format!("set {set} is not below the declared number of sets")));
        }
        if !acceptance.wanted.contains(&set) {
            acceptance.wanted.push(set);
        }
        self.symbol(')')
    }

    fn refuse(&self, acceptance: &mut Acceptance, what: &'static str) {
        acceptance.refused.get_or_insert((self.place(), what));
    }
}
