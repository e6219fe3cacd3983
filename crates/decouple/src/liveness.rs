//! LTL on Promela, decoupled: is there a run that a claim accepts?
//!
//! The property automaton belongs to the center, and so does what it sees: a leaf step that changes what it sees is a center
//! step. The claim reads one letter for each center step. That is enough for a property that does not count how often a
//! letter is repeated, and others must not come here. A run without end that makes center steps for ever is a cycle of the
//! graph of decoupled states, compared by equality; any other run stays in one decoupled state for ever, where the claim
//! reads the same letter for ever. Components are found as by Couvreur (`starwheel_engine::Components`); as in the search of
//! networks of automata, a state within a finished one is pruned: what no run from the larger does, none from the smaller
//! does.
//!
//! A condition that has no value where the claim asks for it is an error, and so is every run that comes there: then, too,
//! it must make no difference how often a letter is repeated.

mod claim;
mod graph;
mod track;
mod weave;

use crate::METHODS;
use crate::leaves::leaf_set::PartyId;
use crate::liveness::claim::Claim;
use crate::liveness::graph::{Graph, Stay};
use crate::liveness::track::{Pair, Track, Visit};
use crate::liveness::weave::{weave, weave_error};
use crate::search::{REAL_NAMES, Request};
use crate::steps::core::{Core, Flow};
use crate::steps::pulse::Pulse;
use crate::topology::decompose::Decomposition;
use rapidhash::RapidHashMap;
use starwheel_engine::facts::{Crew, Facts, Method, Sequence, Sought, Stance, StoreKind};
use starwheel_engine::{Gap, Goal, Job, Ledger, Misfit, Monitor, Order, Report, Stop, fit};
use starwheel_model::{ClaimSystem, LocId, Model, ProctypeId, Step, Stepper, Violation};
use starwheel_store::{Cover, StateSet};

/// For formulas only: other claims may count how often a letter is repeated.
pub const DECOUPLED_LIVENESS: Method = Method {
    name: "decoupled-liveness",
    title: "the decoupled search for runs without end",
    order: None,
    facts: Facts {
        looks_for: &[Sought::Formula],
        sequences: &[Sequence::DepthFirst],
        stores: &[(StoreKind::Tree, Crew::One)],
        depth: Stance::Can,
        decoupled: Stance::Must,
        not_together: &[REAL_NAMES],
        ..Facts::NONE
    },
};

/// Looks for a run that a claim accepts, in a model that [`crate::refusal`] has nothing to say about. The claim must not
/// count repetitions, and [`crate::property_refusal`] must have nothing to say about it. Accept labels of processes do not
/// count. Every trail in the report has been replayed. What the search cannot do as it is asked for is a misfit.
pub fn find_run(
    model: &Model,
    claim: ProctypeId,
    goal: Goal,
    request: &Request,
    watch: &dyn Monitor,
) -> Result<Report, Misfit> {
    fit(&request.wish(Sought::Formula, false), &METHODS)?;
    let parts = Decomposition::watched(model, claim);
    let system = ClaimSystem::new(model, claim).own_labels();
    let Request { checks, all_errors, limits, .. } = *request;
    let job = Job { search: Order::Scc, checks, all_errors, limits, goal, ..Job::new(&system) };
    let core = Core::new(model, &parts, Pulse::new(watch, limits.time));
    let mut search = Search {
        system,
        graph: Graph::new(core, Claim::new(model, claim)),
        request,
        ledger: Ledger::new(&job, watch),
        track: Track::default(),
        finished: RapidHashMap::default(),
        cut: false,
    };
    let flow = search.search();
    let Search { graph, mut ledger, track, cut, .. } = search;
    ledger.absorb(&graph.core.runner.executed, graph.core.runner.round);
    if graph.gap {
        ledger.missed(Gap::RunTimeError);
    }
    ledger.stats.decoupled_states = Some(track.pairs.len() as u64);
    Ok(ledger.close(flow, limits.depth.filter(|_| cut), &graph.space))
}

