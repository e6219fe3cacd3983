//! Automata with actions for labels: what is read, and what is refused where.

use starwheel_automata::StateId;
use starwheel_automata::hoa::{ActionEdge, read_actions};

fn text(body: &str) -> String {
    format!("HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: 1 Inf(0)\n--BODY--\n{body}\n--END--\n")
}

#[test]
fn several_automata_are_read() {
    let both = text("State: 0 \"x\"\n[1] 1\n[0] 0\nState: 1 {0}") + &text("State: 0\nState: 1");
    let read = read_actions(&both).unwrap();
    assert_eq!(read.len(), 2);
    assert_eq!(
        (read[0].states, &read[0].accepting[..], &read[0].initial[..]),
        (2, &[false, true][..], &[StateId(0)][..])
    );
    let edge = |action, to| ActionEdge { from: StateId(0), action, to: StateId(to) };
    assert_eq!(read[0].edges, [edge(1, 1), edge(0, 0)]);
    assert_eq!(read[0].state_names, [Some("x".to_string())]);
}

#[test]
fn without_acceptance_sets_all_states_accept() {
    let all = text("State: 0").replace("1 Inf(0)", "0 t");
    assert_eq!(read_actions(&all).unwrap()[0].accepting, [true, true]);
}

#[test]
fn more_actions_than_letters_of_a_formula() {
    let names: Vec<String> = (0..1000).map(|n| format!("\"a{n}\"")).collect();
    let many = text("State: 0 [999] 1").replace("2 \"a\" \"b\"", &format!("1000 {}", names.join(" ")));
    assert_eq!(read_actions(&many).unwrap()[0].edges[0].action, 999);
}

#[test]
fn mistakes_have_a_place() {
    for (body, line, column, words) in [
        ("State: 0\n[0&1] 1", 8, 3, "not with a formula"),
        ("State: 0\n[!0] 1", 8, 2, "no number"),
        ("State: 0\n[t] 1", 8, 2, "no number"),
        ("State: 0\n 1", 8, 2, "no label"),
        ("State: 0\n[2] 1", 8, 2, "not declared"),
        ("State: 0\n[0] 2", 8, 5, "declared number of states"),
        ("State: 0\n[0] 1 {0}", 8, 7, "acceptance is on states"),
        ("State: [0] 0\n1", 7, 8, "edges have labels"),
        ("State: 0\nState: 0", 8, 8, "twice"),
    ] {
        let error = read_actions(&text(body)).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{body}: {error}");
        assert!(error.message.contains(words), "{body}: {error}");
    }
    for (from, to, words) in [
        ("\"b\"", "\"a\"", "comes twice"),
        ("1 Inf(0)", "2 Inf(0)&Inf(1)", "one acceptance set"),
        ("1 Inf(0)", "1 Fin(0)", "not supported"),
        ("--END--", "--ABORT--", "--ABORT--"),
        ("AP:", "Alias: @a 0\nAP:", "aliases"),
        ("Start: 0", "Start: 5", "declared number"),
    ] {
        let error = read_actions(&text("State: 0").replace(from, to)).unwrap_err();
        assert!(error.message.contains(words), "{to}: {error}");
    }
}
