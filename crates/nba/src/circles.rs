//! The local states of a component that internal edges lead back to (R. Tarjan, "Depth-first search and linear graph
//! algorithms", 1972, without recursion).

use crate::net::{Component, Local};

const NEW: u32 = u32::MAX;

struct Walk<'n> {
    component: &'n Component,
    order: Vec<u32>,
    low: Vec<u32>,
    open: Vec<bool>,
    stack: Vec<Local>,
    /// The path, with the number of the next edge to follow.
    path: Vec<(Local, usize)>,
    found: Vec<bool>,
    next: u32,
}

/// By state: true if some internal edges lead back to it.
pub(crate) fn on_internal_cycles(component: &Component) -> Vec<bool> {
    let count = component.state_count();
    let mut walk = Walk {
        component,
        order: vec![NEW; count],
        low: vec![0; count],
        open: vec![false; count],
        stack: Vec::new(),
        path: Vec::new(),
        found: vec![false; count],
        next: 0,
    };
    for state in (0..count as u32).map(Local) {
        if walk.order[state.index()] == NEW {
            walk.enter(state);
            while walk.step() {}
        }
    }
    walk.found
}

impl Walk<'_> {
    fn enter(&mut self, state: Local) {
        self.order[state.index()] = self.next;
        self.low[state.index()] = self.next;
        self.open[state.index()] = true;
        self.next += 1;
        self.stack.push(state);
        self.path.push((state, 0));
    }

    fn step(&mut self) -> bool {
        let Some((state, place)) = self.path.last_mut() else { return false };
        let from = *state;
        match self.component.internal(from).get(*place) {
            Some(edge) => {
                *place += 1;
                self.follow(from, edge.to);
            }
            None => self.leave(from),
        }
        true
    }

    fn follow(&mut self, from: Local, to: Local) {
        if from == to {
            self.found[from.index()] = true;
        } else if self.order[to.index()] == NEW {
            self.enter(to);
        } else if self.open[to.index()] {
            self.low[from.index()] = self.low[from.index()].min(self.order[to.index()]);
        }
    }

    fn leave(&mut self, state: Local) {
        self.path.pop();
        let low = self.low[state.index()];
        if let Some((before, _)) = self.path.last() {
            self.low[before.index()] = self.low[before.index()].min(low);
        }
        if low != self.order[state.index()] {
            return;
        }
        let start = self.stack.iter().rposition(|&s| s == state).unwrap_or(0);
        let alone = self.stack.len() - start == 1;
        for member in self.stack.drain(start..) {
            self.open[member.index()] = false;
            self.found[member.index()] |= !alone;
        }
    }
}
