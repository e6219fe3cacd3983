//! A network: components with local states, and actions that move one component or several together.
//!
//! An action moves every component that knows it, in one step. A component knows the actions of its `AP:` header, even
//! one that no edge of it carries: then that action can never happen.

use std::collections::HashMap;

use starwheel_automata::hoa::ActionAutomaton;

/// The number of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(pub u32);

/// The number of a state in its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local(pub u32);

/// The number of an action; actions are numbered in the order in which searches try them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub u32);

impl ComponentId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Local {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ActionId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Components and their actions.
#[derive(Clone, Debug)]
pub struct Network {
    /// The components.
    pub components: Vec<Component>,
    /// The actions, by the letters at the start of their names, then by the number that follows.
    pub actions: Vec<Action>,
}

/// An action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Its name.
    pub name: String,
    /// The components that know it, in their order; all of them move.
    pub parts: Vec<ComponentId>,
}

impl Action {
    /// True if it moves several components.
    pub fn is_shared(&self) -> bool {
        self.parts.len() > 1
    }
}

/// A way out of a local state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// With this action.
    pub action: ActionId,
    /// To this state.
    pub to: Local,
}

/// One automaton of a network.
#[derive(Clone, Debug)]
pub struct Component {
    /// What its header calls it, or its number.
    pub name: String,
    /// Where runs start; if nowhere, the network has no run.
    pub initial: Vec<Local>,
    /// By state: true if it is accepting.
    pub accepting: Vec<bool>,
    state_names: Vec<Option<String>>,
    /// Edges that move this component alone.
    internal: Rows,
    /// Edges that move others as well.
    shared: Rows,
}

/// Edges by their source, sorted by action and target.
#[derive(Clone, Debug, Default)]
struct Rows {
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Rows {
    fn new(states: usize, mut all: Vec<(Local, Edge)>) -> Rows {
        all.sort_unstable();
        all.dedup();
        let mut starts = vec![0u32; states + 1];
        for (from, _) in &all {
            starts[from.index() + 1] += 1;
        }
        for state in 0..states {
            starts[state + 1] += starts[state];
        }
        Rows { starts, edges: all.into_iter().map(|(_, edge)| edge).collect() }
    }

    fn of(&self, state: Local) -> &[Edge] {
        &self.edges[self.starts[state.index()] as usize..self.starts[state.index() + 1] as usize]
    }
}

impl Component {
    /// The number of local states.
    pub fn state_count(&self) -> usize {
        self.accepting.len()
    }

    /// Edges out of a state that move this component alone.
    pub fn internal(&self, state: Local) -> &[Edge] {
        self.internal.of(state)
    }

    /// Edges out of a state that move others as well.
    pub fn shared(&self, state: Local) -> &[Edge] {
        self.shared.of(state)
    }

    /// Edges out of a state with one action, be it internal or shared.
    pub fn moves(&self, state: Local, action: ActionId) -> &[Edge] {
        let with = |edges: &'_ [Edge]| {
            let start = edges.partition_point(|e| e.action < action);
            (start, start + edges[start..].partition_point(|e| e.action == action))
        };
        let (start, end) = with(self.shared(state));
        if start < end {
            return &self.shared(state)[start..end];
        }
        let (start, end) = with(self.internal(state));
        &self.internal(state)[start..end]
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.internal.edges.len() + self.shared.edges.len()
    }

    /// The number of edges that move this component alone.
    pub fn internal_count(&self) -> usize {
        self.internal.edges.len()
    }

    /// The name of a state, or its number.
    pub fn state_name(&self, state: Local) -> String {
        self.state_names.get(state.index()).cloned().flatten().unwrap_or_else(|| state.0.to_string())
    }
}

impl Network {
    /// A network of these automata, in this order.
    pub fn new(automata: Vec<ActionAutomaton>) -> Network {
        let actions = actions(&automata);
        let number: HashMap<&str, ActionId> =
            actions.iter().enumerate().map(|(n, a)| (a.name.as_str(), ActionId(n as u32))).collect();
        let components = automata.iter().enumerate().map(|(n, a)| component(n, a, &actions, &number)).collect();
        Network { components, actions }
    }

    /// The actions that move several components, in the order in which searches try them.
    pub fn shared_actions(&self) -> impl Iterator<Item = ActionId> {
        (0..self.actions.len() as u32).map(ActionId).filter(|a| self.action(*a).is_shared())
    }

    /// The action with this number.
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.index()]
    }

    /// The component with this number.
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.index()]
    }
}

/// All actions with those who know them, in the order of their names.
fn actions(automata: &[ActionAutomaton]) -> Vec<Action> {
    let mut known: HashMap<&str, Vec<ComponentId>> = HashMap::new();
    for (number, automaton) in automata.iter().enumerate() {
        for name in &automaton.actions {
            known.entry(name).or_default().push(ComponentId(number as u32));
        }
    }
    let mut actions: Vec<Action> =
        known.into_iter().map(|(name, parts)| Action { name: name.to_string(), parts }).collect();
    actions.sort_by(|a, b| key(&a.name).cmp(&key(&b.name)));
    actions
}

/// Letters first, then the number behind them by its value, then the whole name.
fn key(name: &str) -> (&str, usize, &str, &str) {
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let (letters, rest) = name.split_at(digits);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..end].trim_start_matches('0');
    (letters, number.len(), number, name)
}

fn component(number: usize, from: &ActionAutomaton, actions: &[Action], ids: &HashMap<&str, ActionId>) -> Component {
    let (mut internal, mut shared) = (Vec::new(), Vec::new());
    for edge in &from.edges {
        let action = ids[from.actions[edge.action as usize].as_str()];
        let rows = if actions[action.index()].is_shared() { &mut shared } else { &mut internal };
        rows.push((Local(edge.from.0), Edge { action, to: Local(edge.to.0) }));
    }
    let states = from.states as usize;
    Component {
        name: from.header.name.clone().unwrap_or_else(|| format!("component {number}")),
        initial: from.initial.iter().map(|s| Local(s.0)).collect(),
        accepting: from.accepting.clone(),
        state_names: from.state_names.clone(),
        internal: Rows::new(states, internal),
        shared: Rows::new(states, shared),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of the paper's tables: all `a` before all `b`, and 10 behind 9.
    #[test]
    fn actions_are_ordered_by_letters_and_number() {
        let mut names = ["b1", "a10", "a9", "a", "a09", "b", "a9x"];
        names.sort_by(|a, b| key(a).cmp(&key(b)));
        assert_eq!(names, ["a", "a09", "a9", "a9x", "a10", "b", "b1"]);
    }
}
