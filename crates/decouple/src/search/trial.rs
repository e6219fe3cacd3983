//! A short search that tells whether decoupling pays for a model.

use crate::search::{Request, explore};
use crate::states::space::NodeId;
use crate::steps::core::Core;
use crate::steps::product::Product;
use crate::steps::pulse::Pulse;
use crate::topology::decompose::Decomposition;
use crate::topology::shape::ShapeId;
use starwheel_engine::{Checks, Silent};
use starwheel_model::Model;
use std::time::Duration;

/// What a trial has seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// True if the search came to its end.
    pub complete: bool,
    /// How many ordinary states a decoupled one stands for, on geometric average.
    pub members: f64,
}

/// A decoupled state costs about as much as so many ordinary ones, with something to spare.
const WORTH: f64 = 16.0;

/// The longest trial.
const TIME: Duration = Duration::from_secs(2);

impl Trial {
    /// Looks at so many decoupled states, breadth first, for no longer than is left.
    pub fn new(model: &Model, most: u64, left: Option<Duration>) -> Trial {
        let parts = Decomposition::new(model);
        let time = left.map_or(TIME, |left| TIME.min(left / 2));
        let mut core = Core::new(model, &parts, Pulse::new(&Silent, Some(time)));
        let checks = Checks { assertions: false, end_states: false, run_time: false };
        let request = Request { breadth_first: true, checks, ..Request::default() };
        let (report, space) = explore(&mut core, &request, Some(most), None, &Silent);
        let mut product = Product { shape: ShapeId(0), center: Vec::new(), parties: Vec::new() };
        let mut bits = 0.0;
        for id in 0..space.len() as u32 {
            space.get(NodeId(id), &mut product);
            let sizes = product.parties.iter().map(|&p| core.sets.len(core.parties.get(p).set) as f64);
            bits += sizes.map(f64::log2).sum::<f64>();
        }
        Trial { complete: report.complete.is_some(), members: (bits / space.len().max(1) as f64).exp2() }
    }

    /// True if decoupling pays: nothing is cheaper than a search that is over already.
    pub fn pays(&self) -> bool {
        self.complete || self.members >= WORTH
    }
}
