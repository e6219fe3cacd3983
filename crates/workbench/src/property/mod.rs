//! What is to hold: formulas, claims and property automata, and what has a search of its own because of them.

pub mod claim_automaton;
pub mod condition;
pub mod dead_timers;
pub mod formula;
pub mod half_seen;
pub mod joined;
pub mod ltl;
pub mod moment;
pub mod property_automaton;
pub mod proposition;
pub mod quantified;
pub mod target;
pub mod time;
pub mod watched;
