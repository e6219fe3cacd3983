//! Start states and unstable states of IF, said in words of SDL: START, and labels that transitions go on to.

use super::cursor::{Parser, refusal};
use crate::ast::*;
use starwheel_base::Span;

impl Parser<'_> {
    /// Takes the unstable states out: what they do is part of the step that leads there.
    pub fn if_unstable(&mut self, body: &mut Body, unstable: &[String], starts: &[(Name, Span)]) {
        for key in unstable {
            let named = |s: &StateDef| s.names.iter().flatten().any(|n| n.key == *key);
            let Some(at) = body.states.iter().position(named) else { continue };
            let state = body.states.remove(at);
            let Some(name) = state.names.iter().flatten().next().cloned() else { continue };
            let label = Name { key: format!("unstable {key}"), ..name.clone() };
            let mut arms = Vec::new();
            for part in state.parts {
                match part {
                    StatePart::Input(i) if i.eager && matches!(i.what, InputWhat::Nothing) => {
                        let mut trans = i.trans;
                        each_end(&mut trans, &mut |e| {
                            if matches!(e, EndKind::Next { state: Next::Same, .. }) {
                                *e = EndKind::Join(label.clone());
                            }
                        });
                        arms.push((i.provided, trans));
                    }
                    part => {
                        let what = "waiting in an unstable state";
                        let span = if let StatePart::Input(i) = &part { i.span } else { state.span };
                        self.diagnostics.push(refusal(span, what, "make the state stable"));
                    }
                }
            }
            let here = |kind| Action { kind, span: name.span };
            let actions = vec![here(ActionKind::Label(label.clone())), here(ActionKind::Select(arms))];
            body.free.push(Trans { actions, end: None });
            // Who begins here begins with a step.
            if starts.iter().any(|s| s.0.key == *key) {
                let end = Some(End { kind: EndKind::Join(label.clone()), span: name.span });
                let trans = Trans { actions: Vec::new(), end };
                let part = Input {
                    priority: false,
                    what: InputWhat::Nothing,
                    provided: None,
                    trans,
                    eager: true,
                    own: false,
                    urgent: None,
                    timed: false,
                    span: name.span,
                };
                let parts = vec![StatePart::Input(part)];
                body.states.push(StateDef { names: Some(vec![name]), except: Vec::new(), parts, span: state.span });
            }
            for trans in transitions(body) {
                each_end(trans, &mut |e| {
                    if matches!(e, EndKind::Next { state: Next::State(n), .. } if n.key == *key) {
                        *e = EndKind::Join(label.clone());
                    }
                });
            }
        }
    }
}

/// Visits all ends of a transition.
fn each_end(trans: &mut Trans, f: &mut dyn FnMut(&mut EndKind)) {
    if let Some(e) = &mut trans.end {
        f(&mut e.kind);
    }
    for a in &mut trans.actions {
        match &mut a.kind {
            ActionKind::Decision(d) => d.answers.iter_mut().for_each(|a| each_end(&mut a.trans, f)),
            ActionKind::Select(arms) => arms.iter_mut().for_each(|a| each_end(&mut a.1, f)),
            _ => {}
        }
    }
}

/// A start state whose only transition waits for nothing is the START of SDL, where nothing jumps (START is no single step) and
/// nobody comes back: a state that is entered again is a state.
pub fn start_of(name: &Name, body: &mut Body, span: Span) -> Trans {
    let entered = is_entered(name, body);
    let state = body.states.iter_mut().find(|s| s.names.iter().flatten().any(|n| n.key == name.key));
    if let Some(state) = state
        && let [StatePart::Input(i)] = state.parts.as_mut_slice()
        && matches!(i.what, InputWhat::Nothing)
        && i.provided.is_none()
        && i.eager
        && !entered
        && !goes(&mut i.trans, &|e| matches!(e, EndKind::Join(_) | EndKind::Next { state: Next::Same, .. }))
    {
        let trans = i.trans.clone();
        state.parts.clear();
        return trans;
    }
    let kind = EndKind::Next { state: Next::State(name.clone()), via: None };
    Trans { actions: Vec::new(), end: Some(End { kind, span }) }
}

/// True if a transition leads to a state by its name.
fn is_entered(name: &Name, body: &mut Body) -> bool {
    let there = |e: &EndKind| matches!(e, EndKind::Next { state: Next::State(n), .. } if n.key == name.key);
    transitions(body).any(|t| goes(t, &there))
}

/// True if one of the ends of a transition is such an end.
fn goes(trans: &mut Trans, such: &dyn Fn(&EndKind) -> bool) -> bool {
    let mut found = false;
    each_end(trans, &mut |e| found |= such(e));
    found
}

/// All transitions of a process of IF.
fn transitions(body: &mut Body) -> impl Iterator<Item = &mut Trans> {
    let of_states = body.states.iter_mut().flat_map(|s| &mut s.parts).filter_map(|p| match p {
        StatePart::Input(i) => Some(&mut i.trans),
        _ => None,
    });
    of_states.chain(&mut body.free)
}
