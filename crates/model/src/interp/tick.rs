//! The tick: whether time can pass in a quiet state, how far it goes, and what it does to the timers.

use super::tables::{Tables, read, write};
use super::view::World;
use super::{Interp, tables};
use crate::ir::Model;
use crate::place::Ty;
use crate::time::Pace;
use starwheel_system::Fired;

impl World<'_> {
    /// How many slices a tick takes here, if some timer runs; the state must be quiet.
    pub fn slices(self) -> Option<u32> {
        let running = timers(self.model, self.tables).map(|at| read(self.state, at, Ty::Timer));
        let least = running.filter(|&value| value >= 0).min()?;
        Some(match self.model.pace {
            Pace::Slice => 1,
            // A timer at zero is switched off by the next slice, and somebody may wait for that.
            Pace::Jump => least.max(1) as u32,
        })
    }
}

impl Interp<'_> {
    /// How many slices pass in a step of the clock from this state; none if time stands still in it.
    pub fn slices(&mut self, at: &[u8]) -> Option<u32> {
        self.tables.locate(self.model, at);
        let slices = self.world(at).slices()?;
        if slices > 1 && self.model.uses.lazy {
            // A jump would pass over the moments at which a lazy step can be taken.
            let mut steps = std::mem::take(&mut self.steps);
            steps.clear();
            self.list(at, false, &mut steps);
            let alone = steps.is_empty();
            self.steps = steps;
            return Some(if alone { slices } else { 1 });
        }
        Some(slices)
    }

    /// Lets time pass. Nobody moves, so who moved last is who it was.
    pub(super) fn pass_time(&mut self, at: &[u8], out: &mut Vec<u8>) -> Fired {
        out.clear();
        out.extend_from_slice(at);
        let slices = self.slices(at).unwrap_or(0) as i32;
        for place in timers(self.model, &self.tables) {
            let value = read(out, place, Ty::Timer);
            if value >= 0 {
                write(out, place, Ty::Timer, value - slices);
            }
        }
        tables::set_control(self.model, out, None);
        Fired::default()
    }
}

/// Where the timers of a state lie: global ones first, then those of each process.
fn timers<'a>(model: &'a Model, tables: &'a Tables) -> impl Iterator<Item = usize> + 'a {
    let own = tables.frames.iter().flat_map(|f| {
        let timers = &model.layout.frames[f.proctype.index()].timers;
        timers.iter().map(move |&offset| f.at + offset as usize)
    });
    model.layout.timers.iter().map(|&at| at as usize).chain(own)
}
