//! LTL on Promela, decoupled: is there a run that a claim accepts?
//!
//! The property automaton belongs to the center, and so does what it sees: a leaf step that changes what it sees is a center
//! step. The claim reads one letter for each center step. That is enough for a property that does not count how often a
//! letter is repeated, and others must not come here. A run without end that makes center steps for ever is a cycle of the
//! graph of decoupled states, compared by equality; any other run stays in one decoupled state for ever, where the claim
//! reads the same letter for ever. Components are found as by Couvreur (`starwheel_engine::Components`); as in the search of
//! networks of automata, a state within a finished one is pruned: what no run from the larger does, none from the smaller
//! does.

use crate::claim::Claim;
use crate::core::{Core, Flow};
use crate::decompose::Decomposition;
use crate::graph::{Graph, Known, Stay};
use crate::party::PartyId;
use crate::pulse::Pulse;
use crate::search::Request;
use crate::space::NodeId;
use crate::trail::{Last, along, round};
use crate::weave::weave;
use rapidhash::RapidHashMap;
use starwheel_engine::{Components, Gap, Goal, Job, Ledger, Monitor, Order, Report, Stop};
use starwheel_model::{ClaimSystem, LocId, Model, ProctypeId, Stepper};
use starwheel_store::{Cover, StateSet};
use std::collections::VecDeque;
use std::rc::Rc;

/// Looks for a run that a claim accepts, in a model that [`crate::refusal`] has nothing to say about. The claim must not
/// count repetitions, and [`crate::property_refusal`] must have nothing to say about it. Accept labels of processes do not
/// count. Every trail in the report has been replayed.
pub fn find_run(model: &Model, claim: ProctypeId, goal: Goal, request: &Request, watch: &dyn Monitor) -> Report {
    let parts = Decomposition::watched(model, claim);
    let system = ClaimSystem::new(model, claim).own_labels();
    let Request { checks, all_errors, limits, .. } = *request;
    let job = Job { search: Order::Scc, checks, all_errors, limits, goal, ..Job::new(&system) };
    let core = Core::new(model, &parts, Pulse::new(watch, limits.time));
    let mut search = Search {
        graph: Graph::new(core, Claim::new(model, claim)),
        request,
        ledger: Ledger::new(&job, watch),
        pairs: Vec::new(),
        numbers: RapidHashMap::default(),
        components: Components::default(),
        path: Vec::new(),
        finished: RapidHashMap::default(),
        cut: false,
    };
    let flow = search.search();
    let Search { graph, mut ledger, pairs, cut, .. } = search;
    ledger.absorb(&graph.core.runner.executed, graph.core.runner.round);
    if graph.gap {
        ledger.missed(Gap::RunTimeError);
    }
    ledger.stats.decoupled_states = Some(pairs.len() as u64);
    ledger.close(flow, limits.depth.filter(|_| cut), &graph.space)
}

/// A decoupled state and the place of the claim.
type Pair = (NodeId, LocId);

/// A pair on the path.
struct Visit {
    number: u32,
    known: Rc<Known>,
    /// What is tried next.
    next: usize,
}

struct Search<'a, 'm> {
    graph: Graph<'m>,
    request: &'a Request,
    ledger: Ledger<'a>,
    pairs: Vec<Pair>,
    numbers: RapidHashMap<Pair, u32>,
    components: Components,
    path: Vec<Visit>,
    /// By center and place of the claim: the parties of finished pairs.
    finished: RapidHashMap<(u32, LocId), Cover>,
    cut: bool,
}

impl Search<'_, '_> {
    fn search(&mut self) -> Flow {
        self.ledger.tick(0, &self.graph.space)?;
        let mut state = Vec::new();
        let opening = self.graph.core.runner.interp.initial(&mut state);
        if opening.broken {
            return Flow::Continue(());
        }
        self.ledger.stats.state_bytes = state.len() as u64;
        let first = self.graph.initial()?;
        self.arrive((first, self.graph.claim.start))?;
        while let Some(top) = self.path.last_mut() {
            let (_, at) = self.pairs[top.number as usize];
            let (place, steps) = (top.next, top.known.next.len());
            top.next += 1;
            let moves = self.graph.claim.moves(top.known.letter, at);
            if steps == 0 || place >= moves.len() * steps {
                self.leave();
                continue;
            }
            let pair = (top.known.next[place % steps], moves[place / steps].1);
            if self.request.limits.depth.is_some_and(|d| self.path.len() as u64 > d) {
                self.cut = true;
                continue;
            }
            self.arrive(pair)?;
        }
        Flow::Continue(())
    }

    fn arrive(&mut self, pair: Pair) -> Flow {
        self.ledger.again(self.path.len() as u64, &self.graph.space)?;
        if let Some(&number) = self.numbers.get(&pair) {
            self.ledger.stats.states_matched += 1;
            return match self.components.meet(number) {
                Some(good) => self.report_cycle(good),
                None => Flow::Continue(()),
            };
        }
        if self.request.dominance && self.covered(pair) {
            self.ledger.stats.states_matched += 1;
            return Flow::Continue(());
        }
        let known = self.graph.known(pair.0)?;
        let number = self.components.arrive(self.graph.claim.accepts(pair.1));
        self.pairs.push(pair);
        self.numbers.insert(pair, number);
        self.ledger.stats.states_stored += 1;
        let lingers = self.graph.claim.lingers(known.letter, pair.1);
        self.path.push(Visit { number, known, next: 0 });
        self.watch()?;
        if lingers && self.graph.stays(pair.0)? {
            return self.report_stay();
        }
        Flow::Continue(())
    }

