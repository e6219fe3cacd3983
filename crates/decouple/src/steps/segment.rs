//! What one process does alone, from one state until it waits for others again: a step, or a chain of steps inside
//! `atomic`, that ends when control is given up or when the process hands a message over.
//!
//! Whether somebody takes the message is for the caller to find out. Where a step is possible only because nobody does,
//! the outcome says so by a condition on all other processes.

use crate::steps::core::Flow;
use crate::steps::pulse::Pulse;
use crate::topology::decompose::Decomposition;
use rapidhash::RapidHashSet;
use starwheel_model::{Choice, Fired, Handover, Interp, Pid, TransId, Violation};

/// How a segment begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// By any step.
    Free,
    /// By a step that is possible because nothing else is.
    Timeout,
    /// By taking a message.
    Take(Handover),
}

/// One link of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// A step of the process alone; true if because nothing else was possible.
    Alone(TransId, bool),
    /// The first half of a handshake.
    Give(TransId),
    /// The second half of a handshake.
    Take(TransId),
}

/// No other process may take a message, at this state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition {
    /// The state at that moment; only its center counts.
    pub state: Vec<u8>,
    /// The message.
    pub offer: Handover,
}

/// One way in which a segment can end.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The state at its end.
    pub state: Vec<u8>,
    /// The message that waits for a taker.
    pub pending: Option<Handover>,
    /// What must hold of the others.
    pub conditions: Vec<Condition>,
    /// True if all its steps are leaf steps and nothing is asked of the others.
    pub leaf: bool,
    /// Its steps.
    pub links: Vec<Link>,
    /// What goes wrong in the first half of a handshake, should there be a second one.
    pub wrong: Vec<Violation>,
    /// True if the path ends with that; the state is the one before.
    pub broken: bool,
}

/// Something that goes wrong on the way, or an atomic sequence that comes round to where it was.
#[derive(Clone, Debug)]
pub struct Flaw {
    /// What goes wrong.
    pub violation: Option<Violation>,
    /// The steps up to it.
    pub links: Vec<Link>,
    /// What must hold of the others.
    pub conditions: Vec<Condition>,
}

/// All that a process can do from one state.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// The ends.
    pub outcomes: Vec<Outcome>,
    /// What goes wrong.
    pub flaws: Vec<Flaw>,
    /// True if the process can do something without any partner.
    pub moves: bool,
    /// The messages that it would hand over as its first step.
    pub offers: Vec<Handover>,
}

/// Runs segments.
pub struct Runner<'m> {
    /// The interpreter.
    pub interp: Interp<'m>,
    pub(crate) parts: &'m Decomposition,
    /// By transition: true if it was executed.
    pub executed: Vec<bool>,
    /// True if an atomic sequence came round.
    pub round: bool,
    takers: Vec<TransId>,
    /// Told about every piece of work.
    pub pulse: Pulse<'m>,
}

struct Node {
    state: Vec<u8>,
    conditions: Vec<Condition>,
    leaf: bool,
    links: Vec<Link>,
}

struct Run {
    pid: Pid,
    todo: Vec<Node>,
    passed: RapidHashSet<(Vec<u8>, Vec<Condition>, bool)>,
    out: Segment,
}

