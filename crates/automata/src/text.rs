//! Automata as plain text for people.

use std::fmt::Write;

use crate::automaton::{Buchi, Marks, StateId, Tgba};
use crate::names::Names;

/// A Büchi automaton, one line for each state and each edge.
pub fn buchi(automaton: &Buchi, names: &Names) -> String {
    let marks = |state: StateId| if automaton.is_accepting(state) { " accepting" } else { "" };
    states(automaton.as_tgba(), names, |state| marks(state).to_owned(), |_| String::new())
}

/// A generalised Büchi automaton, one line for each state and each edge; marks stand behind edges.
pub fn generalised(automaton: &Tgba, names: &Names) -> String {
    let shown = |marks: Marks| match marks {
        Marks::NONE => String::new(),
        _ => format!(" {{{}}}", marks.iter().map(|mark| mark.to_string()).collect::<Vec<_>>().join(" ")),
    };
    states(automaton, names, |_| String::new(), shown)
}

fn states(
    automaton: &Tgba,
    names: &Names,
    of_state: impl Fn(StateId) -> String,
    of_edge: impl Fn(Marks) -> String,
) -> String {
    let mut text = String::new();
    for state in automaton.states() {
        let initial = if automaton.initial().contains(&state) { " initial" } else { "" };
        let _ = writeln!(text, "state {}{initial}{}", state.0, of_state(state));
        for edge in automaton.edges_from(state) {
            let _ = writeln!(text, "    {} -> {}{}", edge.label.show(names), edge.to.0, of_edge(edge.marks));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ltl, translate, translate_generalised};

    /// The text shows initial and accepting states, labels and marks.
    #[test]
    fn small_automaton() {
        let mut names = Names::new();
        let formula = ltl::parse("[]<>{x > 1}", &mut names).unwrap();
        let general = generalised(&translate_generalised(&formula).unwrap(), &names);
        assert_eq!(general, "state 0 initial\n    !{x > 1} -> 0\n    {x > 1} -> 0 {0}\n");
        let plain = buchi(&translate(&formula).unwrap(), &names);
        assert_eq!(plain.matches("accepting").count(), 1);
    }
}
