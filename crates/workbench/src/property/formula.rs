//! LTL formulas and other automata as claims: an automaton that accepts wrong runs watches the system.
//!
//! What a formula asks for in a single state is one proposition as a whole (`starwheel_automata::ltl::Parts`), unless
//! nothing in it can go wrong. A claim evaluates the conditions of an edge in the order of the text, as far as its value
//! depends on them. A condition that is evaluated in a state where it has no value is a run-time error there, as in SPIN; one
//! that is not evaluated there is none.

use crate::property::claim_automaton::{self, Doubt};
use crate::property::condition::{Risk, canonical};
use crate::property::joined::{Conditions, join};
use starwheel_automata::ltl::{Binary, Grain, Unary};
use starwheel_automata::stutter::stutter_within;
use starwheel_automata::translate::translate_within;
use starwheel_automata::words::Prop;
use starwheel_automata::{Buchi, Formula as Ltl, Label, Stutter};
use starwheel_base::cancel::Token;
use starwheel_base::{Diagnostic, Span};
use starwheel_model::{
    BinaryOp, Expr, Formula, Model, Observer, ProctypeId, Property, PropertyKind, UnaryOp, add_observer,
};

/// Adds the claim of a formula to a model, whose steps may be `merged`; says why if that cannot be done, which means nothing if
/// the token says stop.
pub fn add_claim(
    model: &mut Model,
    property: &Property,
    merged: bool,
    until: &Token,
) -> Result<ProctypeId, Box<Diagnostic>> {
    let PropertyKind::Ltl(formula) = &property.kind else {
        let message = format!("`{}` is not a formula", property.name);
        return Err(Box::new(Diagnostic::error("formula", property.span, message)));
    };
    let read = Read::new(model, formula);
    if merged && stutter_within(&read.formula, until) != Ok(Stutter::Invariant) {
        let message = format!("the formula `{}` counts steps, and merged ones are fewer", property.name);
        return Err(Box::new(counts_steps(property.span, message)));
    }
    let grains = [Grain::Shared, Grain::Whole].map(|grain| read.over(grain));
    let (automaton, props) = smallest(grains, |(formula, props)| {
        automaton(&formula.negated(), props.len(), property.span, until).map(|automaton| (automaton, props.clone()))
    })?;
    let claim = watch(model, &automaton, &props, &property.name, property.span)?;
    if merged && errors_stutter(model, claim, &read, until).is_err() {
        let name = &property.name;
        let message = format!("errors in the formula `{name}` may depend on single steps, and merged ones are fewer");
        return Err(Box::new(counts_steps(property.span, message)));
    }
    Ok(claim)
}

/// The code of a refusal to merge steps, the only contradiction there can be between a model and how it is read.
pub const COUNTS_STEPS: &str = "contradiction";

/// The refusal of a property whose verdict would change when steps are merged.
pub fn counts_steps(place: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(COUNTS_STEPS, place, message).advise("leave --merge out, which makes several steps one")
}

/// What can be made of a formula whose parts are taken apart, or else, because these may be too many or have too many
/// combinations, of the one whose parts are whole.
pub fn smallest<F: PartialEq, T>(
    [apart, whole]: [F; 2],
    make: impl Fn(&F) -> Result<T, Box<Diagnostic>>,
) -> Result<T, Box<Diagnostic>> {
    make(&apart).or_else(|why| if apart == whole { Err(why) } else { make(&whole) })
}

