//! Sets of local states split by where they were reached from: one closed set for each reference state of a component
//! (definition 5 of the paper). Each split is kept once, and what becomes of it is looked up.

use std::collections::HashMap;
use std::rc::Rc;

use crate::leaf::{Leaf, SetId};
use crate::net::Local;

/// Reference states in increasing order, each with what is reached from it.
type Parts = Rc<[(Local, SetId)]>;

struct Known {
    parts: Parts,
    /// By the component's shared actions; `None` inside if the action is not possible.
    images: HashMap<u32, Option<u32>>,
    restricted: Option<Option<u32>>,
    union: Option<SetId>,
    /// A reference state that was reached again.
    returns: Option<Local>,
}

/// The splits of one component.
#[derive(Default)]
pub(crate) struct Splits {
    known: Vec<Known>,
    numbers: HashMap<Parts, u32>,
}

impl Splits {
    /// The split of a set by its members, or by those that accept.
    pub fn start(&mut self, leaf: &mut Leaf, set: SetId, accepting: bool) -> u32 {
        let references = if accepting { leaf.accepting(set) } else { leaf.members(set).collect() };
        let parts: Vec<_> = references.into_iter().map(|s| (s, leaf.closure([s]))).collect();
        self.number(leaf, parts.into())
    }

    /// Where a shared action leads.
    pub fn image(&mut self, leaf: &mut Leaf, split: u32, slot: usize) -> Option<u32> {
        if let Some(&image) = self.known[split as usize].images.get(&(slot as u32)) {
            return image;
        }
        let image = self.mapped(leaf, split, |leaf, set| leaf.image(set, slot));
        self.known[split as usize].images.insert(slot as u32, image);
        image
    }

    /// What is left of it if only accepting states count.
    pub fn restricted(&mut self, leaf: &mut Leaf, split: u32) -> Option<u32> {
        if let Some(known) = self.known[split as usize].restricted {
            return known;
        }
        let restricted = self.mapped(leaf, split, |leaf, set| leaf.restricted(set));
        self.known[split as usize].restricted = Some(restricted);
        restricted
    }

    /// All that was reached, from wherever.
    pub fn union(&mut self, leaf: &mut Leaf, split: u32) -> SetId {
        if let Some(union) = self.known[split as usize].union {
            return union;
        }
        let parts = Rc::clone(&self.known[split as usize].parts);
        let union = leaf.union(parts.iter().map(|p| p.1));
        self.known[split as usize].union = Some(union);
        union
    }

    /// A reference state that was reached again.
    pub fn returns(&self, split: u32) -> Option<Local> {
        self.known[split as usize].returns
    }

    /// True if all reference states of one are among those of the other, and what is reached from them as well.
    pub fn within(&self, leaf: &Leaf, small: u32, large: u32) -> bool {
        if small == large {
            return true;
        }
        let (small, large) = (&self.known[small as usize].parts, &self.known[large as usize].parts);
        let mut rest = large.iter();
        small.iter().all(|(state, set)| {
            rest.find(|(other, _)| other >= state).is_some_and(|(other, all)| other == state && leaf.subset(*set, *all))
        })
    }

    fn mapped(&mut self, leaf: &mut Leaf, split: u32, of: impl Fn(&mut Leaf, SetId) -> SetId) -> Option<u32> {
        let parts = Rc::clone(&self.known[split as usize].parts);
        let parts: Vec<_> = parts.iter().map(|&(state, set)| (state, of(leaf, set))).collect();
        let possible = parts.iter().any(|p| p.1 != SetId::EMPTY);
        possible.then(|| self.number(leaf, parts.into()))
    }

    fn number(&mut self, leaf: &Leaf, parts: Parts) -> u32 {
        if let Some(&number) = self.numbers.get(&parts) {
            return number;
        }
        let number = self.known.len() as u32;
        let returns = parts.iter().find(|(state, set)| leaf.has(*set, *state)).map(|p| p.0);
        self.numbers.insert(Rc::clone(&parts), number);
        self.known.push(Known { parts, images: HashMap::new(), restricted: None, union: None, returns });
        number
    }
}
