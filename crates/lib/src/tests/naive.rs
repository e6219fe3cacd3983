//! A program that explores toys in the simplest way, and looks for runs without end component by component.

use super::toy::Toy;
use starwheel_automata::{Letter, Names, Prop, StateId, ltl, translate};
use starwheel_engine::Fairness;
use std::collections::HashMap;

/// All states of a toy, in the order of distance.
pub struct Naive {
    states: Vec<Vec<u8>>,
    depth: Vec<usize>,
    numbers: HashMap<Vec<u8>, usize>,
    /// By state: who moves, and where to.
    next: Vec<Vec<(usize, usize)>>,
    wrong: bool,
    always: bool,
    sometimes: bool,
}

impl Naive {
    pub fn explore(toy: &Toy) -> Naive {
        let mut all = Naive {
            states: Vec::new(),
            depth: Vec::new(),
            numbers: HashMap::new(),
            next: Vec::new(),
            wrong: false,
            always: true,
            sometimes: false,
        };
        for first in &toy.first {
            all.number(first.clone(), 0);
        }
        let mut at = 0;
        while at < all.states.len() {
            let state = all.states[at].clone();
            all.always &= toy.calm(&state);
            all.sometimes |= toy.silent || state[0] == toy.p;
            let mut next = Vec::new();
            for rule in &toy.rules {
                match toy.after(rule, &state) {
                    None => {}
                    Some(Err(())) => {
                        all.wrong = true;
                        next.push((rule.actor, usize::MAX));
                    }
                    Some(Ok(to)) => next.push((rule.actor, all.number(to, all.depth[at] + 1))),
                }
            }
            all.next.push(next);
            at += 1;
        }
        all
    }

    fn number(&mut self, state: Vec<u8>, depth: usize) -> usize {
        let fresh = self.states.len();
        let number = *self.numbers.entry(state.clone()).or_insert(fresh);
        if number == fresh {
            self.states.push(state);
            self.depth.push(depth);
        }
        number
    }

    pub fn states(&self) -> usize {
        self.states.len()
    }

    pub fn edges(&self) -> usize {
        self.next.iter().flatten().filter(|edge| edge.1 != usize::MAX).count()
    }

    pub fn deadlock(&self) -> bool {
        self.next.iter().any(Vec::is_empty)
    }

    pub fn wrong(&self) -> bool {
        self.wrong
    }

    pub fn always(&self) -> bool {
        self.always
    }

    pub fn sometimes(&self) -> bool {
        self.sometimes
    }

    pub fn reaches(&self, state: &[u8]) -> bool {
        self.numbers.contains_key(state)
    }

    /// The least number of steps to such a state.
    pub fn distance(&self, wanted: impl Fn(&[u8]) -> bool) -> usize {
        let hits = self.states.iter().zip(&self.depth).filter(|(state, _)| wanted(state));
        hits.map(|(_, &depth)| depth).min().expect("there is one")
    }

