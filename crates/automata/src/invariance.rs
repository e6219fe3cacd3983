//! Decides whether an automaton can tell a word from the same word with letters repeated.
//!
//! For a formula there is an automaton of its negation, and [`mod@crate::stutter`] compares the two. An automaton alone would have to
//! be complemented. Instead we look at what words do to it: the *profile* of a finite word says from where to where the
//! automaton can go with it, and whether it can pass an accepting edge on the way. There are finitely many of them.
//!
//! If each letter has the same profile as the same letter twice, repeated letters change nothing. Otherwise a letter `a` is
//! still as good as `aa` if they can be exchanged in every word `x a y z z z …` and `x ay ay ay …` without any change: this
//! is the syntactic congruence of A. Arnold, "A syntactic congruence for rational ω-languages" (1985), which tells exactly
//! what can be exchanged, also infinitely often, in words of a language that a Büchi automaton accepts.

use crate::translate::TooLarge;
use starwheel_base::cancel::{Token, Watch};
use std::collections::HashSet;

/// States that an automaton may have here.
const STATES: usize = 64;
/// Words that are looked at at most.
const EFFORT: usize = 50_000;

/// Short words that are tried before all words are.
const SHORT: usize = 200;

/// An edge by one letter: from where, to where, and whether it is accepting.
pub type Arrow = (usize, usize, bool);

/// Whether repeated letters never change if a word is accepted: by a run that starts in `initial` and takes accepting edges
/// again and again. The edges are listed letter by letter. Too large, too, if the token says stop.
pub fn invariant(states: usize, initial: usize, letters: &[Vec<Arrow>], token: &Token) -> Result<bool, TooLarge> {
    let watch = token.watch();
    if states > STATES {
        return Err(TooLarge);
    }
    let mut base: Vec<Profile> = letters.iter().map(|arrows| Profile::new(states, arrows)).collect();
    base.sort();
    base.dedup();
    let doubtful: Vec<(Profile, Profile)> =
        base.iter().map(|a| (a.clone(), a.then(a))).filter(|(once, twice)| once != twice).collect();
    if doubtful.is_empty() {
        return Ok(true);
    }
    let most = EFFORT / base.len();
    let starts = closure(vec![1 << initial], most, &watch, |&at| base.iter().map(|letter| letter.after(at)).collect())?;
    let differ = |one: u64, two: u64| one != two && starts.iter().any(|at| (at & one == 0) != (at & two == 0));
    let in_rounds = |(once, twice): &(Profile, Profile), rest: &Profile| {
        differ(once.then(rest).accepts_for_ever(), twice.then(rest).accepts_for_ever())
    };
    let in_prefix = |(once, twice): &(Profile, Profile), end: u64| differ(once.before(end), twice.before(end));
    // Most that tell repeated letters apart do so in a short word.
    let pairs = base.iter().flat_map(|a| base.iter().map(|b| a.then(b)));
    let mut short = base.iter().cloned().chain(pairs).take(SHORT).chain([Profile::empty(states)]);
    let told = |rest: Profile| {
        let end = rest.accepts_for_ever();
        doubtful.iter().any(|pair| in_prefix(pair, end) || in_rounds(pair, &rest))
    };
    if short.any(told) {
        return Ok(false);
    }
    let all = closure(base.clone(), most, &watch, |word| base.iter().map(|letter| word.then(letter)).collect())?;
    let ends: Vec<u64> = all.iter().map(Profile::accepts_for_ever).collect();
    let ends = closure(ends, most, &watch, |&end| base.iter().map(|letter| letter.before(end)).collect())?;
    let told = |pair: &(Profile, Profile)| {
        ends.iter().any(|&end| in_prefix(pair, end)) || all.iter().any(|rest| !watch.stopped() && in_rounds(pair, rest))
    };
    let same = !doubtful.iter().any(told);
    if token.stopped() { Err(TooLarge) } else { Ok(same) }
}

/// All that comes of some things, step by step.
fn closure<T: Clone + Eq + std::hash::Hash>(
    first: Vec<T>,
    most: usize,
    watch: &Watch,
    next: impl Fn(&T) -> Vec<T>,
) -> Result<Vec<T>, TooLarge> {
    let mut known: HashSet<T> = HashSet::new();
    let mut all: Vec<T> = first.into_iter().filter(|thing| known.insert(thing.clone())).collect();
    let mut at = 0;
    while at < all.len() {
        let new: Vec<T> = next(&all[at]).into_iter().filter(|thing| known.insert(thing.clone())).collect();
        all.extend(new);
        at += 1;
        if all.len() > most || watch.stopped() {
            return Err(TooLarge);
        }
    }
    Ok(all)
}

/// What a word does: for each state, where the automaton can be after it, and where with an accepting edge on the way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Profile(Vec<(u64, u64)>);

