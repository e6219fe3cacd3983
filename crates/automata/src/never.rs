//! Büchi automata as never claims of Promela.

use std::fmt::Write;

use crate::automaton::{Buchi, StateId};
use crate::label::{Cube, Label};
use crate::names::Names;
use crate::words::Prop;

/// The claim as SPIN reads it; `title` becomes a comment. Names of propositions are taken as Promela expressions.
pub fn print(automaton: &Buchi, names: &Names, title: &str) -> String {
    let title = title.replace("*/", "* /");
    let mut text = format!("never {{    /* {title} */\n");
    let initial = automaton.initial();
    let others = automaton.states().filter(|&state| state != initial);
    // A claim starts with its first state. The state that accepts everything comes last, where the claim ends.
    let (last, middle): (Vec<_>, Vec<_>) = others.partition(|&state| accepts_all(automaton, state));
    for state in std::iter::once(initial).chain(middle).chain(last) {
        body(&mut text, automaton, state, names);
    }
    text.push_str("}\n");
    text
}

/// True if every word is accepted from the state at once.
fn accepts_all(automaton: &Buchi, state: StateId) -> bool {
    let loops = |edge: &crate::automaton::Edge| edge.to == state && edge.label.is_all();
    automaton.is_accepting(state) && automaton.edges_from(state).iter().any(loops)
}

fn name(automaton: &Buchi, state: StateId) -> String {
    let accepting = automaton.is_accepting(state);
    if state == automaton.initial() {
        return if accepting { "accept_init" } else { "T0_init" }.to_owned();
    }
    // Reduced automata have one such state; the number keeps labels apart in others.
    let all: Vec<StateId> = automaton.states().filter(|&other| accepts_all(automaton, other)).collect();
    if all == [state] {
        return "accept_all".to_owned();
    }
    format!("{}_S{}", if accepting { "accept" } else { "T0" }, state.0)
}

fn body(text: &mut String, automaton: &Buchi, state: StateId, names: &Names) {
    let label = name(automaton, state);
    let _ = writeln!(text, "{label}:");
    if label == "accept_all" {
        text.push_str("\tskip\n");
        return;
    }
    let edges = automaton.edges_from(state);
    if edges.is_empty() {
        text.push_str("\tfalse;\n");
        return;
    }
    text.push_str("\tdo\n");
    for edge in edges {
        let _ = writeln!(text, "\t:: ({}) -> goto {}", guard(&edge.label, names), name(automaton, edge.to));
    }
    text.push_str("\tod;\n");
}

/// The label as an expression, with every proposition in parentheses.
fn guard(label: &Label, names: &Names) -> String {
    if label.is_all() {
        return "1".to_owned();
    }
    let literal = |(prop, holds): (Prop, bool)| format!("{}({})", if holds { "" } else { "!" }, names.name(prop));
    let cube = |cube: &Cube| cube.literals().map(literal).collect::<Vec<_>>().join(" && ");
    let cubes: Vec<String> = label.cubes().iter().map(cube).collect();
    match &cubes[..] {
        [only] => only.clone(),
        _ => cubes.iter().map(|cube| format!("({cube})")).collect::<Vec<_>>().join(" || "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ltl, translate};

    fn claim(text: &str) -> String {
        let mut names = Names::new();
        let formula = ltl::parse(text, &mut names).unwrap();
        print(&translate(&formula).unwrap(), &names, text)
    }

    /// The claims of simple formulas, letter by letter.
    #[test]
    fn simple_claims() {
        let until = "never {    /* p U {x > 1} */\nT0_init:\n\tdo\n\t:: ((p) && !(x > 1)) -> goto T0_init\n\t:: ((x > 1)) -> goto accept_all\n\tod;\naccept_all:\n\tskip\n}\n";
        assert_eq!(claim("p U {x > 1}"), until);
        let always = "never {    /* []p */\naccept_init:\n\tdo\n\t:: ((p)) -> goto accept_init\n\tod;\n}\n";
        assert_eq!(claim("[]p"), always);
        assert_eq!(claim("false"), "never {    /* false */\nT0_init:\n\tfalse;\n}\n");
        assert_eq!(
            claim("true"),
            "never {    /* true */\naccept_init:\n\tdo\n\t:: (1) -> goto accept_init\n\tod;\n}\n"
        );
    }
}
