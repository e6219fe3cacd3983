//! One worker's two searches. [`crate::method::cndfs`] says what they do and why it is right.

use crate::method::cndfs::graph_view::{ACCEPTING, BLUE, GraphView, RED, Seen, Successors};
use crate::method::cndfs::own::{Cyan, Pink};
use crate::method::cndfs::stack::Stack;
use crate::parts::ledger::Flow;
use crate::simulate::Random;
use starwheel_store::StateRef;

/// A worker's way through the graph.
pub struct Nested<G> {
    /// The graph.
    pub graph: G,
    cyan: Cyan,
    /// What the second search has seen; a worker that is alone makes it red at once.
    pink: Option<Pink>,
    /// The order of successors; none for the order in which they come.
    order: Option<Random>,
    first: Stack,
    second: Stack,
    /// Scratch memory.
    successors: Successors,
    waiting: Vec<u32>,
    hidden: Vec<u8>,
    /// What was counted: each state by the worker that left it first.
    pub edges: u64,
    /// Steps into transient states, likewise.
    pub atomic_steps: u64,
    /// Steps of the clock, counted once for each state.
    pub ticks: u64,
    /// The most states on a way.
    pub deepest: usize,
}

impl<G: GraphView> Nested<G> {
    /// One of so many workers, for states with so many hidden bytes.
    pub fn new(graph: G, worker: usize, workers: usize, hidden: usize) -> Nested<G> {
        Nested {
            graph,
            cyan: Cyan::new(worker, workers),
            pink: (workers > 1).then(Pink::default),
            order: (worker > 0).then(|| Random::new(worker as u64)),
            first: Stack::new(hidden),
            second: Stack::new(hidden),
            successors: Successors::default(),
            waiting: Vec::new(),
            hidden: Vec::new(),
            edges: 0,
            atomic_steps: 0,
            ticks: 0,
            deepest: 0,
        }
    }

    /// Searches everything that can be reached from a state.
    pub fn search(&mut self, start: StateRef, hidden: &[u8]) -> Flow {
        self.hidden.clear();
        self.hidden.extend_from_slice(hidden);
        let flow = self.first_search(start);
        self.edges += self.first.taken();
        flow
    }

    fn first_search(&mut self, start: StateRef) -> Flow {
        self.arrive(start)?;
        while self.first.len() > 0 {
            match self.first.take(&mut self.hidden) {
                Some(name) => self.arrive(name)?,
                None => self.leave()?,
            }
        }
        Flow::Continue(())
    }

    /// The first search comes to a state that waited; somebody may have been there meanwhile.
    fn arrive(&mut self, name: StateRef) -> Flow {
        match self.graph.put(name, self.cyan.mark())? {
            None => self.enter(name),
            Some(marks) if self.passes(name, marks)? => Flow::Continue(()),
            Some(_) => {
                self.graph.change(name, 0, self.cyan.mark());
                self.enter(name)
            }
        }
    }

    /// The topmost state has a successor with these marks. True if it need not be entered.
    fn passes(&mut self, name: StateRef, marks: u8) -> Flow<bool> {
        let cyan = self.cyan.has(name, marks);
        let Some(top) = self.first.top() else { return Flow::Continue(cyan || marks & BLUE != 0) };
        if cyan || marks & BLUE != 0 {
            top.all_red &= marks & RED != 0 && !cyan;
        }
        if cyan && (top.accepting || marks & ACCEPTING != 0) {
            let first = &self.first;
            self.graph.cycle(|| Some((first.route(), first.position(name)?)))?;
        }
        Flow::Continue(cyan || marks & BLUE != 0)
    }

    fn enter(&mut self, name: StateRef) -> Flow {
        self.cyan.add(name);
        self.successors.clear();
        let first = &self.first;
        let seen = self.graph.expand(name, &self.hidden, || first.progress(), &mut self.successors)?;
        self.first.push(name, &self.hidden);
        self.deepest = self.deepest.max(self.first.len());
        if let Some(top) = self.first.top() {
            (top.accepting, top.atomic_steps, top.ticks) = (seen.accepting, seen.atomic_steps, seen.ticks);
            top.edges = (self.successors.names.len() as u32).saturating_add(seen.repeated);
        }
        self.look_at(name, seen)?;
        self.waiting.clear();
        for number in 0..self.successors.names.len() {
            let next = self.successors.names[number];
            let known = match self.graph.marks(next) {
                Some(marks) => self.passes(next, marks)?,
                None => false,
            };
            if !known {
                self.waiting.push(number as u32);
            }
        }
        self.shuffle();
        self.first.wait(&self.successors, &self.waiting);
        Flow::Continue(())
    }

