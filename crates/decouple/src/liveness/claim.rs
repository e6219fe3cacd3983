//! A claim without statements, as an automaton that reads letters: which of its conditions hold in a state.

use rapidhash::RapidHashMap;
use starwheel_model::{Expr, Interp, LocId, Model, ProctypeId, Stmt, TransId};

/// A letter: index into the letters of a [`Claim`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LetterId(pub u32);

/// What the claim can do with a letter, by location.
#[derive(Debug)]
struct Letter {
    moves: Vec<Vec<(TransId, LocId)>>,
    /// The first transition whose condition has no value.
    breaks: Vec<Option<TransId>>,
    /// True if it accepts when this letter comes for ever.
    lingers: Vec<bool>,
}

/// A claim.
#[derive(Debug)]
pub struct Claim<'m> {
    /// Where it starts.
    pub start: LocId,
    accept: Vec<bool>,
    /// By location: transition, number of its condition, where it leads.
    edges: Vec<Vec<(TransId, Option<usize>, LocId)>>,
    conditions: Vec<&'m Expr>,
    letters: Vec<Letter>,
    index: RapidHashMap<Vec<Option<bool>>, LetterId>,
}

impl<'m> Claim<'m> {
    /// A claim that [`crate::property_refusal`] has nothing to say about.
    pub fn new(model: &'m Model, id: ProctypeId) -> Claim<'m> {
        let proctype = model.proctype(id);
        let mut conditions: Vec<&Expr> = Vec::new();
        let mut number = |e: &'m Expr| {
            conditions.iter().position(|c| *c == e).unwrap_or_else(|| {
                conditions.push(e);
                conditions.len() - 1
            })
        };
        let mut edge = |&t: &TransId| {
            let transition = model.transition(t);
            match &transition.stmt {
                Stmt::Guard(e) => Some((t, Some(number(e)), transition.to)),
                Stmt::Skip(_) => Some((t, None, transition.to)),
                _ => None,
            }
        };
        let edges = proctype.locs.iter().map(|l| l.out.iter().filter_map(&mut edge).collect()).collect();
        Claim {
            start: proctype.start,
            accept: proctype.locs.iter().map(|l| l.accept).collect(),
            edges,
            conditions,
            letters: Vec::new(),
            index: RapidHashMap::default(),
        }
    }

    /// True if a run that comes here again and again is accepted.
    pub fn accepts(&self, at: LocId) -> bool {
        self.accept[at.index()]
    }

    /// The letter of a state.
    pub fn letter(&mut self, interp: &mut Interp<'_>, state: &[u8]) -> LetterId {
        let value = |e: &&Expr| interp.evaluate(state, e).ok().map(|v| v != 0);
        let truths: Vec<Option<bool>> = self.conditions.iter().map(value).collect();
        self.number(truths)
    }

    fn number(&mut self, truths: Vec<Option<bool>>) -> LetterId {
        if let Some(&known) = self.index.get(&truths) {
            return known;
        }
        let id = LetterId(self.letters.len() as u32);
        let truth = |condition: Option<usize>| condition.map_or(Some(true), |c| truths[c]);
        let moves = |list: &Vec<(TransId, Option<usize>, LocId)>| {
            list.iter().filter(|e| truth(e.1) == Some(true)).map(|&(t, _, to)| (t, to)).collect()
        };
        let broken = |list: &Vec<(TransId, Option<usize>, LocId)>| {
            list.iter().find(|e| truth(e.1).is_none()).map(|&(t, _, _)| t)
        };
        let breaks = self.edges.iter().map(broken).collect();
        let moves: Vec<Vec<_>> = self.edges.iter().map(moves).collect();
        let lingers = (0..moves.len()).map(|at| lingers(&moves, &self.accept, at)).collect();
        self.letters.push(Letter { moves, breaks, lingers });
        self.index.insert(truths, id);
        id
    }

    /// A transition whose condition the claim asks for when it reads a letter, and has no value.
    pub fn breaks(&self, letter: LetterId, at: LocId) -> Option<TransId> {
        self.letters[letter.0 as usize].breaks[at.index()]
    }

    /// Where the claim can go when it reads a letter.
    pub fn moves(&self, letter: LetterId, at: LocId) -> &[(TransId, LocId)] {
        &self.letters[letter.0 as usize].moves[at.index()]
    }

    /// True if the claim accepts when it reads this letter for ever.
    pub fn lingers(&self, letter: LetterId, at: LocId) -> bool {
        self.letters[letter.0 as usize].lingers[at.index()]
    }
}

fn lingers(moves: &[Vec<(TransId, LocId)>], accept: &[bool], from: usize) -> bool {
    let after = |from: usize| {
        let (mut seen, mut todo) = (vec![false; moves.len()], vec![from]);
        while let Some(at) = todo.pop() {
            for (_, to) in &moves[at] {
                if !std::mem::replace(&mut seen[to.index()], true) {
                    todo.push(to.index());
                }
            }
        }
        seen
    };
    let mut reached = after(from);
    reached[from] = true;
    (0..moves.len()).any(|at| reached[at] && accept[at] && after(at)[at])
}
