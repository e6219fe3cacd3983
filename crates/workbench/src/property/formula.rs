//! LTL formulas and other automata as claims: an automaton that accepts wrong runs watches the system.

use starwheel_automata::ltl::{Binary, Unary};
use starwheel_automata::words::Prop;
use starwheel_automata::{Buchi, Formula as Ltl, Label, Stutter, stutter, translate};
use starwheel_base::{Diagnostic, Span};
use starwheel_model::{
    BinaryOp, Expr, Formula, Model, Observer, ProctypeId, Property, PropertyKind, UnaryOp, add_observer,
};

/// Adds the claim of a formula to a model, whose steps may be `merged`; says why if that cannot be done.
pub fn add_claim(model: &mut Model, property: &Property, merged: bool) -> Result<ProctypeId, Box<Diagnostic>> {
    let PropertyKind::Ltl(formula) = &property.kind else {
        let message = format!("`{}` is not a formula", property.name);
        return Err(Box::new(Diagnostic::error("formula", property.span, message)));
    };
    let mut props = Vec::new();
    let negation = ltl(formula, &mut props).negated();
    if merged && stutter(&negation) != Ok(Stutter::Invariant) {
        let message = format!("`--merge` and the formula `{}` exclude each other: it counts steps", property.name);
        return Err(Box::new(counts_steps(property.span, message)));
    }
    automaton(&negation, props.len(), property.span)
        .and_then(|automaton| watch(model, &automaton, &props, &property.name, property.span))
}

/// The refusal of a property whose verdict would change when steps are merged.
pub fn counts_steps(place: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("contradiction", place, message).advise("leave --merge out, which makes several steps one")
}

/// The automaton of a formula with this many propositions; `place` is for the error.
pub fn automaton(formula: &Ltl, props: usize, place: Span) -> Result<Buchi, Box<Diagnostic>> {
    let too_large = |message: String| Diagnostic::error("formula-too-large", place, message);
    // A letter of the automata has one bit for each proposition.
    if props > Prop::LIMIT as usize {
        let message = format!("this formula speaks of {props} different conditions, more than {}", Prop::LIMIT);
        return Err(Box::new(too_large(message).advise("split it into several properties, or join conditions in one")));
    }
    translate(formula).map_err(|_| {
        let d = too_large("the automaton of this formula is too large".to_string());
        Box::new(d.advise("split the formula into several properties: `p && q` holds if both hold"))
    })
}

/// Adds a claim that accepts what the automaton accepts; its propositions stand for these conditions.
pub fn watch(
    model: &mut Model,
    automaton: &Buchi,
    props: &[Expr],
    name: &str,
    span: Span,
) -> Result<ProctypeId, Box<Diagnostic>> {
    let accepting = automaton.states().map(|s| automaton.is_accepting(s)).collect();
    let edges = automaton.states().flat_map(|s| automaton.edges_from(s));
    let edges = edges.map(|e| (e.from.index(), guard(&e.label, props), e.to.index())).collect();
    let start = automaton.initial().index();
    let observer = Observer { name: name.into(), span, accepting, start, edges };
    add_observer(model, observer).ok_or_else(|| {
        let message = format!("there is no room in the model for the claim of `{name}`");
        let advice = "a model has at most 255 process types and claims, and a claim at most 65534 states";
        Box::new(Diagnostic::error("too-many-proctypes", span, message).advise(advice))
    })
}

/// Says why if a formula of a model may depend on how often a state is repeated.
pub fn stutters(model: &Model, name: &str) -> Result<(), String> {
    let found = model.properties.iter().find(|p| *p.name == *name).map(|p| &p.kind);
    let Some(PropertyKind::Ltl(formula)) = found else { return Err(format!("`{name}` is not a formula")) };
    match stutter(&ltl(formula, &mut Vec::new())) {
        Ok(Stutter::Invariant) => Ok(()),
        Ok(Stutter::Sensitive { .. }) => Err("the formula depends on how often a state is repeated".to_string()),
        Err(e) => Err(format!("it is not known whether the formula depends on how often a state is repeated: {e}")),
    }
}

/// The formula over numbered conditions; equal conditions get one number.
fn ltl(formula: &Formula, props: &mut Vec<Expr>) -> Ltl {
    let mut two = |op, a: &Formula, b: &Formula| {
        let (a, b) = (ltl(a, props), ltl(b, props));
        Ltl::binary(op, a, b)
    };
    match formula {
        Formula::And(a, b) => two(Binary::And, a, b),
        Formula::Or(a, b) => two(Binary::Or, a, b),
        Formula::Implies(a, b) => two(Binary::Implies, a, b),
        Formula::Equivalent(a, b) => two(Binary::Equiv, a, b),
        Formula::Until(a, b) => two(Binary::Until, a, b),
        Formula::WeakUntil(a, b) => two(Binary::WeakUntil, a, b),
        Formula::Release(a, b) => two(Binary::Release, a, b),
        Formula::Not(a) => Ltl::unary(Unary::Not, ltl(a, props)),
        Formula::Next(a) => Ltl::unary(Unary::Next, ltl(a, props)),
        Formula::Always(a) => Ltl::unary(Unary::Always, ltl(a, props)),
        Formula::Eventually(a) => Ltl::unary(Unary::Eventually, ltl(a, props)),
        Formula::Prop(Expr::Const(value, _)) => Ltl::Constant(*value != 0),
        Formula::Prop(e) => {
            let known = props.iter().position(|p| p == e);
            let number = known.unwrap_or_else(|| {
                props.push(e.clone());
                props.len() - 1
            });
            Ltl::Prop(Prop(number as u32))
        }
    }
}

/// The condition of an edge; `None` if there is none.
fn guard(label: &Label, props: &[Expr]) -> Option<Expr> {
    if label.is_all() {
        return None;
    }
    let literal = |(prop, positive): (Prop, bool)| {
        let e = props[prop.0 as usize].clone();
        if positive { e } else { Expr::Unary(UnaryOp::Not, Box::new(e)) }
    };
    let join = |op| move |a: Expr, b: Expr| Expr::Binary(op, Box::new(a), Box::new(b));
    let cubes = label.cubes().iter().map(|cube| {
        let all = cube.literals().map(literal).reduce(join(BinaryOp::And));
        all.unwrap_or(Expr::constant(1))
    });
    // A label without cubes admits nothing.
    Some(cubes.reduce(join(BinaryOp::Or)).unwrap_or(Expr::constant(0)))
}
