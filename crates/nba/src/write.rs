//! Writes the components of a network as HOA text.

use std::fmt::Write;

use starwheel_automata::hoa::ActionAutomaton;

/// The text of all components, one after the other.
pub fn write(automata: &[ActionAutomaton]) -> String {
    let mut text = String::new();
    automata.iter().for_each(|automaton| component(&mut text, automaton));
    text
}

fn component(text: &mut String, automaton: &ActionAutomaton) {
    text.push_str("HOA: v1\n");
    if let Some(name) = &automaton.header.name {
        let _ = writeln!(text, "name: {}", quoted(name));
    }
    let _ = writeln!(text, "States: {}", automaton.states);
    for state in &automaton.initial {
        let _ = writeln!(text, "Start: {}", state.0);
    }
    let names: Vec<String> = automaton.actions.iter().map(|name| quoted(name)).collect();
    let _ = writeln!(text, "AP: {} {}", names.len(), names.join(" "));
    text.push_str("acc-name: Buchi\nAcceptance: 1 Inf(0)\n");
    text.push_str("properties: trans-labels explicit-labels state-acc\n--BODY--\n");
    let mut edges = automaton.edges.clone();
    edges.sort_by_key(|e| e.from);
    let mut rest = edges.iter().peekable();
    for state in 0..automaton.states {
        let name = automaton.state_names.get(state as usize).and_then(Option::as_ref);
        let name = name.map(|name| format!(" {}", quoted(name))).unwrap_or_default();
        let set = if automaton.accepting[state as usize] { " {0}" } else { "" };
        let _ = writeln!(text, "State: {state}{name}{set}");
        while let Some(edge) = rest.next_if(|e| e.from.0 == state) {
            let _ = writeln!(text, "  [{}] {}", edge.action, edge.to.0);
        }
    }
    text.push_str("--END--\n");
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
