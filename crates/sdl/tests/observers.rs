//! Observers: what their transitions become, in which order they stand, and what is refused.

use starwheel_sdl::{Environment, Options, translate};

/// Two processes, and an observer whose system and process are given.
fn system(signals: &str, body: &str) -> String {
    let watched = "system s; signal a(Integer), b; block k; signalroute r from p to q with a; from q to p with b;\n\
        process p; dcl n Integer; start; output a(1); nextstate w; state w; input b; output a(2); nextstate w; endstate; endprocess;\n\
        process q; dcl x Integer; start; nextstate one; state one; input a(x); task x := 0; output b; nextstate two; endstate;\n\
        state two; input b; nextstate two; endstate; endprocess; endblock; endsystem;\n";
    format!(
        "{watched}system o; {signals}\nblock o; process o; monitor st System_State;\n{body}\nendprocess; endblock; endsystem;"
    )
}

fn promela(text: &str) -> String {
    let options = Options { lines: false, ..Options::default() };
    let (translation, _, diagnostics) = translate(&[("a.pr", text)], &options);
    translation.unwrap_or_else(|| panic!("{diagnostics:?}")).promela
}

/// The codes and lines of all errors; there must be some.
fn errors(text: &str) -> Vec<(&'static str, u32)> {
    let (translation, sources, diagnostics) = translate(&[("a.pr", text)], &Options::default());
    assert!(translation.is_none());
    diagnostics.iter().filter(|d| d.is_error()).map(|d| (d.code, sources.line(d.span()))).collect()
}

/// Positions of texts, which must come in this order.
fn in_order(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        match text[from..].find(part) {
            Some(at) => from += at + part.len(),
            None => panic!("`{part}` is not where it should be in\n{text}"),
        }
    }
}

const INPUT: &str = "signal seen(Integer) renames input a from p to q;";

#[test]
fn an_input_is_observed_after_the_transition_with_the_values_it_had() {
    let body = "errorstates bad; start; nextstate ok; state ok; input seen(v);\n\
        decision st.q.state = two and v > 0; (true): nextstate ok; (false): nextstate bad; enddecision; endstate;\n\
        state bad; endstate;";
    let text = promela(&system(INPUT, body));
    in_order(
        &text,
        &[
            "proctype q",
            "in_q?a,seen_",
            "x = seen_",
            "x = 0",
            "in_p!b",
            "q_state = 2",
            "o_v = seen_",
            "assert(0)",
            "goto two",
        ],
    );
    assert!(!text.contains("proctype o"), "an observer has no steps of its own");
    // In the second state the signal is discarded, which is seen as well.
    in_order(&text, &["two:", "in_q?a,seen_", "o_v = seen_", "goto two"]);
}

#[test]
fn an_output_goes_to_the_observer_first_and_on_only_if_it_sends_it() {
    let signals = "signal pass(Integer) renames output a from p to q;";
    let on = promela(&system(
        signals,
        "start; nextstate k; state k; input pass(v); output pass(v + 1); nextstate k; endstate;",
    ));
    in_order(&on, &["proctype p", "o_v = 1", "in_q!a,o_v + 1", "o_v = 2", "in_q!a,o_v + 1", "proctype q"]);
    let lost = promela(&system(signals, "start; nextstate k; state k; input pass(v); nextstate k; endstate;"));
    assert!(!lost.contains("in_q!"), "{lost}");
}

