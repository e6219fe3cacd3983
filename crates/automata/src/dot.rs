//! Automata as pictures, in the language of Graphviz.

use std::fmt::Write;

use crate::automaton::{Buchi, Marks, StateId, Tgba};
use crate::names::Names;

/// A Büchi automaton; accepting states have a double border.
pub fn buchi(automaton: &Buchi, names: &Names) -> String {
    let shape = |state: StateId| if automaton.is_accepting(state) { "doublecircle" } else { "circle" };
    digraph(automaton.as_tgba(), names, shape, |_| String::new())
}

/// A generalised Büchi automaton; marks stand in braces behind the labels of edges.
pub fn generalised(automaton: &Tgba, names: &Names) -> String {
    let shown = |marks: Marks| match marks {
        Marks::NONE => String::new(),
        _ => format!("\\n{{{}}}", marks.iter().map(|mark| mark.to_string()).collect::<Vec<_>>().join(" ")),
    };
    digraph(automaton, names, |_| "circle", shown)
}

fn digraph(
    automaton: &Tgba,
    names: &Names,
    shape: impl Fn(StateId) -> &'static str,
    marks: impl Fn(Marks) -> String,
) -> String {
    let mut text = "digraph automaton {\n    rankdir=LR;\n    node [fontname=\"sans-serif\"];\n".to_owned();
    for state in automaton.states() {
        let _ = writeln!(text, "    {} [shape={}];", state.0, shape(state));
    }
    for state in automaton.initial() {
        let _ = writeln!(text, "    start{0} [shape=point];\n    start{0} -> {0};", state.0);
    }
    for edge in automaton.edges() {
        let label = edge.label.show(names).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "    {} -> {} [label=\"{label}{}\"];", edge.from.0, edge.to.0, marks(edge.marks));
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ltl, translate};

    /// Quotes in propositions do not end the picture's texts, and accepting states can be seen.
    #[test]
    fn quotes_are_escaped() {
        let mut names = Names::new();
        let formula = ltl::parse("[]<>{x == \"a\"}", &mut names).unwrap();
        let text = buchi(&translate(&formula).unwrap(), &names);
        assert!(text.contains(r#"[label="{x == \"a\"}"]"#), "{text}");
        assert_eq!(text.matches("doublecircle").count(), 1);
    }
}
