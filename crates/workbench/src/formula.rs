//! LTL formulas as claims: the automaton of the negation watches the system.

use starwheel_automata::ltl::{Binary, Unary};
use starwheel_automata::words::Prop;
use starwheel_automata::stutter::{Stutter, stutter};
use starwheel_automata::{Formula as Ltl, Label, translate};
use starwheel_model::{
    BinaryOp, Expr, Formula, Model, Observer, ProctypeId, Property, PropertyKind, UnaryOp, add_observer,
};

/// Adds the claim of a formula to a model; says why if that cannot be done.
pub fn add_claim(model: &mut Model, property: &Property) -> Result<ProctypeId, String> {
    let PropertyKind::Ltl(formula) = &property.kind else {
        return Err(format!("`{}` is not a formula", property.name));
    };
    let mut props = Vec::new();
    let negation = ltl(formula, &mut props).negated();
    // A letter of the automata has one bit for each proposition.
    if props.len() > 64 {
        return Err(format!("`{}` speaks of {} different conditions, more than 64", property.name, props.len()));
    }
    let automaton = translate(&negation).map_err(|e| e.to_string())?;
    let accepting = automaton.states().map(|s| automaton.is_accepting(s)).collect();
    let edges = automaton.states().flat_map(|s| automaton.edges_from(s));
    let edges = edges.map(|e| (e.from.index(), guard(&e.label, &props), e.to.index())).collect();
    let start = automaton.initial().index();
    let observer = Observer { name: property.name.clone(), span: property.span, accepting, start, edges };
    add_observer(model, observer)
        .ok_or_else(|| format!("there is no room in the model for the claim of `{}`", property.name))
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