#[test]
fn observers_stand_in_the_order_of_the_files() {
    let text = system(
        "signal pass(Integer) renames output a from p to q;",
        "start; nextstate k; state k; input pass(v); output pass(v + 1); nextstate k; endstate;",
    );
    let second = "system o2; signal pass2(Integer) renames output a from p to q;\nblock o2; process o2; monitor st S;\n\
        start; nextstate k; state k; input pass2(w); output pass2(w * 2); nextstate k; endstate; endprocess; endblock; endsystem;";
    let options = Options { lines: false, ..Options::default() };
    let made = |files: &[(&str, &str)]| translate(files, &options).0.expect("a translation").promela;
    let first = made(&[("a.pr", &text), ("b.pr", second)]);
    in_order(&first, &["proctype p", "o_v = 1", "o2_w = o_v + 1", "in_q!a,o2_w * 2"]);
    let other = made(&[("b.pr", second), ("a.pr", &text)]);
    in_order(&other, &["proctype p", "o2_w = 1", "o_v = o2_w * 2", "in_q!a,o_v + 1"]);
}

#[test]
fn ignored_runs_have_no_errors_and_success_must_come() {
    let body = "errorstates bad; ignorestates dull; successstates fine; start; nextstate ok; state ok; input seen(v);\n\
        decision v; (1): nextstate fine; (2): nextstate dull; else: nextstate bad; enddecision; endstate;\n\
        state fine; endstate; state dull; endstate; state bad; endstate;";
    let text = promela(&system(INPUT, body));
    let formula = text.lines().find(|l| l.starts_with("ltl eventually")).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(formula.matches("o_state ==").count(), 2, "{formula}");
    assert!(text.contains("assert((o_state == "), "an error counts only if nothing is ignored: {text}");
}

#[test]
fn an_observer_alone_is_a_process() {
    let text = "system o; signal seen(Integer) renames input a to q;\nchannel c from env to o with seen; endchannel;\n\
        block o; signalroute r from env to o with seen; connect c and r; process o; monitor st S; errorstates bad;\n\
        start; nextstate ok; state ok; input seen(v); nextstate bad; endstate; state bad; endstate; endprocess; endblock; endsystem;";
    let options = Options { environment: Environment::Once, lines: false, ..Options::default() };
    let text = translate(&[("a.pr", text)], &options).0.expect("a translation").promela;
    in_order(&text, &["proctype o", "assert(0)", "goto bad"]);
}

#[test]
fn what_an_observer_cannot_do_is_refused_at_its_line() {
    let body = |action: &str| format!("start; nextstate k; state k; input seen(v);\n{action} nextstate k; endstate;");
    let cases = [
        ("task st.q.x := 1;", "observer"),
        ("task v := st.q.nothing;", "observer"),
        ("task v := st.nobody.x;", "observer"),
        ("output seen(v);", "not-supported"),
        ("decision st.q.state = three; (true): nextstate k; else: enddecision;", "unknown-state"),
    ];
    for (action, code) in cases {
        let found = errors(&system(INPUT, &body(action)));
        assert!(found.contains(&(code, 8)), "{action}: {found:?}");
    }
    let found = errors(&system("signal seen(Integer) renames input a to nobody;", &body("")));
    assert!(found.contains(&("observer", 5)), "{found:?}");
    let found = errors(&system("signal seen(Integer) renames input nothing to q;", &body("")));
    assert!(found.contains(&("unknown-signal", 5)), "{found:?}");
    let found = errors(&system(INPUT, "timer t; start; nextstate k; state k; endstate;"));
    assert!(found.iter().any(|f| f.0 == "not-supported"), "{found:?}");
}

#[test]
fn formulas_and_maps_speak_of_the_text() {
    let text = system(INPUT, "start; nextstate k; state k; input seen(v); nextstate k; endstate;");
    let t = translate(&[("a.pr", &text)], &Options::default()).0.expect("a translation");
    assert_eq!(t.words.formula("[] (Q@One -> O@k && P:N == 0)"), "[] (q@one -> (o_state == 1) && p:n == 0)");
    let said: Vec<&str> = t.map.iter().filter_map(|e| e.said.as_deref()).collect();
    for expected in ["q in one: input a -> two", "q in two: input a -> two", "p in w: input b -> w", "output b"] {
        assert!(said.contains(&expected), "{expected} is not in {said:?}");
    }
}
