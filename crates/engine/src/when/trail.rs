//! Finds the steps of a way in the graph again: each edge is a chain, and the first one that fits is taken.

use super::explore::{Explored, Reached};
use super::graph::{Edge, Ending, Hop, MOMENT};
use super::{Fate, Never, Run, Shown, Times};
use crate::parts::ledger::Flow;
use crate::report::Stop;
use starwheel_model::Step;
use starwheel_store::NumberedTree;

/// The search contradicts itself.
fn lost<T>() -> Flow<T> {
    Flow::Break(Some(Stop::Internal("a trail cannot be found again".to_string())))
}

impl Explored<'_, '_, NumberedTree> {
    /// The answer where the first state is the last one of every run.
    pub fn at_once(&mut self) -> Flow<Option<Times>> {
        let Some(opening) = self.opening().cloned() else { return Flow::Continue(None) };
        let shown = Shown { time: 0, round: 0, trail: Vec::new(), cycle_start: None };
        let times = match opening {
            Ok(()) => Times { comes: Some((shown.clone(), super::Latest::At(shown))), never: Vec::new() },
            Err(why) => Times { comes: None, never: vec![Never { fate: Fate::Error, message: Some(why), shown }] },
        };
        Flow::Continue(Some(times))
    }

    /// The steps of a way, which comes to the moment or does not.
    pub fn shown(&mut self, run: Run, comes: bool) -> Flow<Shown> {
        let mut trail = self.steps(&run.hops)?;
        let start = trail.len();
        let round = run.round.iter().flatten().map(|(_, edge)| u64::from(edge.slices)).sum();
        if let Some(cycle) = &run.round {
            trail.extend(self.steps(cycle)?);
        }
        let cycle_start = run.round.is_some().then_some(start);
        let shown = Shown { time: run.time, round, trail, cycle_start };
        self.confirm(&shown, comes)?;
        Flow::Continue(shown)
    }

    /// A run that ends in a node without the moment.
    pub fn ending(&mut self, fate: Fate, ending: Ending, run: Run, node: u32) -> Flow<Never> {
        let mut trail = self.steps(&run.hops)?;
        self.begin(node);
        let (mut message, mut cycle_start) = (None, None);
        match ending {
            Ending::Final | Ending::Deadlock => match self.stuck() {
                Some((found, why)) if found == ending => message = why,
                _ => return lost(),
            },
            Ending::Error | Ending::Inside => loop {
                let Some(arrival) = self.advance()? else { return lost() };
                match self.reached(&arrival) {
                    Reached::Error(why) if ending == Ending::Error => {
                        message = Some(why);
                        trail.extend(self.chain());
                        break;
                    }
                    Reached::Inside if ending == Ending::Inside => {
                        trail.extend(self.chain());
                        cycle_start = Some(self.comes_round(&trail)?);
                        break;
                    }
                    _ => {}
                }
            },
        }
        let shown = Shown { time: run.time, round: 0, trail, cycle_start };
        self.confirm(&shown, false)?;
        Flow::Continue(Never { fate, message, shown })
    }

    fn steps(&mut self, hops: &[Hop]) -> Flow<Vec<Step>> {
        let mut trail = Vec::new();
        for &(node, edge) in hops {
            trail.extend(self.hop(node, edge)?);
        }
        Flow::Continue(trail)
    }

    /// The steps of an edge out of a node.
    fn hop(&mut self, node: u32, edge: Edge) -> Flow<Vec<Step>> {
        self.begin(node);
        while let Some(arrival) = self.advance()? {
            if arrival.depth != u64::from(edge.steps) || self.slices(arrival.step) != edge.slices {
                continue;
            }
            let wanted = if edge.to == MOMENT { Reached::Moment } else { Reached::Known(edge.to) };
            if self.reached(&arrival) == wanted {
                return Flow::Continue(self.chain());
            }
        }
        lost()
    }
}
