//! Random formulas and words for tests and measurements; a seed means the same on every machine.

use crate::ltl::{Binary, Formula, Unary};
use crate::words::{Lasso, Letter, Prop};

/// A stream of random numbers that depends on its seed alone (splitmix64).
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A stream for `seed`.
    pub fn new(seed: u64) -> Rng {
        Rng { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03 }
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound == 0 { 0 } else { (self.bits() % u64::from(bound)) as u32 }
    }
}

/// A random formula of about `size` nodes over the first `props` propositions, with all operators.
pub fn formula(rng: &mut Rng, size: u32, props: u32) -> Formula {
    random_formula(rng, size, props, true)
}

/// Like [`formula`], but without `X`.
pub fn formula_without_next(rng: &mut Rng, size: u32, props: u32) -> Formula {
    random_formula(rng, size, props, false)
}

fn random_formula(rng: &mut Rng, size: u32, props: u32, next: bool) -> Formula {
    if size <= 1 {
        return match rng.below(20) {
            0 => Formula::Constant(rng.below(2) == 0),
            _ => Formula::Prop(Prop(rng.below(props))),
        };
    }
    let unary = [Unary::Not, Unary::Always, Unary::Eventually, Unary::Next];
    let binary = [
        Binary::And,
        Binary::Or,
        Binary::Until,
        Binary::Release,
        Binary::WeakUntil,
        Binary::StrongRelease,
        Binary::Implies,
        Binary::Equiv,
    ];
    if size == 2 || rng.below(2) == 0 {
        let op = unary[rng.below(if next { 4 } else { 3 }) as usize];
        return Formula::unary(op, random_formula(rng, size - 1, props, next));
    }
    let op = binary[rng.below(binary.len() as u32) as usize];
    let left = 1 + rng.below(size - 2);
    let first = random_formula(rng, left, props, next);
    Formula::binary(op, first, random_formula(rng, size - 1 - left, props, next))
}

/// A random word with at most `prefix` letters before a cycle of at most `cycle` letters (at least one).
pub fn lasso(rng: &mut Rng, prefix: u32, cycle: u32, props: u32) -> Lasso {
    let mut letters = |count: u32| (0..count).map(|_| letter(rng, props)).collect::<Vec<_>>();
    let (prefix, cycle) = (letters(prefix), letters(cycle.max(1)));
    let before = rng.below(prefix.len() as u32 + 1) as usize;
    let round = 1 + rng.below(cycle.len() as u32) as usize;
    Lasso::new(&prefix[..before], &cycle[..round]).unwrap_or_else(|| unreachable!("the cycle has a letter"))
}

fn letter(rng: &mut Rng, props: u32) -> Letter {
    (0..props).fold(Letter::default(), |letter, prop| if rng.below(2) == 0 { letter } else { letter.with(Prop(prop)) })
}

/// All words over the first `props` propositions with exactly `prefix` letters before a cycle of exactly `cycle` letters.
pub fn all_lassos(prefix: u32, cycle: u32, props: u32) -> impl Iterator<Item = Lasso> {
    let bits = (prefix + cycle) * props;
    (0..1u64 << bits).filter_map(move |code| {
        let letter = |at: u32| Letter(u128::from(code >> (at * props) & ((1 << props) - 1)));
        let letters: Vec<Letter> = (0..prefix + cycle).map(letter).collect();
        Lasso::new(&letters[..prefix as usize], &letters[prefix as usize..])
    })
}