    /// Says what is to be said of the state that the first search has just entered.
    fn look_at(&mut self, name: StateRef, seen: Seen) -> Flow {
        let first = &self.first;
        if seen.wrong {
            self.graph.report(|| first.route())?;
        }
        if seen.accepting {
            self.graph.change(name, 0, ACCEPTING);
            if seen.stays {
                self.graph.cycle(|| Some((first.route(), first.len())))?;
            }
        }
        Flow::Continue(())
    }

    /// Another worker than the first takes successors in an order of its own, so that workers go different ways.
    fn shuffle(&mut self) {
        let Some(random) = &mut self.order else { return };
        for place in (1..self.waiting.len()).rev() {
            self.waiting.swap(place, random.below(place as u64 + 1) as usize);
        }
    }

    /// The first search leaves the topmost state.
    fn leave(&mut self) -> Flow {
        let Some(&mut top) = self.first.top() else { return Flow::Continue(()) };
        let mut old = u8::MAX;
        if top.accepting && !top.all_red {
            old = self.graph.change(top.name, 0, BLUE);
            self.second_search(top.name)?;
        }
        let red = if top.accepting || top.all_red { RED } else { 0 };
        old &= self.graph.change(top.name, self.cyan.mark(), BLUE | red);
        self.cyan.remove(top.name);
        if old & BLUE == 0 {
            self.edges += u64::from(top.edges);
            self.atomic_steps += u64::from(top.atomic_steps);
            self.ticks += u64::from(top.ticks);
        }
        self.first.pop();
        if let Some(below) = self.first.top() {
            below.all_red &= (old | red) & RED != 0;
        }
        Flow::Continue(())
    }

    /// The second search, from an accepting state.
    fn second_search(&mut self, seed: StateRef) -> Flow {
        self.second.clear();
        if let Some(pink) = &mut self.pink {
            pink.clear();
            pink.add(seed);
        }
        self.hidden.clear();
        self.hidden.extend_from_slice(self.first.top_hidden());
        self.enter_again(seed, seed)?;
        while self.second.len() > 0 {
            match self.second.take(&mut self.hidden) {
                Some(name) if self.turns_pink(name) => self.enter_again(name, seed)?,
                Some(_) => {}
                None => self.second.pop(),
            }
        }
        match &mut self.pink {
            Some(pink) => pink.settle(&mut self.graph),
            None => Flow::Continue(()),
        }
    }

    /// True if this second search has not seen the state, which is not red.
    fn turns_pink(&mut self, name: StateRef) -> bool {
        match &mut self.pink {
            None => self.graph.change(name, 0, RED) & RED == 0,
            Some(pink) => self.graph.marks(name).is_some_and(|marks| marks & RED == 0) && pink.add(name),
        }
    }

    fn enter_again(&mut self, name: StateRef, seed: StateRef) -> Flow {
        self.successors.clear();
        let first = &self.first;
        let seen = self.graph.expand(name, &self.hidden, || first.progress(), &mut self.successors)?;
        if seen.accepting
            && name != seed
            && let Some(pink) = &mut self.pink
        {
            pink.note(name);
        }
        self.second.push(name, &self.hidden);
        self.waiting.clear();
        for number in 0..self.successors.names.len() {
            if self.meets(self.successors.names[number])? {
                self.waiting.push(number as u32);
            }
        }
        self.shuffle();
        self.second.wait(&self.successors, &self.waiting);
        Flow::Continue(())
    }

    /// The topmost state of the second search has this successor. True if it may have to be entered.
    fn meets(&mut self, name: StateRef) -> Flow<bool> {
        // The state can be missing only if hidden bytes matter.
        let marks = match self.graph.marks(name) {
            Some(marks) => marks,
            None => self.graph.put(name, 0)?.unwrap_or(0),
        };
        if self.cyan.has(name, marks) {
            let (first, second) = (&self.first, &self.second);
            self.graph.cycle(|| {
                let mut route = first.route();
                // The second search begins where the first one is.
                route.pop();
                route.extend(second.route());
                Some((route, first.position(name)?))
            })?;
            return Flow::Continue(false);
        }
        Flow::Continue(marks & RED == 0 && !self.pink.as_ref().is_some_and(|pink| pink.has(name)))
    }
}