/// The automaton of a formula with this many propositions; `place` is for the error.
pub fn automaton(formula: &Ltl, props: usize, place: Span, until: &Token) -> Result<Buchi, Box<Diagnostic>> {
    let too_large = |message: String| Diagnostic::error("formula-too-large", place, message);
    // A letter of the automata has one bit for each proposition.
    if props > Prop::LIMIT as usize {
        let message = format!("this formula speaks of {props} different conditions, more than {}", Prop::LIMIT);
        return Err(Box::new(too_large(message).advise("split it into several properties, or join conditions in one")));
    }
    translate_within(formula, until).map_err(|_| {
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

/// Says why if the verdict on a formula of a model, which `claim` refutes, may depend on how often a state is repeated.
pub fn stutters(model: &Model, claim: ProctypeId, name: &str, until: &Token) -> Result<(), String> {
    let found = model.properties.iter().find(|p| *p.name == *name).map(|p| &p.kind);
    let Some(PropertyKind::Ltl(formula)) = found else { return Err(format!("`{name}` is not a formula")) };
    let read = Read::new(model, formula);
    match stutter_within(&read.formula, until) {
        Ok(Stutter::Invariant) => errors_stutter(model, claim, &read, until),
        Ok(Stutter::Sensitive { .. }) => Err("the formula depends on how often a state is repeated".to_string()),
        Err(e) => Err(format!("it is not known whether the formula depends on how often a state is repeated: {e}")),
    }
}

/// Says why if it may depend on how often a state is repeated whether the claim of a formula asks for a condition where
/// it has no value.
fn errors_stutter(model: &Model, claim: ProctypeId, read: &Read, until: &Token) -> Result<(), String> {
    if !read.risky.contains(&true) {
        return Ok(());
    }
    let risk = Risk::new(model);
    let whole: Vec<Expr> = read.over(Grain::Whole).1.into_iter().filter(|e| risk.of(e)).collect();
    claim_automaton::stutters(model, claim, false, &whole, until).map_err(|doubt| {
        let why = match doubt {
            Doubt::Sensitive(_) => "this may depend on how often a state is repeated".to_string(),
            Doubt::Unknown(why) => why,
        };
        format!("a condition of it may have no value (an index out of bounds, a division by zero), and {why}")
    })
}

/// A formula without temporal operators as one condition.
pub fn condition(formula: &Formula) -> Option<Expr> {
    let mut leaves = Leaves::default();
    let formula = leaves.ltl(formula);
    join(&leaves, &formula)
}

/// A formula taken apart.
struct Read {
    /// The formula over the smallest conditions.
    formula: Ltl,
    leaves: Leaves,
    /// By number: it may have no value.
    risky: Vec<bool>,
}

impl Read {
    fn new(model: &Model, formula: &Formula) -> Read {
        let mut leaves = Leaves::default();
        let formula = leaves.ltl(formula);
        let risk = Risk::new(model);
        let risky = leaves.exprs.iter().map(|e| risk.of(e)).collect();
        Read { formula, leaves, risky }
    }

    /// The formula over larger conditions, and these.
    fn over(&self, grain: Grain) -> (Ltl, Vec<Expr>) {
        let parts = self.formula.parts(grain, |prop| self.risky[prop.0 as usize]);
        let props = parts.parts.iter().filter_map(|part| join(&self.leaves, part)).collect();
        (parts.formula, props)
    }
}

/// The smallest conditions of a formula; equal ones, and opposites, are one.
#[derive(Default)]
struct Leaves {
    exprs: Vec<Expr>,
    forms: Vec<(Expr, bool)>,
}

impl Leaves {
    /// The formula over numbered conditions.
    fn ltl(&mut self, formula: &Formula) -> Ltl {
        let mut two = |op, a: &Formula, b: &Formula| {
            let a = self.ltl(a);
            Ltl::binary(op, a, self.ltl(b))
        };
        match formula {
            Formula::And(a, b) => two(Binary::And, a, b),
            Formula::Or(a, b) => two(Binary::Or, a, b),
            Formula::Implies(a, b) => two(Binary::Implies, a, b),
            Formula::Equivalent(a, b) => two(Binary::Equiv, a, b),
            Formula::Until(a, b) => two(Binary::Until, a, b),
            Formula::WeakUntil(a, b) => two(Binary::WeakUntil, a, b),
            Formula::Release(a, b) => two(Binary::Release, a, b),
            Formula::Not(a) => Ltl::unary(Unary::Not, self.ltl(a)),
            Formula::Next(a) => Ltl::unary(Unary::Next, self.ltl(a)),
            Formula::Always(a) => Ltl::unary(Unary::Always, self.ltl(a)),
            Formula::Eventually(a) => Ltl::unary(Unary::Eventually, self.ltl(a)),
            Formula::Prop(e, _) => self.expr(e),
        }
    }

    fn expr(&mut self, e: &Expr) -> Ltl {
        match e {
            Expr::Const(value, _) => Ltl::Constant(*value != 0),
            Expr::Unary(UnaryOp::Not, a) => Ltl::unary(Unary::Not, self.expr(a)),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let op = if *op == BinaryOp::And { Binary::And } else { Binary::Or };
                let a = self.expr(a);
                Ltl::binary(op, a, self.expr(b))
            }
            e => self.leaf(e),
        }
    }

    fn leaf(&mut self, e: &Expr) -> Ltl {
        let (form, own) = canonical(e);
        let known = self.forms.iter().position(|(known, _)| *known == form);
        let number = known.unwrap_or_else(|| {
            self.exprs.push(e.clone());
            self.forms.push((form, own));
            self.exprs.len() - 1
        });
        let prop = Ltl::Prop(Prop(number as u32));
        if self.forms[number].1 == own { prop } else { prop.negated() }
    }
}

impl Conditions for Leaves {
    type Expr = Expr;

    fn condition(&self, prop: Prop) -> Option<Expr> {
        self.exprs.get(prop.0 as usize).cloned()
    }

    fn constant(&self, value: bool) -> Expr {
        Expr::constant(i32::from(value))
    }

    fn not(&self, e: Expr) -> Expr {
        Expr::Unary(UnaryOp::Not, Box::new(e))
    }

    fn two(&self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
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
