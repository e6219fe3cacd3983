//! The states of a product in which nothing can happen, found without looking at every combination of frames.
//!
//! Each party's frames that can do nothing alone fall into classes by what they offer and what they would take. A
//! combination of classes in which nobody takes what another offers holds only states without steps.

use crate::leaves::sets::FrameId;
use crate::steps::core::{Core, Flow, room};
use crate::steps::image::Image;
use crate::steps::product::Product;
use starwheel_model::{Handover, Pid, Stmt};
use std::rc::Rc;

/// Frames of one process that cannot be told apart here.
#[derive(Clone, Debug)]
struct Class {
    frames: Vec<FrameId>,
    traits: Traits,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Traits {
    /// The messages that are offered, by their number.
    offers: Vec<usize>,
    /// By number of a message: whether it would be taken.
    takes: Vec<bool>,
    /// The location, where it matters.
    location: Option<u16>,
    /// True if the process may stay there for ever.
    valid: bool,
    /// True if a timeout lets the process move.
    wakes: bool,
}

/// The classes of all parties of a product in which everybody can be blocked.
pub struct Standstill {
    classes: Vec<Vec<Class>>,
}

impl Standstill {
    /// Finds the classes; none if some party can always move. With `ends`, valid ends are told from others.
    pub fn new(core: &mut Core<'_>, at: &Product, images: &[Rc<Image>], ends: bool) -> Flow<Option<Standstill>> {
        if images.iter().any(|i| i.blocked.is_empty()) {
            return Flow::Continue(None);
        }
        let mut offers: Vec<&Handover> = images.iter().flat_map(|i| &i.blocked).flat_map(|b| &b.offers).collect();
        offers.sort();
        offers.dedup();
        let mut classes = Vec::new();
        for (i, image) in images.iter().enumerate() {
            let mut own: Vec<Class> = Vec::new();
            for blocked in &image.blocked {
                for frame in blocked.frames.view().iter().map(FrameId) {
                    core.runner.pulse.beat()?;
                    let traits = traits(core, at, Pid(i as u8), frame, &blocked.offers, &offers, ends);
                    match own.iter_mut().find(|c| c.traits == traits) {
                        Some(class) => class.frames.push(frame),
                        None => own.push(Class { frames: vec![frame], traits }),
                    }
                }
            }
            classes.push(own);
        }
        Flow::Continue(Some(Standstill { classes }))
    }

    /// States in which nothing can ever happen, one for each process and place that can be the first bad one; with
    /// `also_good`, one in which all are at valid ends, too.
    pub fn stuck(&self, also_good: bool) -> Vec<Vec<FrameId>> {
        let mut found = Vec::new();
        for (pid, classes) in self.classes.iter().enumerate() {
            for class in classes.iter().filter(|c| !c.traits.valid && !c.traits.wakes) {
                let admit = |i: usize, c: &Class| match i {
                    _ if c.traits.wakes => false,
                    _ if i == pid => c.traits == class.traits,
                    _ => i > pid || c.traits.valid,
                };
                found.extend(self.first(&admit));
            }
        }
        if also_good {
            found.extend(self.first(&|_, c: &Class| c.traits.valid && !c.traits.wakes));
        }
        found
    }

    /// A state in which nothing can ever happen, wherever the processes are.
    pub fn still(&self) -> Option<Vec<FrameId>> {
        self.first(&|_, c: &Class| !c.traits.wakes)
    }

    /// The products that a timeout can start from: together all states in which nothing else can happen.
    pub fn products(&self, core: &mut Core<'_>, at: &Product) -> Flow<Vec<Product>> {
        let mut out = Vec::new();
        if !self.classes.iter().flatten().any(|c| c.traits.wakes) {
            return Flow::Continue(out);
        }
        let mut all = Vec::new();
        self.search(&|_, _| true, &mut Vec::new(), &mut |chosen| {
            all.push(chosen.iter().map(|c| c.frames.clone()).collect::<Vec<_>>());
            false
        });
        for combination in all {
            let mut parties = Vec::new();
            for (i, frames) in combination.into_iter().enumerate() {
                let set = room(core.sets.set(frames))?;
                parties.push(core.party(at.shape, Pid(i as u8), set)?);
            }
            out.push(Product { parties, ..at.clone() });
        }
        Flow::Continue(out)
    }

    /// The first combination of admitted classes, as one frame for each process.
    fn first(&self, admit: &dyn Fn(usize, &Class) -> bool) -> Option<Vec<FrameId>> {
        let mut found = None;
        self.search(admit, &mut Vec::new(), &mut |chosen| {
            found = Some(chosen.iter().map(|c| c.frames[0]).collect());
            true
        });
        found
    }

    /// Tries combinations until `enough` says so.
    fn search<'s>(
        &'s self,
        admit: &dyn Fn(usize, &Class) -> bool,
        chosen: &mut Vec<&'s Class>,
        enough: &mut dyn FnMut(&[&Class]) -> bool,
    ) -> bool {
        let Some(classes) = self.classes.get(chosen.len()) else { return enough(chosen) };
        for class in classes {
            if admit(chosen.len(), class) && chosen.iter().all(|c| apart(c, class)) {
                chosen.push(class);
                if self.search(admit, chosen, enough) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
    }
}

/// True if neither takes what the other offers.
fn apart(a: &Class, b: &Class) -> bool {
    let takes = |x: &Class, y: &Class| x.traits.offers.iter().any(|&o| y.traits.takes[o]);
    !takes(a, b) && !takes(b, a)
}

fn traits(
    core: &mut Core<'_>,
    at: &Product,
    pid: Pid,
    frame: FrameId,
    own: &[Handover],
    all: &[&Handover],
    ends: bool,
) -> Traits {
    let takes = all.iter().map(|offer| core.accepts(at.shape, &at.center, pid, frame, offer)).collect();
    let offers = own.iter().filter_map(|o| all.iter().position(|a| *a == o)).collect();
    let wakes = core.model.uses.timeout && core.wakes(at.shape, &at.center, pid, frame);
    let bytes = core.sets.bytes(frame);
    let number = u16::from_le_bytes([bytes[2], bytes[3]]);
    let proctype = core.shapes.get(at.shape).types[pid.index()];
    let loc = &core.model.proctype(proctype).locs[number as usize];
    let gone = loc.out.iter().any(|&t| core.model.transition(t).stmt == Stmt::End);
    let valid = ends && (loc.end || gone);
    let location = (ends && !valid).then_some(number);
    Traits { offers, takes, location, valid, wakes }
}