impl<'m> Runner<'m> {
    /// A runner for a model.
    pub fn new(interp: Interp<'m>, parts: &'m Decomposition, pulse: Pulse<'m>) -> Runner<'m> {
        let executed = vec![false; parts.leaf_steps.len()];
        Runner { interp, parts, executed, round: false, takers: Vec::new(), pulse }
    }

    /// All that a process can do from a state.
    pub fn run(&mut self, state: &[u8], pid: Pid, how: &How) -> Flow<Segment> {
        self.pulse.beat()?;
        let mut run = Run { pid, todo: Vec::new(), passed: RapidHashSet::default(), out: Segment::default() };
        let node = || Node { state: state.to_vec(), conditions: Vec::new(), leaf: true, links: Vec::new() };
        match how {
            How::Free | How::Timeout => {
                let timeout = *how == How::Timeout;
                let choices = self.choices(state, pid, timeout);
                run.out.moves = choices.iter().any(|c| c.offer.is_none());
                run.out.offers = choices.iter().filter_map(|c| c.offer.clone()).collect();
                self.follow(&mut run, &node(), &choices, timeout);
            }
            How::Take(offer) => self.take(&mut run, node(), offer),
        }
        while let Some(node) = run.todo.pop() {
            self.pulse.beat()?;
            self.go_on(&mut run, node);
        }
        Flow::Continue(run.out)
    }

    /// Notes that transitions were executed.
    pub fn mark(&mut self, transitions: &[TransId]) {
        transitions.iter().for_each(|t| self.executed[t.index()] = true);
    }

    /// Whether a process would take a message.
    pub fn accepts(&mut self, state: &[u8], pid: Pid, offer: &Handover) -> bool {
        let mut takers = std::mem::take(&mut self.takers);
        self.interp.takers(state, pid, offer, &mut takers);
        let any = !takers.is_empty();
        self.takers = takers;
        any
    }

    /// What a process could do next.
    pub fn choices(&mut self, state: &[u8], pid: Pid, timeout: bool) -> Vec<Choice> {
        let mut choices = Vec::new();
        self.interp.choices(state, pid, timeout, &mut choices);
        choices
    }

    fn take(&mut self, run: &mut Run, node: Node, offer: &Handover) {
        let mut takers = Vec::new();
        self.interp.takers(&node.state, run.pid, offer, &mut takers);
        for trans in takers {
            let mut next = Vec::new();
            let fired = self.interp.take(&node.state, run.pid, trans, offer, &mut next);
            self.arrive(run, &node, (trans, Link::Take(trans)), Vec::new(), fired, next);
        }
    }

    /// Does all that can be chosen at a node.
    fn follow(&mut self, run: &mut Run, node: &Node, choices: &[Choice], timeout: bool) {
        for choice in choices {
            let conditions = node.with(choice.unless.iter());
            let (trans, mut next) = (choice.trans, Vec::new());
            match &choice.offer {
                Some(offer) => {
                    let fired = self.interp.give(&node.state, run.pid, trans, offer, &mut next);
                    run.hand_over(node, choice, conditions, fired, next);
                }
                None => {
                    let fired = self.interp.fire_alone(&node.state, run.pid, trans, timeout, &mut next);
                    self.arrive(run, node, (trans, Link::Alone(trans, timeout)), conditions, fired, next);
                }
            }
        }
    }

    /// After a step: goes on inside `atomic`, or ends.
    fn arrive(
        &mut self,
        run: &mut Run,
        node: &Node,
        (trans, link): (TransId, Link),
        conditions: Vec<Condition>,
        fired: Fired,
        state: Vec<u8>,
    ) {
        // With conditions, it is for the caller to find out whether this can happen.
        self.executed[trans.index()] |= conditions.is_empty();
        let links = extended(&node.links, link);
        for violation in fired.violations {
            run.out.flaws.push(Flaw {
                violation: Some(violation),
                links: links.clone(),
                conditions: conditions.clone(),
            });
        }
        if fired.broken {
            return;
        }
        let alone = conditions.is_empty() && !matches!(link, Link::Take(_));
        let leaf = node.leaf && alone && self.parts.is_leaf_step(trans);
        let next = Node { state, conditions, leaf, links };
        let model = self.interp.model();
        let gone = next.state[model.layout.header() as usize] as usize <= run.pid.index();
        if gone || !model.transition(trans).atomic {
            run.end(next);
        } else if run.passed.insert((next.state.clone(), next.conditions.clone(), next.leaf)) {
            run.todo.push(next);
        } else {
            run.out.flaws.push(Flaw { violation: None, links: next.links, conditions: next.conditions });
        }
    }

    /// Goes on inside `atomic`, if possible.
    fn go_on(&mut self, run: &mut Run, node: Node) {
        let choices = self.choices(&node.state, run.pid, false);
        self.follow(run, &node, &choices, false);
        if choices.iter().all(|c| c.offer.is_some()) {
            // Control is given up if nobody takes any of the messages.
            let conditions = node.with(choices.iter().filter_map(|c| c.offer.as_ref()));
            let leaf = node.leaf && conditions.is_empty();
            run.end(Node { conditions, leaf, ..node });
        }
    }
}

impl Node {
    /// The conditions so far, and that nobody takes any of these messages now. They are kept in order and once each,
    /// so that a loop comes back to the same ones.
    fn with<'h>(&self, offers: impl Iterator<Item = &'h Handover>) -> Vec<Condition> {
        let mut all = self.conditions.clone();
        for offer in offers {
            let more = Condition { state: self.state.clone(), offer: offer.clone() };
            if let Err(place) = all.binary_search(&more) {
                all.insert(place, more);
            }
        }
        all
    }
}

impl Run {
    fn end(&mut self, node: Node) {
        let Node { state, conditions, leaf, links } = node;
        let (pending, wrong) = (None, Vec::new());
        self.out.outcomes.push(Outcome { state, pending, conditions, leaf, links, wrong, broken: false });
    }

    fn hand_over(&mut self, node: &Node, choice: &Choice, conditions: Vec<Condition>, fired: Fired, next: Vec<u8>) {
        let Fired { broken, violations: wrong } = fired;
        let links = extended(&node.links, Link::Give(choice.trans));
        let (state, pending) = (if broken { node.state.clone() } else { next }, choice.offer.clone());
        self.out.outcomes.push(Outcome { state, pending, conditions, leaf: false, links, wrong, broken });
    }
}

impl Link {
    /// The transition.
    pub fn trans(self) -> TransId {
        match self {
            Link::Alone(trans, _) | Link::Give(trans) | Link::Take(trans) => trans,
        }
    }
}

fn extended(links: &[Link], link: Link) -> Vec<Link> {
    links.iter().copied().chain([link]).collect()
}
