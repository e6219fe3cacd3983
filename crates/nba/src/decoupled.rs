//! The decoupled composition: a state is one set of local states for each component, closed under internal edges, and
//! stands for all combinations of their members. Only shared actions are steps (section 3 of the paper).

use crate::leaf::{Leaf, SetId};
use crate::net::{ActionId, ComponentId, Local, Network};
use crate::question::Stages;

/// A decoupled state: the number of a set for each component.
pub(crate) type Sets = Box<[u32]>;

/// All components with their sets.
pub(crate) struct Decoupled<'n> {
    pub stages: &'n Stages,
    pub leaves: Vec<Leaf<'n>>,
    /// The shared actions, in the order in which they are tried.
    pub actions: Vec<Joint>,
}

/// A shared action.
pub(crate) struct Joint {
    pub id: ActionId,
    /// The components that move, each with the place of the action among its own.
    pub parts: Vec<(usize, usize)>,
}

impl<'n> Decoupled<'n> {
    pub fn new(net: &'n Network, stages: &'n Stages) -> Decoupled<'n> {
        let leaves: Vec<Leaf> = (0..net.components.len() as u32).map(|c| Leaf::new(net, ComponentId(c))).collect();
        let part = |id: ActionId, c: ComponentId| (c.index(), leaves[c.index()].slot(id));
        let joint = |id: ActionId| Joint { id, parts: net.action(id).parts.iter().map(|&c| part(id, c)).collect() };
        let actions = net.shared_actions().map(joint).collect();
        Decoupled { stages, leaves, actions }
    }

    /// The state in which runs start, if all components have one.
    pub fn initial(&mut self) -> Option<Sets> {
        let sets: Sets = self.leaves.iter_mut().map(|l| l.closure(l.component.initial.iter().copied()).0).collect();
        sets.iter().all(|&s| s != SetId::EMPTY.0).then_some(sets)
    }

    /// The state behind an action, by its place in [`Decoupled::actions`]; false if it is not possible.
    pub fn act(&mut self, from: &[u32], action: usize, out: &mut Vec<u32>) -> bool {
        out.clear();
        out.extend_from_slice(from);
        self.actions[action].parts.iter().all(|&(component, slot)| {
            let image = self.leaves[component].image(SetId(from[component]), slot);
            out[component] = image.0;
            image != SetId::EMPTY
        })
    }

    /// The state restricted to members that pass a test; false if there is none.
    pub fn pass(&mut self, from: &[u32], stage: usize, out: &mut Vec<u32>) -> bool {
        out.clear();
        out.extend_from_slice(from);
        self.stages.of(stage).iter().all(|c| {
            let set = self.leaves[c.index()].restricted(SetId(from[c.index()]));
            out[c.index()] = set.0;
            set != SetId::EMPTY
        })
    }

    /// True if every component may be in an accepting state.
    pub fn accepts(&self, state: &[u32]) -> bool {
        self.leaves.iter().zip(state).all(|(leaf, &set)| leaf.accepts(SetId(set)))
    }

    /// If all components may accept: one that can go round alone through an accepting state.
    pub fn alone(&self, state: &[u32]) -> Option<(ComponentId, Local)> {
        let turning =
            |(n, (leaf, &set)): (usize, (&Leaf, &u32))| Some((ComponentId(n as u32), leaf.turning(SetId(set))?));
        let found = self.leaves.iter().zip(state).enumerate().find_map(turning)?;
        self.accepts(state).then_some(found)
    }

    /// True if one set lies within another.
    pub fn within(&self, component: usize, small: u32, large: u32) -> bool {
        self.leaves[component].subset(SetId(small), SetId(large))
    }

    /// True if all sets of one state lie within those of another.
    pub fn covers(&self, large: &[u32], small: &[u32]) -> bool {
        small.iter().zip(large).enumerate().all(|(c, (&small, &large))| self.within(c, small, large))
    }

    /// The number of distinct sets.
    pub fn set_count(&self) -> u64 {
        self.leaves.iter().map(Leaf::set_count).sum()
    }
}
