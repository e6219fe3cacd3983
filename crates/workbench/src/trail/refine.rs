//! Takes merged steps apart again: the statements of a run one by one, each with its own state and its own effects.
//!
//! SPIN shows runs in this way. The run is followed a second time in the model without merging, where each part of a
//! merged step is a step; the parts are local and cannot block, so nobody else needs to move in between.

use crate::ask::plan::Reading;
use crate::open::Opened;
use crate::trail::record::{Path, Recorder, halves};
use crate::trail::walk::{Move, Walk};
use starwheel_model::{Actor, Model, Pid, ProcessStep, Step, Stmt, TransId};

/// The same run, statement by statement; the parts of a step have its number. None if the run cannot be followed so.
pub fn refine(opened: &Opened, path: Path<'_>, walk: &Walk) -> Option<Walk> {
    let reading = Reading {
        merge: false,
        dead_vars: false,
        progress: false,
        ltl: Vec::new(),
        own: false,
        automaton: None,
        zeno: false,
        ..opened.reading.clone()
    };
    let fine = opened.again(&reading)?;
    let mut follower = Follower { opened, recorder: Recorder::new(&fine), fine: &fine.model, moves: Vec::new() };
    let mut coarse = walk.moves.iter();
    for &step in path.steps {
        let own: Vec<&Move> = coarse.by_ref().take(halves(step) as usize).collect();
        match own[..] {
            [claim] if step.actor.is_claim() => follower.moves.push(claim.clone()),
            _ if step.actor == Actor::Clock => follower.tick(step),
            _ => follower.step(step, &own)?,
        }
    }
    let last = follower.recorder.situation().clone();
    Some(Walk { moves: follower.moves, last, ..walk.clone() })
}

struct Follower<'a> {
    opened: &'a Opened,
    recorder: Recorder<'a>,
    fine: &'a Model,
    moves: Vec<Move>,
}

impl Follower<'_> {
    fn step(&mut self, step: Step, own: &[&Move]) -> Option<()> {
        let from = |trans| self.opened.model.transition(trans).from;
        let same = |s: &Step| {
            let partner = |p: Option<(Pid, TransId)>| p.map(|(pid, _)| pid);
            let places = |a: TransId, b: TransId| from(a) == self.fine.transition(b).from;
            s.pid() == step.pid()
                && partner(s.partner()) == partner(step.partner())
                && places(step.action, s.action)
                && step.partner().zip(s.partner()).is_none_or(|(a, b)| places(a.1, b.1))
        };
        let found = self.recorder.enabled().into_iter().find(same)?;
        let halves = self.recorder.take(found).moves;
        let actors = std::iter::once((step.pid(), step.action)).chain(step.partner());
        for ((mut half, (pid, trans)), coarse) in halves.into_iter().zip(actors).zip(own) {
            half.number = coarse.number;
            self.moves.push(half);
            self.parts(pid, trans, coarse.number)?;
        }
        Some(())
    }

    /// Time passes for all alike.
    fn tick(&mut self, step: Step) {
        let number = self.fine.tick();
        self.moves.extend(self.recorder.take(Step { action: number.action, ..step }).moves);
    }

    /// Executes what was merged behind a statement.
    fn parts(&mut self, pid: Pid, trans: TransId, number: u64) -> Option<()> {
        let t = self.opened.model.transition(trans);
        let Stmt::Chain(list) = &t.stmt else { return Some(()) };
        for _ in 1..list.len() {
            let place = self.recorder.situation().processes.get(pid.index()).map(|p| p.state);
            if self.recorder.broken() || place == Some(t.to.0) {
                break;
            }
            let next = self.recorder.enabled().into_iter().find(|s| s.pid() == pid)?;
            let moves = self.recorder.take(next).moves;
            self.moves.extend(moves.into_iter().map(|m| Move { number, ..m }));
        }
        Some(())
    }
}
