//! What a property with an automaton is about: its formula, the conditions in it, and the size of the automaton.

use crate::ask::quantity::plural;
use crate::open::Opened;
use crate::written;
use serde::Serialize;
use starwheel_base::Span;
use starwheel_model::{
    BinaryOp, Expr, Formula, Interp, LocId, Model, ProctypeId, PropertyKind, Region, Stmt, TransId, UnaryOp, text,
};
use std::collections::BTreeMap;
use std::fmt;

/// Which conditions are true, by their text.
pub type Truths = BTreeMap<String, bool>;

/// The size of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Its states.
    pub states: usize,
    /// Its transitions.
    pub transitions: usize,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (states, transitions) = (self.states as u64, self.transitions as u64);
        let (states, transitions) =
            (plural(states, "state", "states"), plural(transitions, "transition", "transitions"));
        write!(f, "an automaton with {states} and {transitions}")
    }
}

/// What a claim watches.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The formula that the claim refutes, if it comes from one.
    pub formula: Option<String>,
    /// The automaton that moves in step with the system.
    pub automaton: Size,
    conditions: Vec<Condition>,
}

/// A condition on single states.
#[derive(Clone, Debug)]
struct Condition {
    /// As the user wrote it.
    written: String,
    /// In one spelling, that of SPIN, which is different for each condition.
    spelled: String,
    expr: Expr,
}

impl Watched {
    /// What a claim of a model watches: the conditions of its formula or of its automaton, or those that it waits for.
    pub fn by(opened: &Opened, claim: ProctypeId) -> Watched {
        let model = &opened.model;
        let formula = opened.formulas.iter().find(|f| f.1 == claim).and_then(|f| formula_of(model, &f.0));
        let mut conditions = Vec::new();
        match formula {
            Some(formula) => formula.conditions(&mut |e, span| add(opened, e, span, &mut conditions)),
            None if opened.automaton == Some(claim) => {
                opened.automaton_reads.iter().for_each(|(e, span)| add(opened, e, *span, &mut conditions));
            }
            // That nobody makes progress is all that this claim looks at.
            None if opened.progress == Some(claim) || opened.zeno == Some(claim) => {}
            None => guards(opened, claim, &mut conditions),
        }
        tell_apart(&mut conditions);
        let formula = formula.map(|f| written(opened, f));
        Watched { formula, automaton: size(model, claim), conditions }
    }

    /// The conditions for other programs: spelled so that different ones have different names, also those of several formulas.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.conditions.iter().map(|c| &*c.spelled)
    }

    /// Which conditions are true in a state, by the names for other programs; one that has no value there is left out.
    pub fn named_truths(&self, interp: &mut Interp<'_>, state: &[u8]) -> Truths {
        self.evaluated(interp, state, |c| &c.spelled)
    }

    /// Which conditions are true in a state, as they were written; one that has no value there is left out.
    pub fn truths(&self, interp: &mut Interp<'_>, state: &[u8]) -> Truths {
        self.evaluated(interp, state, |c| &c.written)
    }

    fn evaluated(&self, interp: &mut Interp<'_>, state: &[u8], name: fn(&Condition) -> &String) -> Truths {
        let value = |c: &Condition| Some((name(c).clone(), interp.evaluate(state, &c.expr).ok()? != 0));
        self.conditions.iter().filter_map(value).collect()
    }
}

/// A formula with its conditions as the user wrote them.
pub fn written(opened: &Opened, formula: &Formula) -> String {
    bare(&shown(opened, formula)).to_string()
}

/// The conditions that a claim waits for, taken apart at the operators of logic.
fn guards(opened: &Opened, claim: ProctypeId, out: &mut Vec<Condition>) {
    let model = &opened.model;
    let p = model.proctype(claim);
    for &t in p.locs.iter().flat_map(|loc| &loc.out) {
        model.transition(t).stmt.walk_stmts(&mut |stmt| {
            if let Stmt::Guard(e) | Stmt::Assert(e) = stmt {
                take_apart(opened, e, out);
            }
        });
    }
}

fn take_apart(opened: &Opened, e: &Expr, out: &mut Vec<Condition>) {
    match e {
        Expr::Unary(UnaryOp::Not, a) => take_apart(opened, a, out),
        Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => [a, b].into_iter().for_each(|e| take_apart(opened, e, out)),
        e => {
            let noted = opened.model.conditions.iter().find(|(known, _)| known == e);
            add(opened, e, noted.map_or(Span::default(), |noted| noted.1), out);
        }
    }
}

/// Adds a condition unless it is known, or no condition on a state alone.
fn add(opened: &Opened, e: &Expr, span: Span, out: &mut Vec<Condition>) {
    let elsewhere = |e: &Expr| match e {
        Expr::Load(place) => place.region == Region::Local,
        e => matches!(e, Expr::Timeout | Expr::Pid | Expr::Priority | Expr::Run(_)),
    };
    if matches!(e, Expr::Const(..)) || e.any(elsewhere) || out.iter().any(|known| known.expr == *e) {
        return;
    }
    let spelled = bare(&text::expr(&opened.model, e)).to_string();
    let written = written::condition(opened, span).map_or_else(|| spelled.clone(), |text| bare(&text).to_string());
    out.push(Condition { written, spelled, expr: e.clone() });
}

