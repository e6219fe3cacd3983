//! Weaves the steps of a claim into a run of the system: a lasso of both together.
//!
//! A decoupled search lets the claim read only some of the letters of a run; for a property that does not count
//! repetitions that is enough. Here the claim reads all of them.

use crate::liveness::claim::{Claim, LetterId};
use starwheel_model::{Actor, Interp, LocId, Step, Stepper, TransId};

/// A run: the letters at the states that a claim sees, each with the steps to the next one.
struct Word {
    letters: Vec<LetterId>,
    steps: Vec<Vec<Step>>,
    /// Where it begins again.
    start: usize,
}

/// A place in a reading: where the claim is, and whether it was at an accepting place since the reading began.
type Spot = (LocId, bool);

/// For each letter: the places that the claim can be at when it comes, with the place before and the transition.
type Layers = Vec<Vec<(Spot, Option<(usize, TransId)>)>>;

/// The steps of claim and system together that the claim accepts, and where the cycle starts. Without steps in `cycle`, or
/// with one that has no meaning, the system stays where it is.
pub fn weave(
    interp: &mut Interp<'_>,
    claim: &mut Claim<'_>,
    prefix: &[Step],
    cycle: &[Step],
) -> Option<(Vec<Step>, usize)> {
    let word = spell(interp, claim, prefix, cycle)?;
    let (lead, rest) = word.letters.split_at(word.start);
    let opening = read(claim, lead, claim.start);
    // Claim places at the start of a round: each with the way that led there.
    let mut reached: Vec<(LocId, Vec<TransId>)> = Vec::new();
    for (at, _) in ends(&opening) {
        reached.push((at, way(&opening, at, None)?));
    }
    let mut next = 0;
    while next < reached.len() {
        let (at, before) = reached[next].clone();
        next += 1;
        if let Some(round) = rounds(claim, rest, at) {
            return Some(word.write(&before, &round));
        }
        let layers = read(claim, rest, at);
        for (to, _) in ends(&layers) {
            if reached.iter().all(|r| r.0 != to) {
                let both = before.iter().copied().chain(way(&layers, to, None)?).collect();
                reached.push((to, both));
            }
        }
    }
    None
}

/// The steps of claim and system together up to where the claim asks for something that has no value; none if it never
/// does.
pub fn weave_error(interp: &mut Interp<'_>, claim: &mut Claim<'_>, steps: &[Step]) -> Option<Vec<Step>> {
    let word = spell(interp, claim, steps, &[])?;
    for (number, &letter) in word.letters.iter().enumerate() {
        let layers = read(claim, &word.letters[..number], claim.start);
        let found = ends(&layers).into_iter().find_map(|(at, _)| Some((at, claim.breaks(letter, at)?)));
        if let Some((at, trans)) = found {
            let way = way(&layers, at, None)?;
            let (mut out, _) = word.write(&way, &[]);
            out.push(Step::alone(Actor::Claim, trans));
            return Some(out);
        }
    }
    None
}

/// The claim's transitions in rounds that lead back to a place, past an accepting one.
fn rounds(claim: &Claim<'_>, letters: &[LetterId], from: LocId) -> Option<Vec<TransId>> {
    let mut reached: Vec<(Spot, Vec<TransId>)> = vec![((from, false), Vec::new())];
    let mut next = 0;
    while next < reached.len() {
        let ((at, passed), before) = reached[next].clone();
        next += 1;
        let layers = read(claim, letters, at);
        for (to, accepted) in ends(&layers) {
            let spot = (to, passed || accepted);
            if spot != (from, true) && reached.iter().any(|r| r.0 == spot) {
                continue;
            }
            let both: Vec<_> = before.iter().copied().chain(way(&layers, to, Some(accepted))?).collect();
            if spot == (from, true) {
                return Some(both);
            }
            reached.push((spot, both));
        }
    }
    None
}

/// All that the claim can do while it reads letters from a place.
fn read(claim: &Claim<'_>, letters: &[LetterId], from: LocId) -> Layers {
    let mut layers = vec![vec![((from, false), None)]];
    for &letter in letters {
        let mut next: Vec<(Spot, Option<(usize, TransId)>)> = Vec::new();
        for (number, &((at, accepted), _)) in layers[layers.len() - 1].iter().enumerate() {
            let accepted = accepted || claim.accepts(at);
            for &(trans, to) in claim.moves(letter, at) {
                if next.iter().all(|n| n.0 != (to, accepted)) {
                    next.push(((to, accepted), Some((number, trans))));
                }
            }
        }
        layers.push(next);
    }
    layers
}

/// Where a reading can end.
fn ends(layers: &Layers) -> Vec<Spot> {
    layers.last().into_iter().flatten().map(|l| l.0).collect()
}

/// The transitions of a reading that ends at a place.
fn way(layers: &Layers, to: LocId, accepted: Option<bool>) -> Option<Vec<TransId>> {
    let fits = |spot: Spot| spot.0 == to && accepted.is_none_or(|a| a == spot.1);
    let mut number = layers.last()?.iter().position(|l| fits(l.0))?;
    let mut out = Vec::new();
    for layer in layers.iter().rev() {
        if let Some((before, trans)) = layer[number].1 {
            out.push(trans);
            number = before;
        }
    }
    out.reverse();
    Some(out)
}

/// Follows the steps of the system and reads the letters.
fn spell(interp: &mut Interp<'_>, claim: &mut Claim<'_>, prefix: &[Step], cycle: &[Step]) -> Option<Word> {
    let (mut at, mut next) = (Vec::new(), Vec::new());
    interp.initial(&mut at);
    let mut word = Word { letters: vec![claim.letter(interp, &at)], steps: vec![Vec::new()], start: 0 };
    for (number, &step) in prefix.iter().chain(cycle).enumerate() {
        if number == prefix.len() {
            word.start = word.letters.len() - 1;
        }
        word.steps.last_mut()?.push(step);
        if interp.fire(&at, step, &mut next).broken {
            // The run ends here, and the claim sees for ever what is left behind.
            interp.remains(&at, step, &mut next);
            word.start = word.letters.len();
            word.letters.push(claim.letter(interp, &next));
            word.steps.push(Vec::new());
            return (number + 1 == prefix.len() + cycle.len()).then_some(word);
        }
        std::mem::swap(&mut at, &mut next);
        if !interp.transient(&at) {
            word.letters.push(claim.letter(interp, &at));
            word.steps.push(Vec::new());
        }
    }
    if cycle.is_empty() {
        word.start = word.letters.len() - 1;
    } else {
        // The last state is the first one of the cycle.
        word.letters.pop();
        word.steps.pop();
    }
    Some(word)
}

impl Word {
    fn write(&self, before: &[TransId], round: &[TransId]) -> (Vec<Step>, usize) {
        let mut out = Vec::new();
        let mut place = 0;
        let mut start = 0;
        for (number, &trans) in before.iter().chain(round).enumerate() {
            if number == before.len() {
                start = out.len();
            }
            out.push(Step::alone(Actor::Claim, trans));
            out.extend_from_slice(&self.steps[place]);
            place = if place + 1 == self.steps.len() { self.start } else { place + 1 };
        }
        (out, start)
    }
}
