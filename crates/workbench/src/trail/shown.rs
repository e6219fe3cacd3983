//! The part of a run that people are shown: without the steps of automata that nobody wrote as claims, up to where the run is decided, and of
//! a long one beginning and end.

use crate::open::Opened;
use crate::problem::Failure;
use crate::trail::record::{Path, halves, walk_plainly};
use crate::trail::walk::{Move, Walk};
use starwheel_model::Step;

/// The moves that fit on a page.
const PAGE: usize = 60;
/// The moves at the beginning of a longer run.
const HEAD: usize = 5;
/// The moves at its end.
const TAIL: usize = 25;
/// The longest cycle that is shown as a whole.
const CYCLE: usize = 40;
/// Steps of a run that is written down from its beginning to its end.
const WHOLE: usize = 2000;
/// Steps that are written down at the beginning of a longer one, and at its end.
const PARTS: (usize, usize) = (40, 400);

/// A run for people, and how many moves it has in all.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The moves that are shown; where numbers are missing, moves are.
    pub walk: Walk,
    /// The moves of the whole run, as they are numbered in it.
    pub total: u64,
}

/// The whole run for people. The steps of the claim are left out if nobody has written them.
pub fn whole(opened: &Opened, path: Path<'_>, hide: bool) -> Result<Walk, Failure> {
    let walk = walk_plainly(opened, path, None)?;
    let Some(end) = walk.moves.iter().find(|m| m.decides).filter(|_| hide).map(|m| m.number) else {
        return Ok(if hide { hidden(walk, path.steps, 0) } else { walk });
    };
    // Whatever follows, it is decided: the rest shows nothing.
    let mut passed = 0;
    let steps = path.steps.iter().take_while(|&&step| {
        let before = passed;
        passed += halves(step);
        before < end
    });
    let steps = &path.steps[..steps.count()];
    let walk = walk_plainly(opened, Path { steps, claim: path.claim, cycle_start: None }, None)?;
    Ok(hidden(walk, steps, 0))
}

/// The run for a screen: all of it up to a page, else its beginning and its end, and a cycle as a whole.
pub fn excerpt(opened: &Opened, path: Path<'_>, hide: bool) -> Result<Excerpt, Failure> {
    if path.steps.len() <= WHOLE {
        return Ok(cut(whole(opened, path, hide)?));
    }
    let head = Path { steps: &path.steps[..PARTS.0], claim: path.claim, cycle_start: None };
    let head = walk_plainly(opened, head, None)?;
    let tail = walk_plainly(opened, path, Some(PARTS.1))?;
    let skipped = path.steps.len() - PARTS.1;
    let (head, tail) = match hide {
        true => (hidden(head, path.steps, 0), hidden(tail, path.steps, skipped)),
        false => (head, tail),
    };
    let (propositions, moves) = (head.propositions, head.moves.into_iter().take(HEAD).chain(tail.moves).collect());
    Ok(cut(Walk { propositions, moves, ..tail }))
}

/// Leaves out the steps of the claim and numbers the others; what they tell goes to the move before them. The moves are those
/// of the steps after the first `skipped`.
fn hidden(walk: Walk, steps: &[Step], skipped: usize) -> Walk {
    let claims = |steps: &[Step]| steps.iter().filter(|s| s.actor.is_claim()).count() as u64;
    let mut gone = claims(&steps[..skipped]);
    let Walk { mut propositions, moves: all, cycle_start, cycle_propositions, last } = walk;
    let (mut moves, mut start): (Vec<Move>, Option<u64>) = (Vec::new(), None);
    for mut m in all {
        if cycle_start.is_some_and(|start| m.number == start + 1) {
            start = Some(m.number - 1 - gone);
        }
        if m.claim {
            gone += 1;
            match moves.last_mut() {
                Some(before) => {
                    before.decides |= m.decides;
                    before.faults.extend(m.faults);
                    before.propositions.extend(m.propositions);
                }
                None => propositions.extend(m.propositions),
            }
            continue;
        }
        m.number -= gone;
        moves.push(m);
    }
    // A cycle that begins before the moves, or in which nobody moves but the claim.
    let before = |start: u64| {
        let mut passed = 0;
        let own = steps.iter().take_while(|&&s| {
            passed += halves(s);
            passed <= start
        });
        own.map(|&s| if s.actor.is_claim() { 0 } else { halves(s) }).sum()
    };
    let cycle_start = cycle_start.map(|first| start.unwrap_or_else(|| before(first)));
    Walk { propositions, moves, cycle_start, cycle_propositions, last }
}

/// Keeps what fits on a page.
fn cut(walk: Walk) -> Excerpt {
    let total = walk.moves.last().map_or(0, |m| m.number);
    let cycle = walk.cycle_start.map_or(0, |start| total.saturating_sub(start) as usize);
    let count = walk.moves.len();
    let tail = if cycle <= CYCLE { TAIL.max(cycle + HEAD) } else { TAIL };
    if total <= PAGE as u64 || count <= HEAD + tail {
        return Excerpt { walk, total };
    }
    let Walk { moves, .. } = walk;
    let kept = moves.into_iter().enumerate().filter(|(i, _)| *i < HEAD || *i >= count - tail).map(|(_, m)| m);
    Excerpt { walk: Walk { moves: kept.collect(), ..walk }, total }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(count: u64) -> Vec<Move> {
        (1..=count).map(|number| Move { number, ..Move::default() }).collect()
    }

    fn numbers(excerpt: &Excerpt) -> Vec<u64> {
        excerpt.walk.moves.iter().map(|m| m.number).collect()
    }

    #[test]
    fn a_page_is_shown_and_of_more_the_beginning_and_the_end() {
        let page = cut(Walk { moves: moves(60), ..Walk::default() });
        assert_eq!((numbers(&page).len(), page.total), (60, 60));
        let long = cut(Walk { moves: moves(100), ..Walk::default() });
        assert_eq!(numbers(&long), (1..=5).chain(76..=100).collect::<Vec<_>>());
        assert_eq!(long.total, 100);
    }

    #[test]
    fn a_cycle_is_shown_as_a_whole_unless_it_is_very_long() {
        let lasso = cut(Walk { moves: moves(100), cycle_start: Some(62), ..Walk::default() });
        assert!(numbers(&lasso).contains(&63));
        let long = cut(Walk { moves: moves(100), cycle_start: Some(10), ..Walk::default() });
        assert_eq!(numbers(&long).len(), 30);
    }
}
