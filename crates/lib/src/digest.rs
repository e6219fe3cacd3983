//! What a check is about, as one number: equal in all processes that take part in it, or they do not begin.
//!
//! A model is code and has no text that could be compared. What it does in its first states is compared instead, besides what was
//! asked for; it finds models with other parameters, and those that do not do the same twice.

use crate::adapter::Adapted;
use crate::checker::Checker;
use crate::ground::Ground;
use crate::model::Model;
use crate::parts::content_hash;
use crate::unfold::Unfold;
use rapidhash::v3::rapidhash_v3;
use std::collections::HashSet;

/// States that are looked at.
const SOME: usize = 500;

/// The number of a check.
pub fn digest<M: Model>(asked: &Checker<'_, M>, ground: &Ground<'_, M>) -> u64 {
    let names: Vec<&str> = ground.properties.iter().map(|p| p.name.as_str()).collect();
    let wish = (&asked.wish, &asked.formulas, asked.own, asked.deadlocks);
    let mut text = format!("{} {names:?} {wish:?}", std::any::type_name::<M>()).into_bytes();
    let system = Adapted { ground, watched: Vec::new() };
    let mut walker = system.walker();
    let mut first = Vec::new();
    walker.first(&mut first);
    let (mut states, mut known) = (vec![first.clone()], HashSet::from([first]));
    let mut at = 0;
    while let Some(state) = states.get(at).cloned() {
        at += 1;
        walker.each(&state, None, |made| {
            text.extend_from_slice(made.state);
            text.push(made.step.actor.agent().unwrap_or(u8::MAX));
            if !made.fired.broken && states.len() < SOME && known.insert(made.state.to_vec()) {
                states.push(made.state.to_vec());
            }
        });
    }
    // States are numbers of parts, in the order in which they were met.
    for code in 0..ground.parts.len() {
        text.extend_from_slice(&content_hash(ground.parts.get(code as u32)).to_le_bytes());
    }
    rapidhash_v3(&text)
}
