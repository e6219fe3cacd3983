//! One component in a decoupled search: its sets of local states, each kept once, and what becomes of them.
//!
//! Sets are closed under internal edges. Closures, images and restrictions depend on the set alone, so each is computed
//! once and then looked up.

use std::collections::HashMap;
use std::rc::Rc;

use crate::net::{ActionId, Component, ComponentId, Local, Network};
use crate::set::{self, Collector, LeafSet, Word};

/// The number of a set of one component; the empty set has number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SetId(pub u32);

impl SetId {
    pub const EMPTY: SetId = SetId(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a set.
#[derive(Debug)]
struct Known {
    words: Rc<[Word]>,
    /// By the component's shared actions.
    images: Box<[Option<SetId>]>,
    restricted: Option<SetId>,
}

/// One component and its sets.
#[derive(Debug)]
pub(crate) struct Leaf<'n> {
    pub component: &'n Component,
    /// Its shared actions, in order.
    actions: Vec<ActionId>,
    accepting: LeafSet,
    /// Accepting states that internal edges lead back to.
    turning: LeafSet,
    known: Vec<Known>,
    numbers: HashMap<Rc<[Word]>, SetId>,
    collector: Collector,
    work: Vec<Local>,
}

impl<'n> Leaf<'n> {
    pub fn new(net: &'n Network, id: ComponentId) -> Leaf<'n> {
        let component = net.component(id);
        let mut collector = Collector::new(component.state_count());
        let mut collect = |states: &mut dyn Iterator<Item = Local>| {
            states.for_each(|s| {
                collector.insert(s);
            });
            collector.take()
        };
        let all = || (0..component.state_count() as u32).map(Local);
        let accepting = collect(&mut all().filter(|s| component.accepting[s.index()]));
        let circles = crate::circles::on_internal_cycles(component);
        let turning = collect(&mut all().filter(|s| component.accepting[s.index()] && circles[s.index()]));
        let actions = net.shared_actions().filter(|&a| net.action(a).parts.contains(&id)).collect();
        let (known, numbers, work) = (Vec::new(), HashMap::new(), Vec::new());
        let mut leaf = Leaf { component, actions, accepting, turning, known, numbers, collector, work };
        let empty = leaf.closed();
        debug_assert_eq!(empty, SetId::EMPTY);
        leaf
    }

    /// The place of a shared action among those of this component.
    pub fn slot(&self, action: ActionId) -> usize {
        self.actions.partition_point(|&a| a < action)
    }

    /// How many distinct sets there are.
    pub fn set_count(&self) -> u64 {
        self.known.len() as u64
    }

    pub fn words(&self, set: SetId) -> &[Word] {
        &self.known[set.index()].words
    }

    pub fn has(&self, set: SetId, state: Local) -> bool {
        set::has(self.words(set), state)
    }

    pub fn members(&self, set: SetId) -> impl Iterator<Item = Local> {
        set::members(self.words(set))
    }

    pub fn subset(&self, small: SetId, large: SetId) -> bool {
        small == large || set::subset(self.words(small), self.words(large))
    }

    /// True if a member is accepting.
    pub fn accepts(&self, set: SetId) -> bool {
        set::meet(self.words(set), &self.accepting)
    }

    /// An accepting member on an internal cycle.
    pub fn turning(&self, set: SetId) -> Option<Local> {
        let meets = set::meet(self.words(set), &self.turning);
        meets.then(|| self.members(set).find(|&s| set::has(&self.turning, s)))?
    }

    /// The accepting members.
    pub fn accepting(&self, set: SetId) -> Vec<Local> {
        self.members(set).filter(|s| self.component.accepting[s.index()]).collect()
    }

    /// The closure of some states.
    pub fn closure(&mut self, states: impl IntoIterator<Item = Local>) -> SetId {
        states.into_iter().for_each(|s| self.add(s));
        self.closed()
    }

    /// Where an action leads from a set, closed again; the empty set if it is not possible.
    pub fn image(&mut self, set: SetId, slot: usize) -> SetId {
        if let Some(image) = self.known[set.index()].images[slot] {
            return image;
        }
        let (component, action) = (self.component, self.actions[slot]);
        let words = Rc::clone(&self.known[set.index()].words);
        for state in set::members(&words) {
            component.moves(state, action).iter().for_each(|edge| self.add(edge.to));
        }
        let image = self.closed();
        self.known[set.index()].images[slot] = Some(image);
        image
    }

    /// The accepting members of a set, closed again.
    pub fn restricted(&mut self, set: SetId) -> SetId {
        if let Some(restricted) = self.known[set.index()].restricted {
            return restricted;
        }
        let restricted = self.closure(self.accepting(set));
        self.known[set.index()].restricted = Some(restricted);
        restricted
    }

    /// The union of closed sets, which is closed.
    pub fn union(&mut self, sets: impl IntoIterator<Item = SetId>) -> SetId {
        for set in sets {
            let words = Rc::clone(&self.known[set.index()].words);
            set::members(&words).for_each(|s| {
                self.collector.insert(s);
            });
        }
        self.number()
    }

    fn add(&mut self, state: Local) {
        if self.collector.insert(state) {
            self.work.push(state);
        }
    }

    /// Follows internal edges from what was added.
    fn closed(&mut self) -> SetId {
        let component = self.component;
        while let Some(state) = self.work.pop() {
            component.internal(state).iter().for_each(|edge| self.add(edge.to));
        }
        self.number()
    }

    /// The number of the set that was collected.
    fn number(&mut self) -> SetId {
        let words: Rc<[Word]> = self.collector.take().into();
        if let Some(&id) = self.numbers.get(&words) {
            return id;
        }
        let id = SetId(self.known.len() as u32);
        self.numbers.insert(Rc::clone(&words), id);
        let images = vec![None; self.actions.len()].into_boxed_slice();
        self.known.push(Known { words, images, restricted: None });
        id
    }
}
