//! The nested search of many workers on small random graphs, in many random interleavings of all that they share.

use super::graph_view::{BLUE, GraphView, Progress, Route, Seen, Successors};
use super::nested::Nested;
use crate::parts::ledger::Flow;
use crate::simulate::Random;
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicBool, Ordering};
use shuttle::{Config, Runner, thread};
use starwheel_store::StateRef;
use std::collections::HashMap;
use std::sync::Arc;

/// A graph; node zero is the initial one.
#[derive(Debug)]
struct Graph {
    edges: Vec<Vec<usize>>,
    accepting: Vec<bool>,
}

impl Graph {
    fn random(seed: u64) -> Graph {
        let mut random = Random::new(seed);
        let count = 2 + random.below(7) as usize;
        let degree = 1 + random.below(3);
        // Some graphs have few steps back, so that not all of them have cycles.
        let back = 1 + random.below(4);
        let mut edges = vec![Vec::new(); count];
        for (from, list) in edges.iter_mut().enumerate() {
            for _ in 0..random.below(degree + 1) + u64::from(from == 0) {
                let to = random.below(count as u64) as usize;
                if to > from || random.below(back) == 0 {
                    list.push(to);
                }
            }
        }
        let rate = 1 + random.below(4);
        Graph { edges, accepting: (0..count).map(|_| random.below(rate) == 0).collect() }
    }

    fn reach(&self, from: &[usize]) -> Vec<bool> {
        let mut seen = vec![false; self.edges.len()];
        let mut open = from.to_vec();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                open.extend(&self.edges[node]);
            }
        }
        seen
    }

    fn has_cycle(&self) -> bool {
        let reached = self.reach(&[0]);
        (0..self.edges.len()).any(|node| reached[node] && self.accepting[node] && self.reach(&self.edges[node])[node])
    }

    /// True if the steps of a route exist, and it comes round past an accepting node.
    fn confirms(&self, route: &Route, back: usize) -> bool {
        let nodes: Vec<usize> = route.iter().map(|(name, _)| name.0 as usize).collect();
        let Some(&start) = nodes.get(back) else { return false };
        let round = [&nodes[..], &[start]].concat();
        nodes[0] == 0
            && round.windows(2).all(|pair| self.edges[pair[0]].contains(&pair[1]))
            && nodes[back..].iter().any(|&node| self.accepting[node])
    }
}

#[derive(Debug)]
struct Common {
    graph: Graph,
    marks: Mutex<HashMap<u64, u8>>,
    found: AtomicBool,
}

#[derive(Clone, Debug)]
struct Small(Arc<Common>);

impl GraphView for Small {
    fn expand(
        &mut self,
        at: StateRef,
        _hidden: &[u8],
        _progress: impl Fn() -> Progress,
        out: &mut Successors,
    ) -> Flow<Seen> {
        if self.0.found.load(Ordering::SeqCst) {
            return Flow::Break(None);
        }
        let graph = &self.0.graph;
        out.names.extend(graph.edges[at.0 as usize].iter().map(|&to| StateRef(to as u64)));
        Flow::Continue(Seen { accepting: graph.accepting[at.0 as usize], ..Seen::default() })
    }

    fn marks(&mut self, at: StateRef) -> Option<u8> {
        self.0.marks.lock().expect("no thread fails").get(&at.0).copied()
    }

    fn put(&mut self, at: StateRef, marks: u8) -> Flow<Option<u8>> {
        let mut all = self.0.marks.lock().expect("no thread fails");
        let known = all.get(&at.0).copied();
        all.entry(at.0).or_insert(marks);
        Flow::Continue(known)
    }

    fn change(&mut self, at: StateRef, take: u8, set: u8) -> u8 {
        let mut all = self.0.marks.lock().expect("no thread fails");
        let marks = all.get_mut(&at.0).expect("only states that are there are changed");
        std::mem::replace(marks, *marks & !take | set)
    }