struct Search<'a, 'm> {
    system: ClaimSystem<'m>,
    graph: Graph<'m>,
    request: &'a Request,
    ledger: Ledger<'a>,
    track: Track,
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
        while let Some(top) = self.track.path.last_mut() {
            let (_, at) = self.track.pairs[top.number as usize];
            let (place, steps) = (top.next, top.known.next.len());
            top.next += 1;
            let moves = self.graph.claim.moves(top.known.letter, at);
            if steps == 0 || place >= moves.len() * steps {
                self.leave();
                continue;
            }
            let pair = (top.known.next[place % steps], moves[place / steps].1);
            if self.request.limits.depth.is_some_and(|d| self.track.path.len() as u64 > d) {
                self.cut = true;
                continue;
            }
            self.arrive(pair)?;
        }
        Flow::Continue(())
    }

    fn arrive(&mut self, pair: Pair) -> Flow {
        self.ledger.tick_uncounted(self.track.path.len() as u64, &self.graph.space)?;
        if let Some(&number) = self.track.numbers.get(&pair) {
            self.ledger.stats.states_matched += 1;
            return match self.track.components.meet(number) {
                Some(good) => self.report_cycle(good),
                None => Flow::Continue(()),
            };
        }
        if self.request.dominance && self.covered(pair) {
            self.ledger.stats.states_matched += 1;
            return Flow::Continue(());
        }
        let known = self.graph.known(pair.0)?;
        let number = self.track.components.arrive(self.graph.claim.accepts(pair.1));
        self.track.pairs.push(pair);
        self.track.numbers.insert(pair, number);
        self.ledger.stats.states_stored += 1;
        let lingers = self.graph.claim.lingers(known.letter, pair.1);
        let breaks = self.graph.claim.breaks(known.letter, pair.1).is_some();
        self.track.path.push(Visit { number, known, next: 0 });
        self.watch()?;
        if breaks {
            self.report_error()?;
        }
        if lingers && self.graph.stays(pair.0)? {
            return self.report_stay();
        }
        Flow::Continue(())
    }

    fn watch(&mut self) -> Flow {
        let depth = self.track.path.len() as u64 - 1;
        let stats = &mut self.ledger.stats;
        stats.max_depth = stats.max_depth.max(depth);
        let tick = &mut self.graph.core.runner.pulse.tick;
        (tick.stored, tick.matched, tick.depth) = (stats.states_stored, stats.states_matched, depth);
        let pairs = 32 * self.track.pairs.len() as u64;
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
        let Some(visit) = self.track.path.pop() else { return };
        for member in self.track.components.leave(visit.number) {
            let pair = self.track.pairs[member as usize];
            if self.request.dominance && !self.covered(pair) {
                let (center, parties) = self.graph.space.keys(pair.0);
                self.finished.entry((center, pair.1)).or_insert_with(|| Cover::new(parties.len())).insert(&parties);
            }
        }
    }

    /// The claim asks for something that has no value in the last state of the path. It reads fewer letters here than in a
    /// run of single steps; should it accept such a run without having met an error, the run is not spelt out.
    fn report_error(&mut self) -> Flow {
        let Search { graph, track, .. } = self;
        let steps = track.steps(graph)?;
        let trail = weave_error(&mut graph.core.runner.interp, &mut graph.claim, &steps);
        let Some((violation, trail)) = trail.and_then(|trail| Some((self.last_violation(&trail)?, trail))) else {
            self.graph.gap = true;
            return Flow::Continue(());
        };
        self.ledger.event(&violation, || trail)
    }

    /// What goes wrong in the last step of a trail.
    fn last_violation(&self, trail: &[Step]) -> Option<Violation> {
        let mut stepper = self.system.interpreter();
        let (mut at, mut next) = (Vec::new(), Vec::new());
        stepper.initial(&mut at);
        let mut violations = Vec::new();
        for &step in trail {
            violations = stepper.fire(&at, step, &mut next).violations;
            std::mem::swap(&mut at, &mut next);
        }
        violations.into_iter().next()
    }

    fn report_stay(&mut self) -> Flow {
        let Search { graph, track, .. } = self;
        report(&mut self.ledger, graph, |graph| track.stay(graph))
    }

    /// The component that was closed last has a cycle through this pair.
    fn report_cycle(&mut self, good: u32) -> Flow {
        let Search { graph, track, .. } = self;
        report(&mut self.ledger, graph, |graph| track.cycle(graph, good))
    }
}

/// Counts an error; only the first one is spelt out.
fn report<'m>(
    ledger: &mut Ledger<'_>,
    graph: &mut Graph<'m>,
    run: impl FnOnce(&mut Graph<'m>) -> Flow<Option<Stay>>,
) -> Flow {
    let mut lost = None;
    let flow = ledger.cycle(|| match run(graph) {
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
