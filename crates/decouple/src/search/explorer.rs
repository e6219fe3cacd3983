//! What every search for errors does with what it meets when it expands a decoupled state.

use crate::leaves::sets::FrameId;
use crate::search::Request;
use crate::steps::core::{Core, Flow};
use crate::steps::expand::{Via, Visitor, expand_timeout};
use crate::steps::image::Image;
use crate::steps::product::Product;
use crate::steps::settle::settle;
use crate::steps::stuck::Standstill;
use crate::trail::Last;
use starwheel_model::{Pid, Stepper, Violation};
use std::rc::Rc;

/// A search for errors.
pub trait Explorer {
    /// What is asked of it.
    fn request(&self) -> &Request;
    /// Where the successors of the state that is being expanded go.
    fn batch(&mut self) -> &mut Vec<Product>;
    /// True if no successors are wanted, because the state that is being expanded is too deep.
    fn too_deep(&mut self) -> bool;
    /// Reports an error in the state that is being expanded.
    fn report(&mut self, core: &mut Core<'_>, violation: &Violation, last: Last<'_>) -> Flow;
}

impl<E: Explorer> Visitor for E {
    fn successor(&mut self, core: &mut Core<'_>, after: Product, via: &Via<'_>) -> Flow {
        if !self.too_deep() {
            let closed = settle(core, after, via)?;
            self.batch().push(closed);
        }
        Flow::Continue(())
    }

    fn wrong(&mut self, core: &mut Core<'_>, violation: &Violation, given: bool, via: &Via<'_>) -> Flow {
        self.report(core, violation, Last::Wrong { violation, given, via })
    }

    fn done(&mut self, core: &mut Core<'_>, at: &Product, images: &[Rc<Image>]) -> Flow {
        let timeout = core.model.uses.timeout;
        if self.request().checks.end_states
            && let Some(standstill) = Standstill::new(core, at, images, true)?
        {
            // The trace and messages that are left can make an end invalid although all processes are at valid ends.
            for frames in standstill.stuck(core.model.trace.is_some() || core.model.empty_ends) {
                stuck(self, core, at, frames)?;
            }
        }
        if timeout && let Some(standstill) = Standstill::new(core, at, images, false)? {
            for product in standstill.products(core, at)? {
                expand_timeout(core, &product, self)?;
            }
        }
        Flow::Continue(())
    }
}

/// Reports a state in which nothing can happen.
fn stuck(explorer: &mut impl Explorer, core: &mut Core<'_>, at: &Product, frames: Vec<FrameId>) -> Flow {
    let all: Vec<_> = frames.iter().enumerate().map(|(i, &f)| (Pid(i as u8), f)).collect();
    let mut state = Vec::new();
    core.compose(at.shape, &at.center, &all, &mut state);
    match core.runner.interp.stuck(&state) {
        Some(violation) => explorer.report(core, &violation, Last::Stuck(frames)),
        None => Flow::Continue(()),
    }
}