    fn watch(&mut self) -> Flow {
        let depth = self.path.len() as u64 - 1;
        let stats = &mut self.ledger.stats;
        stats.max_depth = stats.max_depth.max(depth);
        let tick = &mut self.graph.core.runner.pulse.tick;
        (tick.stored, tick.matched, tick.depth) = (stats.states_stored, stats.states_matched, depth);
        let pairs = 32 * self.pairs.len() as u64;
        match self.request.limits.memory {
            Some(limit) if self.graph.space.usage().bytes + pairs > limit => Flow::Break(Some(Stop::Memory(limit))),
            _ => Flow::Continue(()),
        }
    }

    /// True if a finished pair has the same center and larger sets.
    fn covered(&self, (node, at): Pair) -> bool {
        let (center, parties) = self.graph.space.keys(node);
        let within = |_: usize, small: u32, large: u32| self.graph.core.within(PartyId(small), PartyId(large));
        self.finished.get(&(center, at)).is_some_and(|cover| cover.covers(&parties, &within))
    }

    fn leave(&mut self) {
        let Some(visit) = self.path.pop() else { return };
        for member in self.components.leave(visit.number) {
            let pair = self.pairs[member as usize];
            if self.request.dominance && !self.covered(pair) {
                let (center, parties) = self.graph.space.keys(pair.0);
                self.finished.entry((center, pair.1)).or_insert_with(|| Cover::new(parties.len())).insert(&parties);
            }
        }
    }

    /// The nodes of the path up to a pair on it.
    fn nodes(&self, end: u32) -> Vec<NodeId> {
        let until = self.path.iter().position(|v| v.number == end).map_or(self.path.len(), |p| p + 1);
        self.path[..until].iter().map(|v| self.pairs[v.number as usize].0).collect()
    }

    fn report_stay(&mut self) -> Flow {
        let path = self.nodes(u32::MAX);
        self.report(|graph| graph.stay(&path))
    }

    /// The component that was closed last has a cycle through this pair.
    fn report_cycle(&mut self, good: u32) -> Flow {
        let Some(root) = self.components.root() else { return Flow::Continue(()) };
        let mut path = self.nodes(root);
        let to = if root == good { Some(Vec::new()) } else { self.way(root, good) };
        let back = self.way(good, good);
        self.report(|graph| {
            let (Some(to), Some(cycle)) = (to, back) else { return Flow::Continue(None) };
            path.extend(to);
            // The cycle ends where it begins; the path ends there, too.
            let cycle: Vec<_> =
                path.last().copied().into_iter().chain(cycle[..cycle.len() - 1].iter().copied()).collect();
            let (frames, steps) = round(&mut graph.core, &graph.space, &cycle)?;
            let prefix = along(&mut graph.core, &graph.space, &path, Last::Stuck(frames))?;
            Flow::Continue(Some(Stay { prefix, cycle: steps }))
        })
    }

    fn report(&mut self, run: impl FnOnce(&mut Graph<'_>) -> Flow<Option<Stay>>) -> Flow {
        let mut lost = None;
        let graph = &mut self.graph;
        let flow = self.ledger.cycle(|| match run(graph) {
            Flow::Continue(stay) => {
                let Stay { prefix, cycle } = stay?;
                weave(&mut graph.core.runner.interp, &mut graph.claim, &prefix, &cycle)
            }
            Flow::Break(stop) => {
                lost = stop;
                None
            }
        });
        match lost {
            Some(stop) => Flow::Break(Some(stop)),
            None => flow,
        }
    }

    /// The nodes behind a pair on a shortest way, of at least one step, to another inside the component; the last one is
    /// the other's.
    fn way(&self, from: u32, to: u32) -> Option<Vec<NodeId>> {
        let mut came: RapidHashMap<u32, u32> = RapidHashMap::default();
        let mut work = VecDeque::from([from]);
        while let Some(number) = work.pop_front() {
            for next in self.inside(number) {
                came.entry(next).or_insert_with(|| {
                    work.push_back(next);
                    number
                });
            }
        }
        let mut steps = Vec::new();
        let mut at = to;
        loop {
            steps.push(self.pairs[at as usize].0);
            at = *came.get(&at)?;
            if at == from {
                steps.reverse();
                return Some(steps);
            }
        }
    }

    /// Where a pair leads within the component that was closed last.
    fn inside(&self, number: u32) -> Vec<u32> {
        let (node, at) = self.pairs[number as usize];
        let Some(known) = self.graph.visited(node) else { return Vec::new() };
        let moves = self.graph.claim.moves(known.letter, at);
        let pairs = moves.iter().flat_map(|&(_, to)| known.next.iter().map(move |&next| (next, to)));
        pairs.filter_map(|pair| self.numbers.get(&pair).copied()).filter(|&n| self.components.inside(n)).collect()
    }
}
