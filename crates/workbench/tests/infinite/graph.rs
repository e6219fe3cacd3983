//! The whole graph of a small system, built first and looked at afterwards.

use starwheel_engine::Checks;
use starwheel_model::{Stepper, System};
use std::collections::{HashMap, HashSet};

/// Steps that a graph may have at most, those of atomic sequences included.
const MOST_STEPS: usize = 60_000;

/// The stored states of a system and the ways between them.
#[derive(Default)]
pub struct Graph {
    /// Something went wrong somewhere.
    pub violated: bool,
    /// A sequence of transient states comes round.
    pub endless: bool,
    next: Vec<HashSet<usize>>,
    accepting: Vec<bool>,
    /// By state: it has no step at all.
    ended: Vec<bool>,
    numbers: HashMap<Vec<u8>, usize>,
    states: Vec<Vec<u8>>,
    hidden: usize,
    steps: usize,
}

impl Graph {
    /// Builds the graph; none if it has more states or steps than a naive check can bear.
    pub fn build(system: &dyn System, checks: Checks, most: usize) -> Option<Graph> {
        let mut graph = Graph { hidden: system.hidden_bytes(), ..Graph::default() };
        let mut stepper = system.stepper();
        let mut first = Vec::new();
        let fired = stepper.initial(&mut first);
        graph.violated |= fired.violations.iter().any(|v| checks.counts(v.kind));
        if fired.broken {
            return Some(graph);
        }
        graph.number(&first, &mut *stepper);
        let mut done = 0;
        while done < graph.states.len() {
            if graph.states.len() > most {
                return None;
            }
            let from = graph.states[done].clone();
            graph.follow(done, &from, &mut Vec::new(), checks, &mut *stepper)?;
            done += 1;
        }
        Some(graph)
    }

    fn number(&mut self, state: &[u8], stepper: &mut dyn Stepper) -> usize {
        if let Some(number) = self.numbers.get(&state[self.hidden..]) {
            return *number;
        }
        let number = self.states.len();
        self.numbers.insert(state[self.hidden..].to_vec(), number);
        self.states.push(state.to_vec());
        self.next.push(HashSet::new());
        self.accepting.push(stepper.accepting(state));
        self.ended.push(false);
        number
    }

    /// Follows all ways from a stored state to the next stored ones; `passed` are the states in between.
    fn follow(
        &mut self,
        from: usize,
        at: &[u8],
        passed: &mut Vec<Vec<u8>>,
        checks: Checks,
        stepper: &mut dyn Stepper,
    ) -> Option<()> {
        let mut steps = Vec::new();
        stepper.enabled(at, &mut steps);
        if passed.is_empty() {
            self.ended[from] = steps.is_empty();
        }
        for step in steps {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return None;
            }
            let mut to = Vec::new();
            let fired = stepper.fire(at, step, &mut to);
            self.violated |= fired.violations.iter().any(|v| checks.counts(v.kind));
            if fired.broken {
                continue;
            }
            if !stepper.transient(&to) {
                let number = self.number(&to, stepper);
                self.next[from].insert(number);
            } else if passed.contains(&to) {
                self.endless = true;
            } else {
                passed.push(to.clone());
                self.follow(from, &to, passed, checks, stepper)?;
                passed.pop();
            }
        }
        Some(())
    }

    /// The states that one or more ways lead to.
    fn reachable(&self, from: usize) -> HashSet<usize> {
        let (mut found, mut todo) = (HashSet::new(), vec![from]);
        while let Some(state) = todo.pop() {
            todo.extend(self.next[state].iter().filter(|&&next| found.insert(next)));
        }
        found
    }

    /// Whether an accepting state lies on a cycle, or has no step and counts as a cycle for that.
    pub fn accepting_cycle(&self, stutter: bool) -> bool {
        let accepting = (0..self.states.len()).filter(|&state| self.accepting[state]);
        let mut accepting = accepting.map(|state| (self.ended[state], self.reachable(state).contains(&state)));
        accepting.any(|(ended, round)| round || (stutter && ended))
    }
}
