//! Automata as the translation works on them: labels are functions in a store, marks are bits.

use super::TooLarge;
use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::bdd::{Bdd, Func, Literals, Var};
use crate::label::{Cube, Label};
use crate::words::Prop;
use starwheel_base::scc::{Components, components};

/// An edge; where it starts is known from its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    pub label: Func,
    pub marks: u64,
    pub to: usize,
}

/// A generalised Büchi automaton with one initial state and marks on edges.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub arrows: Vec<Vec<Arrow>>,
    pub initial: usize,
    pub mark_count: u32,
}

/// The components of a graph, and which of them hold accepting cycles.
pub(crate) struct Sccs {
    pub found: Components,
    /// For each component: some cycle lies within it, and its edges together have all marks.
    pub accepting: Vec<bool>,
}

impl Sccs {
    /// True if both states lie in the same component, so that an edge between them can be taken infinitely often.
    pub fn joins(&self, a: usize, b: usize) -> bool {
        self.found.of[a] == self.found.of[b]
    }

    pub fn is_accepting(&self, state: usize) -> bool {
        self.accepting[self.found.of[state]]
    }
}

impl Graph {
    pub fn len(&self) -> usize {
        self.arrows.len()
    }

    pub fn all_marks(&self) -> u64 {
        Marks::all(self.mark_count).0
    }

    pub fn arrow_count(&self) -> usize {
        self.arrows.iter().map(Vec::len).sum()
    }

    pub fn successors(&self) -> Vec<Vec<usize>> {
        self.arrows.iter().map(|arrows| arrows.iter().map(|arrow| arrow.to).collect()).collect()
    }

    pub fn sccs(&self) -> Sccs {
        let found = components(&self.successors());
        let mut seen: Vec<Option<u64>> = vec![None; found.count];
        for (from, arrows) in self.arrows.iter().enumerate() {
            for arrow in arrows.iter().filter(|arrow| found.of[from] == found.of[arrow.to]) {
                let marks = &mut seen[found.of[from]];
                *marks = Some(marks.unwrap_or(0) | arrow.marks);
            }
        }
        let accepting = seen.iter().map(|marks| *marks == Some(self.all_marks())).collect();
        Sccs { found, accepting }
    }

