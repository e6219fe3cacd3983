//! A user's system in step with the automaton of a formula: runs without end that the automaton accepts break the formula.
//!
//! The automaton reads the letter of the state that is left, so one step of the system and one of the automaton are one step
//! (the synchronous product, with propositions of states; M. Vardi and P. Wolper, "An automata-theoretic approach to automatic
//! program verification", 1986). In a state without steps the automaton goes on alone, with the same letter for ever. Behind the
//! parts of a state is the number of the automaton's state. The automaton is a partner in a step and no actor, so fairness does not
//! see it.

use crate::adapter::{Adapted, Walker, decode, is_root};
use crate::model::Model;
use crate::unfold::{Made, Unfold, Unfolded};
use starwheel_automata::{Buchi, Letter, Prop, StateId};
use starwheel_base::Span;
use starwheel_system::{
    Action, Actor, Behind, Fired, Partners, Step, Stepper, System, Violation, ViolationKind, Whole,
};

/// The product.
pub struct Product<'g, 'm, M: Model> {
    pub system: Adapted<'g, 'm, M>,
    /// Accepts the runs that are looked for.
    pub automaton: Buchi,
    /// By proposition of the automaton: the property that it is.
    pub letters: Vec<usize>,
}

impl<M: Model> System for Product<'_, '_, M> {
    fn hidden_bytes(&self) -> usize {
        0
    }

    fn transitions(&self) -> usize {
        self.system.transitions().max(self.automaton.edge_count())
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        let walker = self.system.walker();
        Box::new(Unfolded(Pair { walker, product: self, edges: Vec::new(), codes: Vec::new(), state: Vec::new() }))
    }

    fn behind(&self) -> Option<Behind<'_>> {
        None
    }
}

impl<M: Model> Whole for Product<'_, '_, M> {}

/// One thread's way through the product.
struct Pair<'a, M: Model> {
    walker: Walker<'a, M>,
    product: &'a Product<'a, 'a, M>,
    /// The automaton's steps that the state at hand lets it take: their numbers, and where they lead.
    edges: Vec<(u32, u32)>,
    /// Scratch memory.
    codes: Vec<u32>,
    state: Vec<u8>,
}

/// The system's state and the automaton's.
pub fn split(at: &[u8]) -> (&[u8], u32) {
    let (state, last) = at.split_last_chunk::<4>().map_or((at, [0; 4]), |(state, last)| (state, *last));
    (state, u32::from_le_bytes(last))
}

impl<M: Model> Pair<'_, M> {
    /// Looks which steps the automaton may take; what went wrong with the propositions, if anything did.
    fn read(&mut self, state: &[u8], from: u32) -> Result<(), String> {
        self.edges.clear();
        decode(state, &mut self.codes);
        if is_root(&self.codes) {
            // Nothing has happened yet, so there is nothing to be read.
            self.edges.push((0, from));
            return Ok(());
        }
        self.walker.ground.learn(&self.codes);
        let mut letter = Letter(0);
        for (number, &property) in self.product.letters.iter().enumerate() {
            if self.walker.asked(property, &self.codes)?.0 {
                letter = letter.with(Prop(number as u32));
            }
        }
        let edges = self.product.automaton.edges_from(StateId(from)).iter().enumerate();
        let open = edges.filter(|(_, edge)| edge.label.cubes().iter().any(|cube| cube.admits(letter)));
        self.edges.extend(open.map(|(number, edge)| (number as u32, edge.to.0)));
        Ok(())
    }
}

impl<M: Model> Unfold for Pair<'_, M> {
    fn first(&mut self, out: &mut Vec<u8>) -> Fired {
        let fired = self.walker.first(out);
        out.extend_from_slice(&self.product.automaton.initial().0.to_le_bytes());
        fired
    }

    fn each(&mut self, at: &[u8], only: Option<Step>, mut show: impl FnMut(Made<'_>)) {
        let (state, from) = split(at);
        if let Err(why) = self.read(state, from) {
            let span = Span::default();
            let kind = ViolationKind::RuntimeError;
            let violations = vec![Violation { kind, message: format!("a proposition {why}"), span, actor: None }];
            let (step, fired) = (Step::alone(Actor::Claim, Action(0)), Fired { broken: true, violations });
            return show(Made { step, fired, state: &[], changed: u64::MAX });
        }
        let Pair { walker, edges, state: next, .. } = self;
        let mut ends = true;
        let words = state.len() / 4;
        let inner = only.map(|step| Step { partners: Partners::None, ..step });
        let stays = only.is_some_and(|step| step.actor.is_claim());
        walker.each(state, inner.filter(|_| !stays), |made| {
            ends = false;
            if stays {
                return;
            }
            for &(number, to) in &*edges {
                let step = Step { partners: Partners::One(Actor::Claim, Action(number)), ..made.step };
                if only.is_some_and(|only| only != step) {
                    continue;
                }
                next.clear();
                next.extend_from_slice(made.state);
                next.extend_from_slice(&to.to_le_bytes());
                let moved = if to == from { 0 } else { 1u64.checked_shl(words as u32).unwrap_or(u64::MAX) };
                let changed = if words < 64 { made.changed | moved } else { u64::MAX };
                let violations = made.fired.violations.clone();
                let fired = Fired { broken: made.fired.broken, violations };
                show(Made { step, fired, state: next, changed });
            }
        });
        if !ends || only.is_some() && !stays {
            return;
        }
        for &(number, to) in &*edges {
            let step = Step::alone(Actor::Claim, Action(number));
            if only.is_none_or(|only| only == step) {
                next.clear();
                next.extend_from_slice(state);
                next.extend_from_slice(&to.to_le_bytes());
                show(Made { step, fired: Fired::default(), state: next, changed: u64::MAX });
            }
        }
    }

    /// The automaton goes no further: no run that it accepts comes this way, and the system alone is another search's affair.
    fn stuck(&mut self, _at: &[u8]) -> Option<Violation> {
        None
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        let (state, own) = split(at);
        decode(state, &mut self.codes);
        !is_root(&self.codes) && self.product.automaton.is_accepting(StateId(own))
    }
}
