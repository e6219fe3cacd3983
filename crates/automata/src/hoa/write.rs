//! Writes automata as HOA text.

use std::fmt::Write;

use super::{Header, HoaAutomaton, Value};
use crate::automaton::{Marks, StateId, Tgba};
use crate::label::{Cube, Label};

/// The text of an automaton. Acceptance is written on states if all edges of every state agree.
pub fn write(hoa: &HoaAutomaton) -> String {
    let mut text = "HOA: v1\n".to_owned();
    let automaton = &hoa.automaton;
    if let Some(name) = &hoa.header.name {
        let _ = writeln!(text, "name: {}", quoted(name));
    }
    if let Some((tool, version)) = &hoa.header.tool {
        let version = version.iter().map(|version| format!(" {}", quoted(version))).collect::<String>();
        let _ = writeln!(text, "tool: {}{version}", quoted(tool));
    }
    let _ = writeln!(text, "States: {}", automaton.state_count());
    for state in automaton.initial() {
        let _ = writeln!(text, "Start: {}", state.0);
    }
    let names: String = hoa.names.iter().map(|name| format!(" {}", quoted(name))).collect();
    let _ = writeln!(text, "AP: {}{names}", hoa.names.len());
    let _ = writeln!(text, "{}", acceptance(automaton.mark_count()));
    let on_states = automaton.state_marks();
    properties(&mut text, &hoa.header, on_states.is_some());
    for (name, values) in &hoa.header.others {
        let values: String = values.iter().map(|value| format!(" {}", shown(value))).collect();
        let _ = writeln!(text, "{name}:{values}");
    }
    text.push_str("--BODY--\n");
    for state in automaton.states() {
        let name = hoa.state_names.get(state.index()).cloned().flatten();
        body(&mut text, automaton, state, name, on_states.as_deref());
    }
    text.push_str("--END--\n");
    text
}

fn acceptance(count: u32) -> String {
    let sets: Vec<String> = (0..count).map(|mark| format!("Inf({mark})")).collect();
    match count {
        0 => "acc-name: all\nAcceptance: 0 t".to_owned(),
        1 => "acc-name: Buchi\nAcceptance: 1 Inf(0)".to_owned(),
        _ => format!("acc-name: generalized-Buchi {count}\nAcceptance: {count} {}", sets.join("&")),
    }
}

/// What we know for certain replaces what a header said about where labels and marks stand.
fn properties(text: &mut String, header: &Header, on_states: bool) {
    let ours = ["trans-labels", "explicit-labels", if on_states { "state-acc" } else { "trans-acc" }];
    let replaced = ["trans-labels", "state-labels", "explicit-labels", "implicit-labels", "state-acc", "trans-acc"];
    let kept = header.properties.iter().map(String::as_str).filter(|word| !replaced.contains(word));
    let words: Vec<&str> = ours.into_iter().chain(kept).collect();
    let _ = writeln!(text, "properties: {}", words.join(" "));
}

fn body(text: &mut String, automaton: &Tgba, state: StateId, name: Option<String>, on_states: Option<&[Marks]>) {
    let name = name.map(|name| format!(" {}", quoted(&name))).unwrap_or_default();
    let own = on_states.map(|marks| sets(marks[state.index()])).unwrap_or_default();
    let _ = writeln!(text, "State: {}{name}{own}", state.0);
    for edge in automaton.edges_from(state) {
        let marks = if on_states.is_some() { String::new() } else { sets(edge.marks) };
        let _ = writeln!(text, "[{}] {}{marks}", expression(&edge.label), edge.to.0);
    }
}

fn sets(marks: Marks) -> String {
    let numbers: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
    if numbers.is_empty() { String::new() } else { format!(" {{{}}}", numbers.join(" ")) }
}

fn expression(label: &Label) -> String {
    let literal = |(prop, holds): (crate::words::Prop, bool)| format!("{}{}", if holds { "" } else { "!" }, prop.0);
    let cube = |cube: &Cube| cube.literals().map(literal).collect::<Vec<_>>().join("&");
    match label.is_all() {
        true => "t".to_owned(),
        false => label.cubes().iter().map(cube).collect::<Vec<_>>().join(" | "),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Boolean(value) => if *value { "t" } else { "f" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => quoted(text),
        Value::Word(word) => word.clone(),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
