//! Mutants: texts of models with a few random changes, so that both checkers meet what nobody has written by intent.

mod kinds;
pub mod known;
pub mod shape;
pub mod shorten;
pub mod tokens;

use crate::rng::Rng;
use kinds::KINDS;
use shape::Shape;

/// A changed text.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The text.
    pub text: String,
    /// The names of the changes.
    pub changes: Vec<&'static str>,
}

/// Texts do not grow beyond this.
const LONGEST: usize = 200_000;

/// The mutant of a seed: one to three changes, one after the other.
pub fn mutant(text: &str, seed: u64) -> Mutant {
    let mut rng = Rng::new(seed);
    let wanted = 1 + rng.weighted(&[4, 3, 2]);
    let mut mutant = Mutant { text: text.to_string(), changes: Vec::new() };
    let weights = KINDS.map(|(_, weight, _)| weight);
    // Not every change has a place in every text.
    for _ in 0..20 {
        let (name, _, change) = KINDS[rng.weighted(&weights)];
        let changed = change(&Shape::new(&mutant.text), &mut rng);
        if let Some(new) = changed.filter(|new| *new != mutant.text && new.len() < LONGEST) {
            mutant.text = new;
            mutant.changes.push(name);
        }
        if mutant.changes.len() >= wanted {
            break;
        }
    }
    mutant
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "byte x; chan c = [1] of { byte };\n\
        active proctype p() { byte z; do :: x == 1 -> c!x; x = 2 :: atomic { x < 2 -> x = 1 } :: else -> break od }\n\
        active proctype q() { byte z; end: do :: c?z -> if :: z == 1 -> run r(z) :: else fi od }\n\
        proctype r(byte a) { d_step { x = a + 1; x = 0 } }\nltl l { [] (x < 2) }\n";

    #[test]
    fn a_seed_means_one_mutant() {
        assert_eq!(mutant(TEXT, 5).text, mutant(TEXT, 5).text);
        assert_ne!(mutant(TEXT, 5).text, TEXT);
    }

    #[test]
    fn every_change_is_made() {
        let all: std::collections::BTreeSet<&str> = (0..4000).flat_map(|seed| mutant(TEXT, seed).changes).collect();
        let missing: Vec<&str> = KINDS.iter().map(|k| k.0).filter(|name| !all.contains(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn no_text_is_too_strange() {
        for text in ["", "{", "do", "if :: ", "\"", "active [", "chan c = [", "a:b", "::", "ltl { é"] {
            (0..300).for_each(|seed| drop(mutant(text, seed)));
        }
    }
}