    fn wait(&mut self, _round: u32) -> Flow {
        thread::yield_now();
        if self.0.found.load(Ordering::SeqCst) { Flow::Break(None) } else { Flow::Continue(()) }
    }

    fn report(&mut self, _route: impl Fn() -> Route) -> Flow {
        Flow::Continue(())
    }

    fn cycle(&mut self, route: impl FnOnce() -> Option<(Route, usize)>) -> Flow {
        let (route, back) = route().expect("the state is on the stack");
        assert!(self.0.graph.confirms(&route, back), "{route:?} {back} of {:?}", self.0.graph);
        self.0.found.store(true, Ordering::SeqCst);
        Flow::Break(None)
    }
}

/// Searches with so many threads, which believe that they are `workers`.
fn search(seed: u64, threads: usize, workers: usize) {
    search_in(Graph::random(seed), seed, threads, workers);
}

fn search_in(graph: Graph, seed: u64, threads: usize, workers: usize) {
    let common = Arc::new(Common { graph, marks: Mutex::default(), found: AtomicBool::new(false) });
    let start = |number| {
        let graph = Small(Arc::clone(&common));
        thread::spawn(move || {
            let mut nested = Nested::new(graph, number, workers, 0);
            let _ = nested.search(StateRef(0), &[]);
            nested.edges
        })
    };
    let threads: Vec<_> = (0..threads).map(start).collect();
    let edges: u64 = threads.into_iter().map(|it| it.join().expect("no thread fails")).sum();
    let (graph, found) = (&common.graph, common.found.load(Ordering::SeqCst));
    assert_eq!(found, graph.has_cycle(), "seed {seed}: {graph:?}");
    if !found {
        let reached: Vec<usize> = (0..graph.edges.len()).filter(|&node| graph.reach(&[0])[node]).collect();
        let marks = common.marks.lock().expect("no thread fails");
        assert_eq!(marks.len(), reached.len(), "seed {seed}");
        assert!(marks.values().all(|marks| marks & BLUE != 0), "seed {seed}");
        assert_eq!(edges as usize, reached.iter().map(|&node| graph.edges[node].len()).sum::<usize>(), "seed {seed}");
    }
}

fn interleave(times: usize, test: impl Fn() + Send + Sync + Clone + 'static) {
    let mut config = Config::new();
    config.stack_size = 1 << 20;
    Runner::new(RandomScheduler::new(times), config.clone()).run(test.clone());
    Runner::new(PctScheduler::new(3, times), config).run(test);
}

/// One worker is in the cycle 1, 2, 3 and has left 3; the other sees it from 4 in its second search. If it made the cycle
/// red without waiting for 2, the first one would see nothing.
#[test]
fn a_second_search_waits_for_the_accepting_states_of_others() {
    interleave(3000, || {
        let edges = vec![vec![1, 4], vec![2], vec![3], vec![1], vec![3]];
        search_in(Graph { edges, accepting: vec![false, false, true, false, true] }, 0, 2, 2);
    });
}

/// The same where two workers could wait for each other.
#[test]
fn workers_do_not_wait_for_each_other_for_ever() {
    interleave(1000, || {
        let edges = vec![vec![1, 4], vec![2], vec![3, 5], vec![], vec![5], vec![3, 6], vec![3]];
        search_in(Graph { edges, accepting: vec![false, true, true, true, true, true, false] }, 0, 3, 3);
    });
}

#[test]
fn workers_with_marks_of_their_own_find_what_there_is() {
    for seed in 0..700 {
        interleave(20, move || search(seed, 2 + seed as usize % 2, 3));
    }
}

#[test]
fn workers_with_sets_of_their_own_find_what_there_is() {
    for seed in 700..1000 {
        interleave(20, move || search(seed, 3, 9));
    }
}

#[test]
fn the_graphs_are_not_one_sided() {
    let cycles = (0..1000).filter(|&seed| Graph::random(seed).has_cycle()).count();
    assert!((250..750).contains(&cycles), "{cycles} of 1000 have a cycle");
}