/// Two conditions may be one text, in a macro whose parameters differ: then neither says what is meant.
fn tell_apart(all: &mut [Condition]) {
    let texts: Vec<String> = all.iter().map(|c| c.written.clone()).collect();
    for c in all.iter_mut().filter(|c| texts.iter().filter(|t| **t == c.written).count() > 1) {
        c.written.clone_from(&c.spelled);
    }
}

/// The part of a claim that can be reached.
fn size(model: &Model, claim: ProctypeId) -> Size {
    let p = model.proctype(claim);
    let mut reached = vec![p.start];
    let (mut seen, mut transitions) = (vec![false; p.locs.len()], 0);
    seen[p.start.index()] = true;
    let mut states = 0;
    while let Some(at) = reached.pop() {
        states += 1;
        for &t in &p.locs[at.index()].out {
            transitions += 1;
            let to = model.transition(t).to;
            if !std::mem::replace(&mut seen[to.index()], true) {
                reached.push(to);
            }
        }
    }
    Size { states, transitions }
}

/// True if a transition of a claim is the last that matters: it leads to where every continuation is accepted.
pub fn decides(model: &Model, trans: TransId) -> bool {
    let t = model.transition(trans);
    let always = |stmt: &Stmt| match stmt {
        Stmt::Guard(e) => e.as_const().is_some_and(|value| value != 0),
        stmt => matches!(stmt, Stmt::Skip(_)),
    };
    let settled = |loc: LocId| {
        let here = &model.proctype(t.proctype).locs[loc.index()];
        let stays = |&out: &TransId| model.transition(out).to == loc && always(&model.transition(out).stmt);
        here.accept && here.out.iter().any(stays)
    };
    settled(t.to) && !settled(t.from)
}

/// What is different from before.
pub fn changed(before: &Truths, after: &Truths) -> Truths {
    after.iter().filter(|(name, holds)| before.get(*name) != Some(holds)).map(|(n, h)| (n.clone(), *h)).collect()
}

fn formula_of<'m>(model: &'m Model, name: &str) -> Option<&'m Formula> {
    model.properties.iter().find_map(|p| match &p.kind {
        PropertyKind::Ltl(formula) if *p.name == *name => Some(formula),
        _ => None,
    })
}

/// A formula with parentheses around every part that has two.
fn shown(opened: &Opened, formula: &Formula) -> String {
    let one = |sign: &str, a: &Formula| format!("{sign}{}", shown(opened, a));
    let two = |a: &Formula, sign: &str, b: &Formula| format!("({} {sign} {})", shown(opened, a), shown(opened, b));
    match formula {
        Formula::Prop(e, span) => match written::condition(opened, *span) {
            None => text::expr(&opened.model, e),
            Some(text) if is_operand(text.trim_start_matches('!')) => text,
            Some(text) => format!("({text})"),
        },
        // In Promela `!!` is one sign, which sends.
        Formula::Not(a) if matches!(**a, Formula::Not(_)) => one("! ", a),
        Formula::Not(a) => one("!", a),
        Formula::Next(a) => one("X ", a),
        Formula::Always(a) => one("[] ", a),
        Formula::Eventually(a) => one("<> ", a),
        Formula::And(a, b) => two(a, "&&", b),
        Formula::Or(a, b) => two(a, "||", b),
        Formula::Implies(a, b) => two(a, "->", b),
        Formula::Equivalent(a, b) => two(a, "<->", b),
        Formula::Until(a, b) => two(a, "U", b),
        Formula::WeakUntil(a, b) => two(a, "W", b),
        Formula::Release(a, b) => two(a, "V", b),
    }
}

/// True if a text needs no parentheses, whatever stands around it: a name, an element, a use of a macro, or has them.
fn is_operand(text: &str) -> bool {
    if bare(text) != text {
        return true;
    }
    let mut nest = 0i32;
    text.chars().all(|c| {
        nest += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        nest > 0 || c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '@' | ')' | ']')
    })
}

/// A text without the parentheses that go round all of it.
fn bare(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut open = 0;
    for c in inside.chars() {
        open += i32::from(c == '(') - i32::from(c == ')');
        if open < 0 {
            return text;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parentheses_that_go_round_everything_are_left_out() {
        assert_eq!(bare("(x==1)"), "x==1");
        assert_eq!(bare("((a)&&(b))"), "(a)&&(b)");
        assert_eq!(bare("(a)&&(b)"), "(a)&&(b)");
        assert_eq!(bare("x"), "x");
    }

    #[test]
    fn names_elements_and_uses_of_macros_need_no_parentheses() {
        assert!(["x", "a[i + 1].b", "P[0]@crit", "P[1]:x", "at(0, 1)", "(x == 1)"].iter().all(|t| is_operand(t)));
        assert!(["x == 1", "!x", "a[0] && b", "(x) || (y)"].iter().all(|t| !is_operand(t)));
    }

    #[test]
    fn only_differences_are_told() {
        let truths = |list: &[(&str, bool)]| list.iter().map(|(n, h)| (n.to_string(), *h)).collect::<Truths>();
        let before = truths(&[("a", true), ("b", false)]);
        let after = truths(&[("a", true), ("b", true), ("c", false)]);
        assert_eq!(changed(&before, &after), truths(&[("b", true), ("c", false)]));
    }
}