impl Profile {
    fn new(states: usize, arrows: &[Arrow]) -> Profile {
        let mut rows = vec![(0, 0); states];
        for &(from, to, accepting) in arrows {
            rows[from].0 |= 1 << to;
            rows[from].1 |= u64::from(accepting) << to;
        }
        Profile(rows)
    }

    /// The word without letters.
    fn empty(states: usize) -> Profile {
        Profile((0..states).map(|state| (1 << state, 0)).collect())
    }

    /// One word after the other.
    fn then(&self, next: &Profile) -> Profile {
        let row = |&(reached, passed): &(u64, u64)| {
            let to = next.after(passed) | bits(reached).fold(0, |all, state| all | next.0[state].1);
            (next.after(reached), to)
        };
        Profile(self.0.iter().map(row).collect())
    }

    /// Where the automaton can be after the word if it was in one of these states.
    fn after(&self, states: u64) -> u64 {
        bits(states).fold(0, |all, state| all | self.0[state].0)
    }

    /// From where it can come to one of these states.
    fn before(&self, states: u64) -> u64 {
        let rows = self.0.iter().enumerate().filter(|(_, row)| row.0 & states != 0);
        rows.fold(0, |all, (state, _)| all | 1 << state)
    }

    /// From where it accepts the word, repeated for ever.
    fn accepts_for_ever(&self) -> u64 {
        let mut often = self.clone();
        loop {
            let twice = often.then(&often);
            let more = |(a, b): (&(u64, u64), &(u64, u64))| (a.0 | b.0, a.1 | b.1);
            let longer = Profile(often.0.iter().zip(&twice.0).map(more).collect());
            if longer == often {
                break;
            }
            often = longer;
        }
        let round = (0..often.0.len()).filter(|&state| often.0[state].1 >> state & 1 == 1);
        let round = round.fold(0, |all, state| all | 1 << state);
        round | often.before(round)
    }
}

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let least = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        least
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, formula};
    use crate::stutter::{Stutter, classes, stutter};
    use crate::{Buchi, Formula, Names, ltl, translate};

    fn of_automaton(automaton: &Buchi, formula: &Formula) -> bool {
        let tgba = automaton.as_tgba();
        let arrows = |letter| {
            let edges = tgba.edges().filter(|edge| edge.label.admits(letter));
            edges.map(|edge| (edge.from.index(), edge.to.index(), edge.marks.has(0))).collect()
        };
        let letters: Vec<_> =
            classes(&[tgba], &formula.simplified().props(), &Token::NEVER).unwrap().into_iter().map(arrows).collect();
        invariant(tgba.state_count(), automaton.initial().index(), &letters, &Token::NEVER).unwrap()
    }

    fn decide(text: &str) -> bool {
        let formula = ltl::parse(text, &mut Names::new()).unwrap();
        of_automaton(&translate(&formula).unwrap(), &formula)
    }

    #[test]
    fn known_formulas() {
        for text in ["[]<>p", "X []<>p", "<>(p && X <>!p)", "[](p -> X (p U q) || q)", "X true", "<>(p && X !p)"] {
            assert!(decide(text), "{text}");
        }
        for text in ["X p", "[](p -> X q)", "<>(p && X p)", "X X <>[]p && X p"] {
            assert!(!decide(text), "{text}");
        }
    }

    /// The automaton of a formula is invariant where the formula is.
    #[test]
    fn random_formulas() {
        let (mut counts, mut large) = ([0, 0], 0);
        for seed in 0..600 {
            let formula = formula(&mut Rng::new(seed), 9, 2);
            let automaton = translate(&formula).unwrap();
            if automaton.state_count() > STATES {
                large += 1;
                continue;
            }
            let expected = stutter(&formula).unwrap() == Stutter::Invariant;
            assert_eq!(of_automaton(&automaton, &formula), expected, "seed {seed}: {formula:?}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts.iter().all(|&n| n > 100) && large < 50, "both answers must be seen: {counts:?}");
    }

    /// An automaton that counts to two and forgets it again is invariant, although letters change where it is.
    #[test]
    fn what_is_counted_inside_may_not_be_seen_outside() {
        let any = |accepting: [bool; 2]| vec![vec![(0, 1, accepting[0]), (1, 0, accepting[1])]];
        assert_eq!(invariant(2, 0, &any([true, true]), &Token::NEVER), Ok(true));
        assert_eq!(invariant(2, 0, &any([true, false]), &Token::NEVER), Ok(true));
        // Accepts if the letter 1 stands at an even place.
        let even =
            vec![vec![(0, 1, false), (1, 0, false), (2, 2, true)], vec![(0, 2, true), (1, 0, false), (2, 2, true)]];
        assert_eq!(invariant(3, 0, &even, &Token::NEVER), Ok(false));
    }
}