    /// Keeps the initial state and the states that lie on accepting runs.
    pub fn trim(&mut self) {
        let sccs = self.sccs();
        let mut useful: Vec<bool> = (0..self.len()).map(|state| sccs.is_accepting(state)).collect();
        // Components are numbered against the direction of edges, so states of small components come first.
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&state| sccs.found.of[state]);
        let mut changed = true;
        while changed {
            changed = false;
            for &state in &order {
                if !useful[state] && self.arrows[state].iter().any(|arrow| useful[arrow.to]) {
                    useful[state] = true;
                    changed = true;
                }
            }
        }
        for arrows in &mut self.arrows {
            arrows.retain(|arrow| useful[arrow.to] && arrow.label != Bdd::FALSE);
        }
        self.keep_reachable();
    }

    /// Leaves out states that no run visits and numbers the others in the order of a breadth-first walk.
    pub fn keep_reachable(&mut self) {
        let mut number = vec![usize::MAX; self.len()];
        let mut order = vec![self.initial];
        number[self.initial] = 0;
        let mut at = 0;
        while at < order.len() {
            for arrow in &self.arrows[order[at]] {
                if number[arrow.to] == usize::MAX {
                    number[arrow.to] = order.len();
                    order.push(arrow.to);
                }
            }
            at += 1;
        }
        let renumbered = |arrow: &Arrow| Arrow { to: number[arrow.to], ..*arrow };
        self.arrows = order.iter().map(|&state| self.arrows[state].iter().map(renumbered).collect()).collect();
        self.initial = 0;
    }

    /// Joins edges with the same end and marks, and takes letters from edges that another one with more marks covers.
    pub fn join_parallel(&mut self, bdd: &mut Bdd) {
        for arrows in &mut self.arrows {
            let mut joined: Vec<Arrow> = Vec::with_capacity(arrows.len());
            for arrow in arrows.iter() {
                match joined.iter_mut().find(|known| known.to == arrow.to && known.marks == arrow.marks) {
                    Some(known) => known.label = bdd.or(known.label, arrow.label),
                    None => joined.push(*arrow),
                }
            }
            let before = joined.clone();
            for arrow in &mut joined {
                let better = |other: &&Arrow| {
                    other.to == arrow.to && other.marks != arrow.marks && arrow.marks & !other.marks == 0
                };
                for other in before.iter().filter(better) {
                    arrow.label = bdd.minus(arrow.label, other.label);
                }
            }
            joined.retain(|arrow| arrow.label != Bdd::FALSE);
            *arrows = joined;
        }
    }

    /// For each state, which states it reaches in one step or more.
    pub fn reach(&self) -> Vec<Vec<bool>> {
        (0..self.len()).map(|state| self.reach_from(state)).collect()
    }

    fn reach_from(&self, state: usize) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut stack = vec![state];
        while let Some(at) = stack.pop() {
            for arrow in &self.arrows[at] {
                if !std::mem::replace(&mut seen[arrow.to], true) {
                    stack.push(arrow.to);
                }
            }
        }
        seen
    }

    /// The graph with all edges turned round; the initial state stays.
    pub fn reversed(&self) -> Graph {
        let mut arrows = vec![Vec::new(); self.len()];
        for (from, list) in self.arrows.iter().enumerate() {
            for arrow in list {
                arrows[arrow.to].push(Arrow { to: from, ..*arrow });
            }
        }
        Graph { arrows, ..*self }
    }

    /// The graph of an automaton. If runs start in several states, a new initial state does what all of them do.
    pub fn import(automaton: &Tgba, bdd: &mut Bdd, props: &[Prop]) -> Graph {
        let mut arrows: Vec<Vec<Arrow>> = Vec::new();
        for state in automaton.states() {
            let arrow = |edge: &Edge| Arrow {
                label: function(bdd, &edge.label, props),
                marks: edge.marks.0,
                to: edge.to.index(),
            };
            arrows.push(automaton.edges_from(state).iter().map(arrow).collect());
        }
        let initial = match automaton.initial() {
            [only] => only.index(),
            several => {
                arrows.push(several.iter().flat_map(|state| arrows[state.index()].clone()).collect());
                arrows.len() - 1
            }
        };
        Graph { arrows, initial, mark_count: automaton.mark_count() }
    }

    /// The automaton for users; `props` gives the propositions of the variables.
    pub fn export(&self, bdd: &mut Bdd, props: &[Prop]) -> Result<Tgba, TooLarge> {
        let mut automaton = Tgba::new(self.mark_count);
        for _ in 0..self.len() {
            automaton.add_state();
        }
        automaton.add_initial(StateId::new(self.initial));
        for (from, arrows) in self.arrows.iter().enumerate() {
            for arrow in arrows {
                let label = label(bdd, arrow.label, props)?;
                automaton.add_edge(StateId::new(from), label, StateId::new(arrow.to), Marks(arrow.marks));
            }
        }
        Ok(automaton)
    }
}

/// A label with more conjunctions than this is too large to be of use.
const CUBES: usize = 4096;

/// A function of the variables as a label; `props` gives the propositions of the variables.
pub(crate) fn label(bdd: &mut Bdd, func: Func, props: &[Prop]) -> Result<Label, TooLarge> {
    let cube = |product: Literals| {
        product.into_iter().fold(Cube::TRUE, |mut cube, (var, value)| {
            let side = if value { &mut cube.holds } else { &mut cube.fails };
            *side = side.with(props[var as usize]);
            cube
        })
    };
    let mut products = bdd.products(func, CUBES).ok_or(TooLarge)?;
    // Who evaluates a label asks for the first propositions first: they may say that others must not be looked at.
    products.sort();
    Ok(Label::new(products.into_iter().map(cube)))
}

/// A label as a function; the propositions it speaks of are among `props`.
pub(crate) fn function(bdd: &mut Bdd, label: &Label, props: &[Prop]) -> Func {
    let mut sum = Bdd::FALSE;
    for cube in label.cubes() {
        let mut product = Bdd::TRUE;
        for (prop, value) in cube.literals() {
            let var = props.iter().position(|&known| known == prop);
            debug_assert!(var.is_some(), "the label speaks of other propositions");
            let literal = bdd.literal(var.unwrap_or(0) as Var, value);
            product = bdd.and(product, literal);
        }
        sum = bdd.or(sum, product);
    }
    sum
}