    /// Whether a run, fair as it should be, breaks a formula.
    pub fn breaks(&self, toy: &Toy, formula: &str, fairness: Option<Fairness>) -> bool {
        let mut names = Names::new();
        let formula = ltl::parse(formula, &mut names).expect("a formula");
        let automaton = translate(&formula.negated()).expect("small");
        let holds = |name: &str, s: &[u8]| if name == "p" { toy.silent || s[0] == toy.p } else { s[0] == toy.q };
        let letter = |s: &[u8]| {
            let all = names.iter().enumerate().filter(|(_, name)| holds(name, s));
            all.fold(Letter(0), |letter, (i, _)| letter.with(Prop(i as u32)))
        };
        // The product, with nobody's step where nobody can move.
        let own = automaton.state_count();
        let at = |state: usize, q: u32| state * own + q as usize;
        let mut edges = vec![Vec::new(); self.states.len() * own];
        for (state, bytes) in self.states.iter().enumerate() {
            for q in 0..own as u32 {
                let open = automaton.edges_from(StateId(q)).iter();
                for edge in open.filter(|e| e.label.cubes().iter().any(|cube| cube.admits(letter(bytes)))) {
                    let moves = self.next[state].iter().map(|&(actor, to)| (Some(actor), at(to, edge.to.0)));
                    edges[at(state, q)].extend(moves);
                    if self.next[state].is_empty() {
                        edges[at(state, q)].push((None, at(state, edge.to.0)));
                    }
                }
            }
        }
        let mut reached = vec![false; edges.len()];
        let mut waiting: Vec<usize> = (0..toy.first.len().min(self.states.len()))
            .filter(|&i| self.depth[i] == 0)
            .map(|i| at(i, automaton.initial().0))
            .collect();
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                waiting.extend(edges[node].iter().map(|e| e.1));
            }
        }
        let graph = Graph { edges, accepting: &|node| automaton.is_accepting(StateId((node % own) as u32)) };
        graph.fair_run(&reached, toy.actors, fairness)
    }
}

/// A graph in which an accepting run is looked for.
struct Graph<'a> {
    edges: Vec<Vec<(Option<usize>, usize)>>,
    accepting: &'a dyn Fn(usize) -> bool,
}

impl Graph<'_> {
    /// Whether there is an accepting fair run among some nodes.
    fn fair_run(&self, inside: &[bool], actors: usize, fairness: Option<Fairness>) -> bool {
        self.components(inside).into_iter().any(|part| {
            let mut own = vec![false; self.edges.len()];
            part.iter().for_each(|&node| own[node] = true);
            let inner = || part.iter().flat_map(|&n| self.edges[n].iter()).filter(|e| own[e.1]);
            if inner().next().is_none() || !part.iter().any(|&node| (self.accepting)(node)) {
                return false;
            }
            let able = |node: usize, actor: usize| self.edges[node].iter().any(|e| e.0 == Some(actor));
            let moves = |actor: usize| inner().any(|e| e.0 == Some(actor));
            match fairness {
                None => true,
                Some(Fairness::Weak) => {
                    (0..actors).all(|actor| moves(actor) || part.iter().any(|&node| !able(node, actor)))
                }
                Some(Fairness::Strong) => {
                    let forgotten: Vec<usize> =
                        (0..actors).filter(|&a| !moves(a) && part.iter().any(|&node| able(node, a))).collect();
                    if forgotten.is_empty() {
                        return true;
                    }
                    let mut rest = own.clone();
                    let keeps = |node: usize| !forgotten.iter().any(|&actor| able(node, actor));
                    part.iter().for_each(|&node| rest[node] = keeps(node));
                    self.fair_run(&rest, actors, fairness)
                }
            }
        })
    }

    /// The strongly connected components among some nodes, by reachability both ways.
    fn components(&self, inside: &[bool]) -> Vec<Vec<usize>> {
        let mut back = vec![Vec::new(); self.edges.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            edges.iter().for_each(|e| back[e.1].push((e.0, from)));
        }
        let reach = |edges: &[Vec<(Option<usize>, usize)>], start: usize| {
            let (mut seen, mut waiting) = (vec![false; edges.len()], vec![start]);
            while let Some(node) = waiting.pop() {
                if inside[node] && !std::mem::replace(&mut seen[node], true) {
                    waiting.extend(edges[node].iter().map(|e| e.1));
                }
            }
            seen
        };
        let (mut done, mut out) = (vec![false; self.edges.len()], Vec::new());
        for node in (0..self.edges.len()).filter(|&n| inside[n]) {
            if !done[node] {
                let (ahead, behind) = (reach(&self.edges, node), reach(&back, node));
                let part: Vec<usize> = (0..self.edges.len()).filter(|&n| ahead[n] && behind[n]).collect();
                part.iter().for_each(|&n| done[n] = true);
                out.push(part);
            }
        }
        out
    }
}
