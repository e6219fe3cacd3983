//! How a value of a part came about, so that another process can make it again: a state, a step from it, and a place.
//!
//! What a step writes depends on the state that it leaves and on nothing else. So a value need not be written out to travel: whoever
//! has the parts of that state takes the step and has the value, which then shares with others there what it shares here. A
//! list that has grown by an entry takes as many bytes as any other step.

use crate::model::Model;
use crate::parts::{Code, Parts, content_hash};
use crate::quiet::quietly;
use crate::view::{Draft, Fate, View};
use starwheel_distrib::wire::{Garbled, Rest, put};

/// The most parts of a state that are believed.
const MOST: u64 = 1 << 24;

/// How a value came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The parts of the state, which have their numbers already.
    pub state: Vec<Code>,
    pub actor: usize,
    /// The place of the action in the actor's list.
    pub action: usize,
    /// The part that was written.
    pub place: usize,
    /// Half of the hash of the value.
    pub check: u32,
}

/// The half of a hash that goes with a recipe.
pub fn half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

impl Recipe {
    /// Appends it as bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        put(out, self.state.len() as u64);
        self.state.iter().for_each(|&code| put(out, code.into()));
        [self.actor, self.action, self.place].into_iter().for_each(|number| put(out, number as u64));
        out.extend_from_slice(&self.check.to_le_bytes());
    }

    /// Reads what [`Recipe::write`] has written.
    pub fn read(rest: &mut Rest<'_>) -> Result<Recipe, Garbled> {
        let small = |rest: &mut Rest<'_>| usize::try_from(rest.number()?).map_err(|_| Garbled);
        let count = Some(rest.number()?).filter(|&count| count < MOST).ok_or(Garbled)?;
        let code = |_| Code::try_from(rest.number()?).map_err(|_| Garbled);
        let state = (0..count).map(code).collect::<Result<Vec<Code>, Garbled>>()?;
        let (actor, action, place) = (small(rest)?, small(rest)?, small(rest)?);
        let check = <[u8; 4]>::try_from(rest.take(4)?).map_or(0, u32::from_le_bytes);
        Ok(Recipe { state, actor, action, place, check })
    }

    /// Takes the step again: the value and its hash, or why there is none.
    pub fn make<M: Model>(&self, model: &M, parts: &Parts<M::Part>) -> Result<(M::Part, u64), String> {
        if self.state.iter().any(|&code| code as usize >= parts.len()) {
            return Err("a part is not known where it is needed".to_string());
        }
        let mut actions = Vec::new();
        quietly(|| model.actions(self.actor, &View::new(&self.state, parts), &mut actions))?;
        let action = actions.get(self.action).ok_or_else(|| changing("lists other actions"))?;
        let mut draft = Draft::new(View::new(&self.state, parts), Vec::new());
        quietly(|| model.apply(action, &mut draft))?;
        let Draft { written, fate, .. } = draft;
        let value = written.into_iter().find(|w| w.0 == self.place && fate == Fate::Taken).map(|w| w.1);
        let value = value.ok_or_else(|| changing("does something else"))?;
        let hash = content_hash(&value);
        if half(hash) == self.check { Ok((value, hash)) } else { Err(changing("writes another value")) }
    }
}

/// What is wrong with a model that is not the same everywhere and always.
fn changing(what: &str) -> String {
    format!(
        "the model {what} in another process: what it does must depend on the state alone, not on time, chance, addresses or \
         what happened before"
    )
}
